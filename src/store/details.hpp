#pragma once

#include <string>
#include <string_view>

#include "store/layer.hpp"

namespace kiln {

/// The text with each absolute path of two parts or more ("/home/me/blur.cl") cut to its last part:
/// what is stored may leave the machine, and folders tell users' names.
std::string without_folders(std::string_view text);

/// The metadata as the store keeps them: texts without folders and of bounded length, a cost that
/// is finite and not negative.
Metadata kept_metadata(const Metadata& given);

}  // namespace kiln
