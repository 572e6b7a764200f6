#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// What a program asks of clBuildProgram, as the drivers read it.
namespace kiln::layer {

/// Build options without those that name folders of headers, which are read here. What is left is
/// in the order and spelling of the program, with single blanks between.
struct BuildOptions {
  std::string others;
  std::vector<std::filesystem::path> include_folders;
};

/// Splits options where PoCL does: at blanks, whatever quotes there are. `-I FOLDER` and `-IFOLDER`
/// name folders; a quote belongs to the name, so that a folder in quotes is not found, as PoCL
/// finds none (other drivers take the quotes off: then the program is theirs).
BuildOptions parse_build_options(std::string_view options);

}  // namespace kiln::layer
