#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/data/digest.hpp"
#include "base/os/file.hpp"
#include "base/os/ownership.hpp"

namespace kiln {

/// The content-addressed files of a store: FOLDER/blobs/ab/cdef…, named by their BLAKE2b-256.
/// Thread-safe; holds nothing open.
class BlobFolder {
 public:
  explicit BlobFolder(std::string store_folder, FileOwner owner = FileOwner::user)
      : root_(std::move(store_folder) + "/blobs"), owner_(owner) {}

  /// Writes a file aside; commit() on it gives it its name. It is always written, even where one of
  /// that name stands: that one may be damaged. Errors: io, where its folders are links, too.
  Expected<AtomicFile> stage(const Digest& digest, ByteView content) const;

  /// The content, of exactly `size` bytes with this checksum, from a file that no one but the
  /// store's owner can have written. Errors: not_found, corrupt, io, refused.
  Expected<Bytes> read(const Digest& digest, std::uint64_t size, const Checksum& checksum) const;

  /// Removes a file that no entry refers to any more. Returns its size; 0 where there was no file.
  std::uint64_t remove(const Digest& digest) const;

  struct Total {
    std::uint64_t files = 0, bytes = 0;
  };
  /// Visits the files that a store has made; the digest is null for those that are not blobs (left
  /// by a killed writer). Follows no link, and leaves out what has another name.
  Total each(const std::function<void(const Digest*, const std::string& path)>& call) const;

 private:
  std::string path_of(const Digest& digest) const;
  /// Makes the folders that are absent, too.
  Expected<AtomicFile> create_file(const std::string& path) const;
  std::string root_;
  FileOwner owner_;
};

}  // namespace kiln
