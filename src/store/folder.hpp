#pragma once

#include <string>

#include "kiln/error.hpp"

namespace kiln {

enum class FolderUse {
  look,  ///< what is absent stays absent
  make,  ///< the folder and its parents are made where absent, with mode 0700
};

/// Checks that a folder may hold a store: it is a folder, belongs to this user, and nobody else may
/// write to it (what is in it gets loaded as programs). True: it is there; false: it is absent
/// (only with FolderUse::look). The error says what is wrong with it.
Expected<bool> check_store_folder(const std::string& folder, FolderUse use);

}  // namespace kiln
