// Which entries a matrix has, and when two sparsities are the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <tbb/task_arena.h>

#include "base/os/file.hpp"
#include "kernel/plan_builder.hpp"
#include "kernel/resolver/resolver.hpp"
#include "mesh/matrix/pattern.hpp"
#include "mesh/matrix/reference.hpp"
#include "mesh/model/mesh_fixture.hpp"
#include "store/local/local_store.hpp"

namespace kiln::mesh::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Triangles {
  Mesh mesh{without_store()};
  Set cells = mesh.set("cells", 2), nodes = mesh.set("nodes", 5);
  std::vector<std::int32_t> corners{0, 1, 2, 2, 1, 3};
  Map map = mesh.map("corner", cells, nodes, 3, corners);
};

TEST(Sparsity, has_all_pairs_of_an_elements_targets_and_the_diagonal) {
  Triangles t;
  const Sparsity sparsity = t.mesh.sparsity(t.map, t.map);
  EXPECT_EQ(sparsity.rows(), 5u);
  EXPECT_EQ(sparsity.columns(), 5u);
  EXPECT_THAT(sparsity.rowptr(), ElementsAre(0, 3, 7, 11, 14, 15));
  EXPECT_THAT(sparsity.colidx(), ElementsAre(0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 3, 1, 2, 3, 4));
  EXPECT_EQ(sparsity.nonzeros(), 15u);
}

TEST(Sparsity, between_two_sets_has_no_diagonal) {
  Triangles t;
  const Map own = t.mesh.map("own", t.cells, t.cells, 1, std::vector<std::int32_t>{1, 0});
  const Sparsity sparsity = t.mesh.sparsity(t.map, own, 3, 2);
  EXPECT_THAT(sparsity.rowptr(), ElementsAre(0, 1, 3, 5, 6, 6));
  EXPECT_THAT(sparsity.colidx(), ElementsAre(1, 0, 1, 0, 1, 0));
  EXPECT_EQ(sparsity.row_dim(), 3u);
  EXPECT_EQ(sparsity.column_dim(), 2u);
}

TEST(Sparsity, of_equal_maps_and_blocks_is_the_same_while_one_is_held) {
  Triangles t;
  const Sparsity one = t.mesh.sparsity(t.map, t.map);
  EXPECT_EQ(t.mesh.sparsity(t.map, t.map), one);
  const std::pair<Map, Map> twice[] = {{t.map, t.map}, {t.map, t.map}};
  EXPECT_EQ(t.mesh.sparsity(twice), one);
  const Sparsity blocks = t.mesh.sparsity(t.map, t.map, 2, 2);
  EXPECT_NE(blocks, one);
  EXPECT_EQ(blocks.colidx().data(), one.colidx().data());  // the same numbers serve both
  const Map other = t.mesh.map("other", t.cells, t.nodes, 3, t.corners);
  EXPECT_NE(t.mesh.sparsity(other, other), one);
}

TEST(Sparsity, does_not_depend_on_the_order_of_its_pairs) {
  Triangles t;
  const Map edge = t.mesh.map("edge", t.cells, t.nodes, 2, std::vector<std::int32_t>{4, 0, 3, 3});
  const std::pair<Map, Map> there[] = {{t.map, t.map}, {edge, edge}};
  const std::pair<Map, Map> back[] = {{edge, edge}, {t.map, t.map}};
  EXPECT_EQ(t.mesh.sparsity(there), t.mesh.sparsity(back));
}

TEST(Sparsity, is_made_anew_where_a_map_has_changed) {
  Triangles t;
  const Sparsity before = t.mesh.sparsity(t.map, t.map);
  t.map.set_values(std::vector<std::int32_t>{0, 1, 2, 2, 1, 4});
  const Sparsity after = t.mesh.sparsity(t.map, t.map);
  EXPECT_NE(after, before);
  EXPECT_THAT(after.rowptr(), ElementsAre(0, 3, 7, 11, 12, 15));
}

