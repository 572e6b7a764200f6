#include <algorithm>

#include "mesh/matrix/pattern.hpp"
#include "store/canonical.hpp"

namespace kiln::mesh {
namespace {

void write_map(CanonicalWriter& out, const char* tag, const MapView& map,
               std::span<const std::int32_t> offsets, const PatternPair& pair, MapDigests& digests,
               MapDigests::Kind kind) {
  std::vector<std::uint32_t> all(map.arity);
  for (std::size_t c = 0; c < all.size(); ++c) all[c] = static_cast<std::uint32_t>(c);
  out.begin(tag)
      .integer("arity", static_cast<std::int64_t>(map.arity))
      .digest("values", digests.of_columns(map, all, pair.elements, kind));
  if (pair.layers > 1)
    for (const auto offset : offsets) out.integer("offset", offset);
  out.end();
}

}  // namespace

Bytes pattern_canonical(const PatternInput& input, MapDigests& digests, MapDigests::Kind kind) {
  std::vector<Bytes> pairs;
  for (const auto& pair : input.pairs) {
    CanonicalWriter out("mesh sparsity pair", 1);
    out.integer("elements", static_cast<std::int64_t>(pair.elements))
        .integer("layers", static_cast<std::int64_t>(pair.layers));
    write_map(out, "rows", pair.rows, pair.row_offsets, pair, digests, kind);
    write_map(out, "columns", pair.columns, pair.column_offsets, pair, digests, kind);
    pairs.push_back(out.view());
  }
  // The entries are those of the union: its parts have no order.
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  CanonicalWriter out("mesh sparsity", 1);
  out.integer("digests", static_cast<std::int64_t>(kind))
      .integer("rows", static_cast<std::int64_t>(input.rows))
      .integer("columns", static_cast<std::int64_t>(input.columns))
      .integer("diagonal", input.diagonal);
  for (const auto& pair : pairs) out.bytes("pair", pair);
  return out.view();
}

}  // namespace kiln::mesh
