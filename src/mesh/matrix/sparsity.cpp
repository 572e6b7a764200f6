// Sparsities and matrices of a Mesh: checks, and how equal ones are found again.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/data/bytes.hpp"
#include "mesh/matrix/matrix_session.hpp"
#include "mesh/matrix/pattern.hpp"
#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

using MapPairs = std::span<const std::pair<Map, Map>>;

void check_pairs(const Session* session, MapPairs pairs, const ExtrudedSet* over) {
  if (pairs.empty()) refuse("sparsity: no maps, expected a pair or more of them");
  const auto& [first_rows, first_columns] = pairs.front();
  for (const auto& [rows, columns] : pairs) {
    for (const Map& map : {rows, columns}) {
      if (Handles::state(map)->session.get() != session)
        refuse("sparsity: map {} belongs to another Mesh", map.name());
      check_not_left_out(*Handles::state(map));
      check_partitioned(*Handles::state(map.from()), "a sparsity");
      if (over != nullptr && !(map.from() == over->base()))
        refuse("sparsity: map {} leads from set {}, expected {}, whose columns are given",
               map.name(), map.from().name(), over->base().name());
      if (over != nullptr && map.offsets().empty())
        refuse("sparsity: map {} has no vertical offsets, which extruded sets need", map.name());
      if (over != nullptr)
        if (const auto wrong = wrong_layers(*Handles::state(map), over->layers()); !wrong.empty())
          refuse("sparsity: {}", wrong);
    }
    if (!(rows.from() == columns.from()))
      refuse("sparsity: map {} leads from set {} and map {} from {}, expected the same set",
             rows.name(), rows.from().name(), columns.name(), columns.from().name());
    if (!(rows.to() == first_rows.to()))
      refuse("sparsity: map {} leads to set {} and map {} to {}, expected the same rows",
             first_rows.name(), first_rows.to().name(), rows.name(), rows.to().name());
    if (!(columns.to() == first_columns.to()))
      refuse("sparsity: map {} leads to set {} and map {} to {}, expected the same columns",
             first_columns.name(), first_columns.to().name(), columns.name(), columns.to().name());
  }
}