TEST(Sparsity, of_maps_that_do_not_fit_is_refused_by_name) {
  Triangles t;
  Mesh stranger(without_store());
  const Map own = t.mesh.map("own", t.nodes, t.nodes, 1, std::vector<std::int32_t>{0, 1, 2, 3, 4});
  const Map cell = t.mesh.map("cell", t.cells, t.cells, 1, std::vector<std::int32_t>{0, 1});
  EXPECT_THAT(refusal([&] { t.mesh.sparsity(t.map, own); }),
              HasSubstr("map corner leads from set cells and map own from nodes"));
  const std::pair<Map, Map> rows[] = {{t.map, t.map}, {cell, t.map}};
  EXPECT_THAT(refusal([&] { t.mesh.sparsity(rows); }), HasSubstr("expected the same rows"));
  const std::pair<Map, Map> columns[] = {{t.map, t.map}, {t.map, cell}};
  EXPECT_THAT(refusal([&] { t.mesh.sparsity(columns); }), HasSubstr("expected the same columns"));
  EXPECT_THAT(refusal([&] { t.mesh.sparsity(std::span<const std::pair<Map, Map>>{}); }),
              HasSubstr("no maps"));
  EXPECT_THAT(refusal([&] { t.mesh.sparsity(t.map, t.map, 0, 1); }), HasSubstr("blocks of 0 x 1"));
  EXPECT_THAT(refusal([&] { stranger.sparsity(t.map, t.map); }), HasSubstr("another Mesh"));
  EXPECT_THAT(refusal([&] {
                const std::pair<Map, Map> pair{t.map, t.map};
                t.mesh.sparsity(t.cells.extruded(3), {&pair, 1});
              }),
              HasSubstr("map corner has no vertical offsets"));
}

TEST(Sparsity, of_columns_has_the_entries_of_every_layer) {
  Mesh mesh(without_store());
  const Set cells = mesh.set("cells", 2), nodes = mesh.set("nodes", 12);
  const std::vector<std::int32_t> up{1, 1, 1, 1};
  const Map map =
      mesh.map("corner", cells, nodes, 4, std::vector<std::int32_t>{0, 1, 4, 5, 4, 5, 8, 9}, up);
  const std::pair<Map, Map> pair{map, map};
  const Sparsity sparsity = mesh.sparsity(cells.extruded(4), {&pair, 1});
  Rows expected(12);
  add_entries(expected, map, map, 3);
  add_diagonal(expected);
  EXPECT_EQ(rows_of(sparsity), expected);
  EXPECT_NE(mesh.sparsity(cells.extruded(3), {&pair, 1}), sparsity);
  EXPECT_THAT(
      refusal([&] {
        mesh.sparsity(cells.extruded(5), {&pair, 1});
      }),
      HasSubstr("map corner: element 1, component 3 leads to 12 in the highest of 4 cells"));
}

TEST(Sparsity, of_a_distributed_set_covers_what_is_computed_redundantly) {
  Mesh mesh(without_store());
  const Set cells = mesh.set("cells", {1, 2, 3, 4}), nodes = mesh.set("nodes", 8);
  const Map map =
      mesh.map("ends", cells, nodes, 2, std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7});
  Rows expected(8);
  add_entries(expected, map, map);
  add_diagonal(expected);
  EXPECT_EQ(rows_of(mesh.sparsity(map, map)), expected);
  EXPECT_EQ(expected[6].size(), 1u);
}

