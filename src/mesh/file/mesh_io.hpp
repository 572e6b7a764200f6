#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "mesh/file/mesh_file.hpp"

namespace kiln::mesh {

/// The kinds of files that meshes are read from.
enum class FileKind : std::uint8_t { hdf5, text };

/// What a file of this name is to be: .h5 and .hdf5 are HDF5, .dat is text.
std::optional<FileKind> kind_by_name(const std::filesystem::path& path);
/// The same, or bad_input for another extension, with those that would do; `more` is named besides.
Expected<FileKind> expected_kind(const std::filesystem::path& path, std::string_view more = "");

/// Reads a mesh file of any kind that Kiln reads: HDF5 by its first bytes, else text
/// (mesh/file/text.hpp). `layout` says which sets the maps and dats of an HDF5 file join where the
/// file itself does not. Errors: one line with the path; bad_input for what is no such file.
/// Thread-safe.
Expected<MeshFile> read_mesh(const std::filesystem::path& path,
                             const FileLayout& layout = known_names());

/// 32-bit indices end long before.
inline constexpr std::uint64_t largest_mesh_file = 1ull << 37;

/// The same of bytes that were read already; `path` is named in errors, and its extension counts.
Expected<MeshFile> parse_mesh(const std::filesystem::path& path, ByteView bytes,
                              const FileLayout& layout = known_names());

/// Writes a file of the kind that its name says, or of another one. It appears whole or not at all.
/// Errors: bad_input for another extension and for a mesh that is not whole (check) or that the
/// format cannot hold; io.
Expected<void> write_mesh(const std::filesystem::path& path, const MeshFile& mesh);
Expected<void> write_mesh(const std::filesystem::path& path, const MeshFile& mesh, FileKind kind);

}  // namespace kiln::mesh
