#pragma once

#include <string>

/// `kiln tune` takes two kinds of files by one option: they are told apart by their content.
namespace kiln::cli {

/// Throws Error (bad_input) where a file is a record of calls: `option` wants a measured space.
/// Files that cannot be read are left to who reads them.
void refuse_calls(const std::string& file, const std::string& option);
/// The other way round: --from without --replay wants a record of calls.
void refuse_measured_space(const std::string& file);

}  // namespace kiln::cli
