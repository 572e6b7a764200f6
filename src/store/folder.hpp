#pragma once

#include <string>

#include "kiln/error.hpp"

namespace kiln {

enum class FolderUse {
  look,  ///< what is absent stays absent
  make,  ///< the folder and its parents are made where absent, with mode 0700
};

/// Checks that a folder may hold a store: it is a folder, belongs to this user, and is not one that
/// everybody may write to (what is in it gets loaded as programs; whether its group may is the
/// user's to say). True: it is there; false: it is absent
/// (only with FolderUse::look). The error says what is wrong with it.
Expected<bool> check_store_folder(const std::string& folder, FolderUse use);

}  // namespace kiln
