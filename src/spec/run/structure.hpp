#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "kiln/spec.hpp"

namespace kiln::spec {

/// A scalar or vector in a structure; arrays and structures within it are taken apart.
struct StructLeaf {
  Type type;
  std::size_t offset = 0;  ///< bytes from the structure's begin
  std::string path;        ///< "centre", "weights[2]", "field 1" where the file has no name
};

/// The leaves of a structure in their order in memory; padding is in none. Of a structure of which
/// only the size is known there are none: it is bytes.
std::vector<StructLeaf> leaves_of(const Type& type);

/// The values of one leaf in an array of structures of `stride` bytes, side by side.
Bytes gather(ByteView structures, std::size_t stride, const StructLeaf& leaf);
/// The way back: `values` go to that leaf of each structure.
void scatter(ByteView values, std::span<std::byte> structures, std::size_t stride,
             const StructLeaf& leaf);

}  // namespace kiln::spec