std::vector<MapPairName> names_of(MapPairs pairs, std::size_t layers) {
  std::vector<MapPairName> names;
  for (const auto& [rows, columns] : pairs) {
    const auto& r = *Handles::state(rows);
    const auto& c = *Handles::state(columns);
    names.push_back({r.id, r.version, c.id, c.version, layers});
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

PatternInput input_of(MapPairs pairs, std::size_t layers) {
  const auto& [rows, columns] = pairs.front();
  PatternInput input{
      rows.to().total_size(), columns.to().total_size(), rows.to() == columns.to(), {}};
  for (const auto& pair : pairs) {
    PatternPair made{view_of(*Handles::state(pair.first)), view_of(*Handles::state(pair.second))};
    // Those whose matrices are assembled: what only others read is not.
    made.elements = pair.first.from().exec_size();
    made.layers = layers;
    if (layers > 1) {
      made.row_offsets = pair.first.offsets();
      made.column_offsets = pair.second.offsets();
    }
    input.pairs.push_back(made);
  }
  return input;
}

std::shared_ptr<SparsityPattern> make_pattern(MatrixSession& session, const PatternInput& input) {
  const auto kind =
      session.resolver().store() != nullptr ? MapDigests::Kind::strong : MapDigests::Kind::quick;
  const Resolver::PlanRequest request{
      pattern_canonical(input, session.plans().digests(), kind), pattern_schema,
      fmt::format("mesh sparsity, {} x {}", input.rows, input.columns)};
  EnvironmentExplanation explanation;
  const PlanPtr plan = session.resolver().resolve_plan(
      request, [&] { return build_pattern(input); },
      explains_by_environment() ? explanation.get() : nullptr);
  check_pattern(*plan, input.rows, input.columns);
  return std::make_shared<SparsityPattern>(
      SparsityPattern{resident(plan->array<std::int32_t>("rowptr")),
                      resident(plan->array<std::int32_t>("colidx"))});
}

Sparsity make_sparsity(const SessionPtr& session, MapPairs pairs, const ExtrudedSet* over,
                       std::size_t row_dim, std::size_t column_dim) {
  check_pairs(session.get(), pairs, over);
  if (row_dim == 0 || column_dim == 0)
    refuse("sparsity: blocks of {} x {}, expected 1 x 1 or more", row_dim, column_dim);
  // Kernels number the entries of a block by int.
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  if (!(CheckedSize(row_dim) * column_dim).fits(most))
    refuse("sparsity: blocks of {} x {} entries, expected at most {} of them", row_dim, column_dim,
           most);
  const std::size_t layers = over == nullptr ? 1 : over->layers() - 1;
  const auto names = names_of(pairs, layers);
  std::shared_ptr<SparsityPattern> pattern;
  MatrixSession& owner = MatrixSession::of(*session);
  auto& known = owner.sparsities;
  std::erase_if(known, [](const auto& sparsity) { return sparsity.expired(); });
  for (const auto& weak : known) {
    const auto state = weak.lock();
    if (!state || state->pairs != names) continue;
    if (state->row_dim == row_dim && state->column_dim == column_dim)
      return Handles::make<Sparsity>(state);
    pattern = state->pattern;
  }
  if (!pattern) pattern = make_pattern(owner, input_of(pairs, layers));
  const auto& [rows, columns] = pairs.front();
  auto state = session->keep(SparsityState{session, rows.to(), columns.to(), row_dim, column_dim,
                                           names, std::move(pattern), next_identity()});
  known.push_back(state);
  return Handles::make<Sparsity>(std::move(state));
}

}  // namespace

std::size_t Sparsity::rows() const { return state_->row_set.total_size(); }
std::size_t Sparsity::columns() const { return state_->column_set.total_size(); }
std::size_t Sparsity::row_dim() const { return state_->row_dim; }
std::size_t Sparsity::column_dim() const { return state_->column_dim; }
std::span<const std::int32_t> Sparsity::rowptr() const { return state_->view(state_->rowptr()); }
std::span<const std::int32_t> Sparsity::colidx() const { return state_->view(state_->colidx()); }
std::size_t Sparsity::nonzeros() const { return state_->colidx().form().elements; }

std::size_t SparsityState::interior_rows() const {
  auto& known = pattern->interior_rows;
  if (known) return *known;
  const auto starts = view(rowptr()).first(row_set.size() + 1);
  const auto columns = view(colidx()).first(static_cast<std::size_t>(starts.back()));
  const auto owned = static_cast<std::int32_t>(column_set.size());
  const auto halo = std::find_if(columns.begin(), columns.end(),
                                 [&](std::int32_t column) { return column >= owned; });
  // The row that holds it: the last one that begins there or before.
  const auto after = std::upper_bound(starts.begin(), starts.end(), halo - columns.begin());
  known =
      halo == columns.end() ? row_set.size() : static_cast<std::size_t>(after - starts.begin()) - 1;
  return *known;
}

Sparsity Mesh::sparsity(MapPairs maps, std::size_t row_dim, std::size_t column_dim) {
  return make_sparsity(not_moved(session_), maps, nullptr, row_dim, column_dim);
}

Sparsity Mesh::sparsity(const ExtrudedSet& columns, MapPairs maps, std::size_t row_dim,
                        std::size_t column_dim) {
  return make_sparsity(not_moved(session_), maps, &columns, row_dim, column_dim);
}

namespace {

using MixedPairs = std::span<const std::pair<MixedMap, MixedMap>>;

void check_parts(const char* what, std::size_t parts, std::size_t found, const char* of) {
  if (parts != found) refuse("sparsity: {} {} {}, expected {}", found, what, of, parts);
}

MixedSparsity make_mixed(const SessionPtr& session, MixedPairs pairs, const ExtrudedSet* over,
                         std::span<const std::size_t> row_dims,
                         std::span<const std::size_t> column_dims) {
  if (pairs.empty()) refuse("sparsity: no mixed maps, expected a pair or more of them");
  const std::size_t rows = pairs.front().first.size(), columns = pairs.front().second.size();
  for (const auto& [row_maps, column_maps] : pairs) {
    check_parts("parts", rows, row_maps.size(), "of a mixed map of rows");
    check_parts("parts", columns, column_maps.size(), "of a mixed map of columns");
  }
  if (!row_dims.empty()) check_parts("dims", rows, row_dims.size(), "of row parts");
  if (!column_dims.empty()) check_parts("dims", columns, column_dims.size(), "of column parts");
  std::vector<Sparsity> blocks;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      std::vector<std::pair<Map, Map>> maps;
      for (const auto& pair : pairs) maps.emplace_back(pair.first[r], pair.second[c]);
      blocks.push_back(make_sparsity(session, maps, over, row_dims.empty() ? 1 : row_dims[r],
                                     column_dims.empty() ? 1 : column_dims[c]));
    }
  return {rows, columns, std::move(blocks)};
}

}  // namespace

MixedSparsity Mesh::sparsity(MixedPairs maps, std::span<const std::size_t> row_dims,
                             std::span<const std::size_t> column_dims) {
  return make_mixed(not_moved(session_), maps, nullptr, row_dims, column_dims);
}

MixedSparsity Mesh::sparsity(const ExtrudedSet& columns, MixedPairs maps,
                             std::span<const std::size_t> row_dims,
                             std::span<const std::size_t> column_dims) {
  return make_mixed(not_moved(session_), maps, &columns, row_dims, column_dims);
}

MixedMat Mesh::mat(const std::string& name, const MixedSparsity& sparsity, ScalarType type) {
  std::vector<Mat> blocks;
  for (std::size_t r = 0; r < sparsity.row_parts(); ++r)
    for (std::size_t c = 0; c < sparsity.column_parts(); ++c)
      blocks.push_back(mat(fmt::format("{}[{}][{}]", name, r, c), sparsity.block(r, c), type));
  return {sparsity.row_parts(), sparsity.column_parts(), std::move(blocks)};
}

Mat Mesh::mat(std::string name, const Sparsity& sparsity, ScalarType type) {
  const auto& state = *Handles::state(sparsity);
  if (state.session != not_moved(session_))
    refuse("mat {}: its sparsity belongs to another Mesh", name);
  const std::size_t rows = state.row_dim, columns = state.column_dim;
  if (!(CheckedSize(sparsity.nonzeros()) * rows * columns * size_of(type)).fits())
    refuse("mat {}: {} blocks of {} x {} are more than any memory holds", name, sparsity.nonzeros(),
           rows, columns);
  Residence values({type, sparsity.nonzeros(), rows * columns, DataLayout::aos});
  return Handles::keep<Mat>(
      MatState{session_, std::move(name), sparsity, next_identity(), std::move(values)});
}

}  // namespace kiln::mesh