TEST(Sparsity, is_kept_in_the_store_by_the_values_of_its_maps) {
  const auto folder = value_or_throw(TemporaryFolder::create());
  const auto corners = random_map(300, 3, 200, 7);
  const auto build = [&] {
    Mesh::Options options;
    options.store = folder.path();
    Mesh mesh(options);
    const Set cells = mesh.set("cells", 300), nodes = mesh.set("nodes", 200);
    const Map map = mesh.map("corner", cells, nodes, 3, corners);
    const Sparsity sparsity = mesh.sparsity(map, map);
    return std::vector<std::int32_t>(sparsity.colidx().begin(), sparsity.colidx().end());
  };
  const auto first = build();
  EXPECT_EQ(build(), first);
  const MapView view{corners, 3, 200, 1, 1, "another"};
  const PatternInput input{200, 200, true, {{view, view, 300}}};
  MapDigests digests;
  Resolver resolver(open_local_store(folder.path()));
  const auto kept = resolver.resolve_plan(
      {pattern_canonical(input, digests, MapDigests::Kind::strong), pattern_schema, "test"},
      []() -> PlanPtr { throw std::logic_error("made again"); });
  EXPECT_THAT(kept->array<std::int32_t>("colidx"), ::testing::ElementsAreArray(first));
}

RC_GTEST_PROP(SparsityProperty, is_the_union_of_its_pairs_for_any_maps_and_threads, ()) {
  const auto elements = *rc::gen::inRange<std::size_t>(0, 60);
  const auto targets = *rc::gen::inRange<std::size_t>(1, 30);
  const auto others = *rc::gen::inRange<std::size_t>(1, 30);
  const bool is_square = *rc::gen::arbitrary<bool>();
  Mesh mesh(without_store());
  const Set from = mesh.set("from", elements), rows = mesh.set("rows", targets);
  const Set columns = is_square ? rows : mesh.set("columns", others);
  std::vector<std::pair<Map, Map>> pairs;
  Rows expected(targets);
  if (is_square) add_diagonal(expected);
  const auto count = *rc::gen::inRange<std::size_t>(1, 4);
  for (std::size_t p = 0; p < count; ++p) {
    const auto arity = *rc::gen::inRange<std::size_t>(1, 5);
    const auto width = *rc::gen::inRange<std::size_t>(1, 5);
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    pairs.emplace_back(
        mesh.map("r", from, rows, arity, random_map(elements, arity, rows.size(), seed)),
        mesh.map("c", from, columns, width, random_map(elements, width, columns.size(), ~seed)));
    add_entries(expected, pairs.back().first, pairs.back().second);
  }
  tbb::task_arena arena(*rc::gen::inRange(1, 5));
  const Sparsity sparsity = arena.execute([&] { return mesh.sparsity(pairs); });
  RC_ASSERT(rows_of(sparsity) == expected);
  std::size_t entries = 0;
  for (const auto& row : expected) entries += row.size();
  RC_ASSERT(sparsity.nonzeros() == entries);  // each once
  for (std::size_t row = 0; row < targets; ++row)
    RC_ASSERT(std::is_sorted(sparsity.colidx().begin() + sparsity.rowptr()[row],
                             sparsity.colidx().begin() + sparsity.rowptr()[row + 1]));
}

TEST(Pattern, that_is_none_is_refused) {
  const auto plan = [](std::vector<std::int32_t> rowptr, std::vector<std::int32_t> colidx) {
    return kiln::testing::PlanBuilder()
        .add("rowptr", std::span<const std::int32_t>(rowptr))
        .add("colidx", std::span<const std::int32_t>(colidx))
        .build();
  };
  EXPECT_NO_THROW(check_pattern(*plan({0, 1, 2}, {0, 1}), 2, 2));
  EXPECT_THROW(check_pattern(*plan({0, 1, 2}, {0, 2}), 2, 2), Error);
  EXPECT_THROW(check_pattern(*plan({0, 1, 2}, {0, -1}), 2, 2), Error);
  EXPECT_THROW(check_pattern(*plan({0, 2, 1}, {0, 1}), 2, 2), Error);
  EXPECT_THROW(check_pattern(*plan({0, 1, 3}, {0, 1}), 2, 2), Error);
  EXPECT_THROW(check_pattern(*plan({0, 1}, {0}), 2, 2), Error);
}

}  // namespace
}  // namespace kiln::mesh::testing
