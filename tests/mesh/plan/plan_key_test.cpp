#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "mesh/plan/plan_source.hpp"
#include "mesh/plan/random_input.hpp"
#include "store/key/canonical.hpp"

namespace kiln::mesh {
namespace {

using Kind = MapDigests::Kind;

/// Two maps of three components on a set of six, and all that a plan can depend on.
struct Example {
  Example() { look(); }
  Example(const Example& other) : values(other.values), list(other.list), input(other.input) {
    look();
  }
  void look() {
    for (std::size_t m = 0; m < 2; ++m) input.maps[m].values = values[m];
    if (input.subset) input.subset = list;
  }
  std::array<std::vector<std::int32_t>, 2> values{
      {{0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8},
       {8, 7, 6, 5, 4, 3, 2, 1, 0, 8, 7, 6, 5, 4, 3, 2, 1, 0}}};
  std::vector<std::int32_t> list{0, 2, 4};
  PlanInput input{6,
                  0,
                  6,
                  {},
                  0,
                  0,
                  2,
                  Scheme::staged,
                  0,
                  {{{}, 3, 9, 1, 0, "a"}, {{}, 3, 9, 2, 0, "b"}},
                  {{0, {1, 0}, 8, true}, {1, {0, 1}, 16, true}},
                  {{{{1, {0, 1}, 16, true}}}}};
};

Bytes canonical(const PlanInput& input, Kind kind = Kind::strong) {
  MapDigests digests;
  return plan_canonical(input, digests, kind);
}

Example with(const std::function<void(Example&)>& change) {
  Example example;
  change(example);
  example.look();
  return example;
}

/// Everything that changes a plan, one thing at a time.
std::vector<std::pair<const char*, Example>> changed() {
  return {
      {"nothing", Example()},
      {"size", with([](Example& e) { e.input.size = 5; })},
      {"begin", with([](Example& e) { e.input.size = 5, e.input.begin = 1; })},
      {"set size", with([](Example& e) { e.input.set_size = 5, e.input.size = 5; })},
      {"block size", with([](Example& e) { e.input.block_size = 3; })},
      {"scheme", with([](Example& e) { e.input.scheme = Scheme::blocks; })},
      {"no late elements", with([](Example& e) { e.input.scheme = Scheme::permuted; })},
      {"late elements", with([](Example& e) {
         e.input.scheme = Scheme::permuted;
         e.input.first_late = 2;
       })},
      {"fewer late elements", with([](Example& e) {
         e.input.scheme = Scheme::permuted;
         e.input.first_late = 3;
       })},
      // PyOP2's key said nothing of these three.
      {"a subset", with([](Example& e) {
         e.input.subset.emplace();
         e.input.size = 3;
         e.input.subset_identity = 9;
       })},
      {"another subset of the same size", with([](Example& e) {
         e.list = {1, 3, 5};
         e.input.subset.emplace();
         e.input.size = 3;
         e.input.subset_identity = 10;
       })},
      {"bytes of an element", with([](Example& e) { e.input.pairs[0].element_bytes = 4; })},
      {"not staged", with([](Example& e) { e.input.pairs[0].staged = false; })},
      {"order of components", with([](Example& e) {
         e.input.pairs[0].components = {0, 1};
       })},
      {"another component", with([](Example& e) {
         e.input.pairs[0].components = {1, 2};
       })},
      {"an indexed value",
       with([](Example& e) { e.values[0][3] = 0, e.input.maps[0].version = 1; })},
      {"targets", with([](Example& e) { e.input.maps[0].targets = 70000; })},
      {"one map for both pairs", with([](Example& e) { e.input.pairs[1].map = 0; })},
      {"fewer pairs", with([](Example& e) { e.input.pairs.pop_back(); })},
      {"order of pairs", with([](Example& e) { std::swap(e.input.pairs[0], e.input.pairs[1]); })},
      {"no conflict", with([](Example& e) { e.input.conflicts.clear(); })},
      {"another conflict",
       with([](Example& e) { e.input.conflicts[0].through[0].components = {1}; })},
      {"two conflicts",
       with([](Example& e) { e.input.conflicts.push_back({{e.input.pairs[0]}}); })},
      {"one conflict through both",
       with([](Example& e) { e.input.conflicts[0].through.push_back(e.input.pairs[0]); })},
  };
}

TEST(PlanKey, whatever_changes_a_plan_changes_its_key) {
  for (const auto kind : {Kind::strong, Kind::quick}) {
    std::map<Bytes, const char*> seen;
    for (const auto& [name, example] : changed()) {
      const auto [entry, first] = seen.emplace(canonical(example.input, kind), name);
      EXPECT_TRUE(first) << name << " is " << entry->second;
    }
  }
}

TEST(PlanKey, whatever_changes_a_plan_changes_its_identity) {
  const auto all = changed();
  std::set<std::uint64_t> hashes;
  for (std::size_t i = 0; i < all.size(); ++i) {
    hashes.insert(identity_hash(all[i].second.input));
    for (std::size_t k = 0; k < all.size(); ++k)
      EXPECT_EQ(same_identity(all[i].second.input, all[k].second.input), i == k)
          << all[i].first << ", " << all[k].first;
  }
  EXPECT_GE(hashes.size(), all.size() - 1);  // "targets" is left to the comparison
}

TEST(PlanKey, equal_structure_over_equal_values_is_one_key_whatever_the_objects_are) {
  const Example one;
  const auto other = with([](Example& e) {
    // Other objects, another order of Maps, another name, values that no argument uses.
    std::swap(e.values[0], e.values[1]);
    std::swap(e.input.maps[0], e.input.maps[1]);
    e.input.maps[0] = {{}, 3, 9, 31, 7, "c"};
    e.input.maps[1] = {{}, 3, 9, 32, 8, "d"};
    for (auto& pair : e.input.pairs) pair.map = 1 - pair.map;
    e.input.conflicts[0].through[0].map = 0;
    e.values[0][2] = e.values[1][2] = 5;
  });
  EXPECT_EQ(canonical(one.input), canonical(other.input))
      << compare_canonical(canonical(one.input), canonical(other.input));
  EXPECT_FALSE(same_identity(one.input, other.input));
}

TEST(PlanKey, conflicts_that_others_imply_do_not_count) {
  const Example one;
  const auto other = with([](Example& e) {
    e.input.conflicts.push_back({{{1, {1}, 8, true}}});
    e.input.conflicts.push_back({{{1, {1, 0}, 8, true}}});
  });
  EXPECT_EQ(canonical(one.input), canonical(other.input));
}

TEST(PlanKey, says_in_words_what_went_in) {
  const auto text = describe_canonical(canonical(Example().input));
  for (const char* part : {"iteration size: 6", "partition size: 2", "element bytes: 16"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

RC_GTEST_PROP(PlanKey, an_identity_is_that_of_its_input_and_refers_to_no_memory, ()) {
  const auto owned = testing::random_input(testing::random_scheme());
  const auto identity = identity_of(owned->input);
  RC_ASSERT(same_identity(identity, owned->input));
  RC_ASSERT(identity_hash(identity) == identity_hash(owned->input));
  for (const auto& map : identity.maps) RC_ASSERT(map.values.data() == nullptr);
}

TEST(MapDigests, are_computed_once_a_version_and_choice_of_components) {
  MapDigests digests;
  Example example;
  const auto& map = example.input.maps[0];
  const auto all = digests.of_columns(map, {0, 1, 2}, 6, Kind::strong);
  EXPECT_EQ(digests.of_columns(map, {0, 1, 2}, 6, Kind::strong), all);
  EXPECT_EQ(digests.computed(), 1u);
  EXPECT_NE(digests.of_columns(map, {0, 1}, 6, Kind::strong), all);
  EXPECT_NE(digests.of_columns(map, {0, 1, 2}, 5, Kind::strong), all);
  EXPECT_NE(digests.of_columns(map, {0, 1, 2}, 6, Kind::quick), all);
  EXPECT_EQ(digests.computed(), 4u);
  example.input.maps[0].version = 1;
  EXPECT_EQ(digests.of_columns(map, {0, 1, 2}, 6, Kind::strong), all);  // the values are the same
  EXPECT_EQ(digests.computed(), 5u);
  digests.forget(1);
  digests.of_columns(map, {0, 1, 2}, 6, Kind::strong);
  EXPECT_EQ(digests.computed(), 6u);
}

TEST(MapDigests, ignore_entries_that_are_not_indexed) {
  Example example;
  const auto digest = [&](std::vector<std::uint32_t> components) {
    return MapDigests().of_columns(example.input.maps[0], components, 6, Kind::strong);
  };
  const auto first = digest({0, 1});
  example.values[0][5] = 0;  // component 2 of row 1
  EXPECT_EQ(digest({0, 1}), first);
  example.values[0][4] = 0;
  EXPECT_NE(digest({0, 1}), first);
}

TEST(MapDigests, the_oldest_is_forgotten_when_there_are_too_many) {
  MapDigests digests(2);
  Example example;
  const auto ask = [&](std::uint32_t component) {
    digests.of_columns(example.input.maps[0], {component}, 6, Kind::quick);
    return digests.computed();
  };
  ask(0), ask(1);
  EXPECT_EQ(ask(2), 3u);
  EXPECT_EQ(ask(1), 3u);
  EXPECT_EQ(ask(0), 4u);
}

}  // namespace
}  // namespace kiln::mesh
