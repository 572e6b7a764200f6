#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mesh/io/dataset.hpp"
#include "mesh/io/mesh_file.hpp"

/// The HDF5 library, as far as mesh files need it. Files are
/// images in memory: callers read and write the disk. The library is not thread-safe, so
/// a Reader and a Writer hold a lock of the process while they live: keep them short, one at a time
/// in a thread. Messages of the library's own are off meanwhile.
namespace kiln::mesh::hdf5 {

/// A file in memory, and the lock.
struct OpenFile;

/// Reads an image, which outlives it. Whatever its bytes are, every call comes back with a value or
/// with one line; nothing is allocated that the image could not fill (compressed values: 1032 times
/// its size, deflate's bound). Links out of the file, virtual and external datasets are not
/// followed.
class Reader {
 public:
  static Expected<Reader> open(ByteView image);
  Reader(Reader&&) noexcept;
  ~Reader();

  /// All datasets, by path; at most 10,000 objects, groups at most 16 deep.
  Expected<std::vector<Dataset>> datasets() const;
  /// The values, the last index fastest, in the type that the Dataset has. Errors: bad_input.
  Expected<Bytes> values(const Dataset& dataset) const;

 private:
  Reader(std::unique_ptr<OpenFile> open, ByteView image);
  std::unique_ptr<OpenFile> open_;
  ByteView image_;
};

/// Makes an image. The same calls make the same bytes: no times are stored.
class Writer {
 public:
  /// `bytes`: about how many values will come, for growing in one step.
  static Expected<Writer> create(std::size_t bytes);
  Writer(Writer&&) noexcept;
  ~Writer();

  /// Adds a dataset with its attributes; the groups of its path are made. `values` are of the
  /// Dataset's type.
  Expected<void> add(const Dataset& dataset, ByteView values);
  Expected<Bytes> finish();

 private:
  explicit Writer(std::unique_ptr<OpenFile> open);
  std::unique_ptr<OpenFile> open_;
};

/// For a program's start, where nothing but Kiln uses the library: it does nothing at the program's
/// end then. Where a damaged file made it lose memory (1.10.8 does for some), it would print
/// "infinite loop closing library" there; images in memory need no flushing.
void skip_cleanup_at_exit();

/// How many of the library's objects are open: 0 when no Reader and Writer lives.
std::size_t open_objects();

}  // namespace kiln::mesh::hdf5
