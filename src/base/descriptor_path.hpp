#pragma once

#include <filesystem>
#include <optional>

namespace kiln {

/// The number behind /dev/stdin, /dev/stdout, /dev/stderr, /dev/fd/N and /proc/self/fd/N: a
/// descriptor of this process, which is no name in a folder. Nothing for any other path.
std::optional<int> descriptor_named_by(const std::filesystem::path& path);

/// The folder that relative names in an input start from: the file's own, or the current one
/// (empty) for standard input.
std::filesystem::path folder_of_input(const std::filesystem::path& path);

}  // namespace kiln
