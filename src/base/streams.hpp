#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "base/bytes.hpp"
#include "kiln/error.hpp"

/// What users name as inputs and outputs and is not a regular file: pipes, standard input and
/// output.
namespace kiln {

/// The number behind /dev/stdin, /dev/stdout, /dev/stderr, /dev/fd/N and /proc/self/fd/N: a
/// descriptor of this process, which is no name in a folder. Nothing for any other path.
std::optional<int> descriptor_named_by(const std::filesystem::path& path);

/// The folder that relative names in an input start from: the file's own, or the current one
/// (empty) for standard input.
std::filesystem::path folder_of_input(const std::filesystem::path& path);

/// Reads what a user names as an input: a regular file, or a pipe (`<(zcat x.gz)`, /dev/stdin) up
/// to its end, of at most `limit` bytes. A larger file is refused before anything is read, so that
/// a sparse one takes no memory. Errors (one line with the path): a folder or a device, too large,
/// absent, not permitted. Thread-safe.
Expected<Bytes> read_input(const std::filesystem::path& path, std::uint64_t limit);

/// Writes what a program says is its standard output.
using OutputWriter = std::function<Expected<void>(ByteView)>;

/// For a program that moved its standard output away from descriptor 1: what write_file() writes to
/// files with that name (/dev/stdout, /dev/fd/1, /proc/self/fd/1) goes through `write`. An empty
/// one undoes it. To be called while there is one thread.
void set_standard_output(OutputWriter write);

/// Writes to a descriptor of this process, to standard output through set_standard_output()'s
/// writer; the path is for messages. Errors: io.
Expected<void> write_descriptor(int number, ByteView bytes, const std::filesystem::path& path);

}  // namespace kiln
