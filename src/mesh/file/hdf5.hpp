#pragma once

#include "mesh/file/mesh_file.hpp"

namespace kiln::mesh {

/// HDF5 files in OP2's layout (docs/formats/mesh-hdf5.md).

/// Whether the bytes begin as an HDF5 file does (also after a user block).
bool is_hdf5(ByteView bytes);

/// Reads an HDF5 file's bytes. What a dataset is follows from its own attributes where Kiln wrote
/// it, else from `layout`, else from its shape where that leaves no choice; what remains is named
/// in MeshFile::left_out. Errors (bad_input): one line. Thread-safe; calls wait for one another.
Expected<MeshFile> read_hdf5(ByteView bytes, const FileLayout& layout = known_names());

/// The bytes of the HDF5 file; the same for the same mesh. OP2 reads it, and read_hdf5 without a
/// layout. Errors: bad_input for a mesh that is not whole (check). Thread-safe as above.
Expected<Bytes> write_hdf5(const MeshFile& mesh);

}  // namespace kiln::mesh
