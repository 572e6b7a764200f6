#pragma once

#include <cstddef>

namespace kiln::mesh {

/// The array "head" of a mesh plan, int64: schema, scheme, begin, size, block size, blocks,
/// colours, pairs, nshared, bytes of a loc_map entry, rows of loc_map.
inline constexpr std::size_t plan_head_size = 11;

}  // namespace kiln::mesh
