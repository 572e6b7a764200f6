// What a loop's Request, Parameters and layout depend on.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "mesh/codegen/loop_data.hpp"

namespace kiln::mesh::testing {
namespace {

using Kind = KernelParameter::Kind;
constexpr ScalarType f64_type = ScalarType::f64;

LoopShape add(std::vector<ConstShape> constants = {}) {
  return loop("// unused is a word here\nvoid add(const double *x, double *y) { *y += gam * *x; }",
              "add",
              {direct(0, 1, Access::read, f64_type),
               through(direct(1, 1, Access::inc, f64_type), 0, 0, 2, 1)},
              std::move(constants));
}

RC_GTEST_PROP(LoopRequests, hold_all_of_a_shape, ()) {
  LoopShape shape = add({{"gam", f64_type, 1, true}});
  const auto number = [] { return *rc::gen::inRange(-1, 9); };
  for (auto& a : shape.arguments) {
    a.kind = static_cast<ArgShape::Kind>(*rc::gen::inRange(0, 3));
    a.type = static_cast<ScalarType>(*rc::gen::inRange(0, 10));
    a.access = static_cast<Access>(*rc::gen::inRange(0, 6));
    a.via = static_cast<ArgShape::Via>(*rc::gen::inRange(0, 4));
    for (int* field : {&a.dim, &a.data, &a.map, &a.pair, &a.arity, &a.component, &a.index,
                       &a.column_map, &a.column_arity, &a.column_index, &a.column_dim})
      *field = number();
    a.soa = *rc::gen::arbitrary<bool>();
    a.flatten = *rc::gen::arbitrary<bool>();
  }
  shape.extents = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 9));
  shape.subset = *rc::gen::arbitrary<bool>();
  shape.extruded = *rc::gen::arbitrary<bool>();
  const LoopShape back = value_or_throw(from_facts<LoopShape>(to_facts(shape, fields), fields));
  RC_ASSERT(back.arguments == shape.arguments);
  RC_ASSERT(back.constants == shape.constants);
  RC_ASSERT(back.extents == shape.extents);
  RC_ASSERT(back.kernel == shape.kernel && back.source->text() == shape.source->text());
  RC_ASSERT(back.subset == shape.subset && back.extruded == shape.extruded);
}

TEST(LoopRequests, leave_out_constants_that_the_text_does_not_name) {
  const auto shape = with_used_constants(add({{"gam"}, {"unused"}, {"other", f64_type, 3, false}}));
  ASSERT_EQ(shape.constants.size(), 1u);
  EXPECT_EQ(shape.constants[0].name, "gam");
}

TEST(LoopRequests, refuse_shapes_that_layouts_would_not_fit) {
  auto shape = add({{"gam"}});
  EXPECT_NO_THROW(make_request(shape, {}, 0));
  shape.arguments[1].data = 2;
  EXPECT_THROW(make_request(shape, {}, 0), Error);
  EXPECT_NO_THROW(make_request(numbered_by_first_occurrence(shape), {}, 0));
  EXPECT_THROW(make_request(add({{"gam"}, {"never"}}), {}, 0), Error);
}

TEST(LoopRequests, differ_by_everything_that_the_text_depends_on) {
  const auto key = [](const LoopShape& shape) {
    std::string all;
    for (const auto& fact : make_request(shape, {}, 0).payload.facts())
      if (const auto* value = std::get_if<std::string>(&fact.value))
        all += fact.name + *value + "\n";
    return all;
  };
  const LoopShape base = add({{"gam", f64_type, 1, true}});
  std::vector<LoopShape> others(6, base);
  others[0].arguments[0].dim = 2;
  others[1].arguments[0].soa = true;
  others[2].arguments[1].access = Access::rw;
  others[3].arguments[1].component = 0;
  others[4].constants[0].type = ScalarType::f32;  // missing in an older specification
  others[5].constants[0].scalar = false;
  for (const auto& other : others) EXPECT_NE(key(base), key(other));
}

TEST(LoopLayouts, count_each_dat_map_and_global_once) {
  auto shape = loop("void f(int *a, int *b, int *c, int *g, int *h) { }", "f",
                    {through(direct(0, 1, Access::read), 0, 0, 2, 1),
                     through(direct(0, 1, Access::read), 0, 0, 2, 0),
                     through(direct(1, 1, Access::inc), 0, 1, 2, 0), global(0, 1, Access::inc),
                     global(1, 1, Access::read)});
  shape.arguments[2].soa = true;
  using List = std::vector<KernelParameter>;
  EXPECT_EQ(loop_parameters(shape, {{"FORM", 0}}), (List{{Kind::dat, 0},
                                                         {Kind::dat, 1},
                                                         {Kind::dat_stride, 1},
                                                         {Kind::global, 1},
                                                         {Kind::partials, 0},
                                                         {Kind::map, 0},
                                                         {Kind::begin},
                                                         {Kind::end},
                                                         {Kind::block_size},
                                                         {Kind::first_block},
                                                         {Kind::blkmap},
                                                         {Kind::first_partial}}));
  EXPECT_EQ(fold_parameters(shape),
            (List{{Kind::partials, 0}, {Kind::global_result, 0}, {Kind::partial_count}}));
  const auto pairs = plan_pairs(shape);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].components, (std::vector<std::uint32_t>{1, 0}));
  const auto conflicts = plan_conflicts(shape);
  ASSERT_EQ(conflicts.size(), 1u);
  EXPECT_EQ(conflicts[0].through[0].components, std::vector<std::uint32_t>{0});
}

/// Writes 16 bytes of an element's own, and reads 8.
LoopShape pair() {
  return loop("void pair(const double *x, double *y) { y[0] = y[1] = *x + 1; }", "pair",
              {direct(0, 1, Access::read, f64_type), direct(1, 2, Access::write, f64_type)});
}

TEST(LoopParameters, store_non_temporally_where_caches_would_not_keep_an_elements_own_data) {
  const LoopGenerator generator;
  const auto streams = [&](std::int64_t elements, const LoopDevice& device) {
    return generator.defaults(make_request(pair(), device, elements)).get("STREAM", 0);
  };
  LoopDevice device;
  device.cached = 2400;
  EXPECT_EQ(streams(100, device), 0);
  EXPECT_EQ(streams(101, device), 1);
  device.cpu = false;
  EXPECT_EQ(streams(101, device), 0);
}

TEST(LoopRequests, are_the_same_for_any_size_where_nothing_can_go_past_the_caches) {
  LoopDevice device;
  device.cached = 800;
  const auto facts = [&](const LoopShape& shape, std::int64_t elements) {
    std::vector<std::pair<std::string, std::variant<std::int64_t, double, std::string>>> all;
    for (const auto& fact : make_request(shape, device, elements).payload.facts())
      all.emplace_back(fact.name, fact.value);
    return all;
  };
  auto subset = pair(), soa = pair();
  subset.subset = true;
  soa.arguments[1].soa = true;
  for (const LoopShape& shape : {add({{"gam"}}), subset, soa})
    EXPECT_EQ(facts(shape, 1), facts(shape, 1 << 30));
  EXPECT_NE(facts(pair(), 1), facts(pair(), 1 << 30));
}

TEST(LoopParameters, to_be_tried_stream_only_where_something_can) {
  const auto tried = [](const LoopShape& shape) {
    for (const auto& [name, values] : space(shape, {}))
      if (name == "STREAM") return values;
    return std::vector<std::int64_t>();
  };
  EXPECT_EQ(tried(pair()), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(tried(add({{"gam"}})), std::vector<std::int64_t>{0});
}

TEST(LoopParameters, gpus_get_colours_for_many_wide_increments_and_atomics_for_few) {
  const LoopGenerator generator;
  const auto form = [&](ScalarType type, const LoopDevice& device, std::int64_t elements,
                        int read = 1) {
    const std::string name(name_of(type));
    const auto shape = loop(
        "void add(const " + name + " *x, " + name + " *y) { *y += *x; }", "add",
        {direct(0, read, Access::read, type), through(direct(1, 4, Access::inc, type), 0, 0, 2, 1)},
        {});
    const Request request = make_request(shape, device, elements);
    const Parameters parameters = generator.defaults(request);
    EXPECT_TRUE(generator.accepts(request, parameters));
    return parameters.get("FORM", -1);
  };
  constexpr std::int64_t atomic = 1, coloured = 2, many = 65536;
  LoopDevice gpu;
  gpu.cpu = false;
  for (const bool nvidia : {false, true}) {
    gpu.nvidia = nvidia;
    EXPECT_EQ(form(f64_type, gpu, many), coloured);
    EXPECT_EQ(form(f64_type, gpu, many - 1), atomic);
    EXPECT_EQ(form(ScalarType::i64, gpu, many), coloured);
    // 40 bytes for an addition: moving them takes longer.
    EXPECT_EQ(form(f64_type, gpu, many, 16), atomic);
    EXPECT_EQ(form(ScalarType::f32, gpu, 100 * many), atomic);
    EXPECT_EQ(form(ScalarType::i32, gpu, 100 * many), atomic);
    // There are no additions to less than 32 bits.
    EXPECT_EQ(form(ScalarType::i16, gpu, 10), coloured);
  }
  gpu.wide_atomics = false;
  EXPECT_EQ(form(f64_type, gpu, 10), coloured);
  EXPECT_EQ(form(ScalarType::f32, gpu, 10), atomic);
  // Nothing is added to where others add: no colours are needed.
  gpu.wide_atomics = true;
  const auto direct_loop =
      loop("void copy(const double *x, double *y) { *y += *x; }", "copy",
           {direct(0, 1, Access::read, f64_type), direct(1, 1, Access::inc, f64_type)}, {});
  EXPECT_EQ(generator.defaults(make_request(direct_loop, gpu, 100 * many)).get("FORM", -1), atomic);
  EXPECT_EQ(form(f64_type, {}, many), 0);  // a CPU
}

TEST(LoopParameters, are_guarded_against_what_the_loop_cannot_be) {
  const LoopGenerator generator;
  const Request floats = make_request(add({{"gam"}}), {}, 0);
  EXPECT_TRUE(generator.accepts(floats, generator.defaults(floats)));
  EXPECT_TRUE(generator.accepts(floats, {{"FORM", 1}, {"GROUP", 64}}));
  for (const Parameters& bad : {Parameters{{"FORM", 4}},
                                {{"FORM", -1}},
                                {{"LANES", 3}},
                                {{"GROUP", 0}},
                                {{"BLOCK", 0}},
                                {{"PTX", 2}}})
    EXPECT_FALSE(generator.accepts(floats, bad));
  LoopDevice narrow;
  narrow.cpu = narrow.wide_atomics = false;
  const Request without = make_request(add({{"gam"}}), narrow, 0);
  EXPECT_FALSE(generator.accepts(without, {{"FORM", 1}, {"GROUP", 64}}));
  EXPECT_EQ(generator.defaults(without).get("FORM", -1), 2);
  auto swapping = add({{"gam"}});
  swapping.arguments[1].access = Access::rw;
  const Request rw = make_request(swapping, {}, 0);
  EXPECT_FALSE(generator.accepts(rw, {{"FORM", 1}, {"GROUP", 64}}));
  EXPECT_FALSE(generator.accepts(rw, {{"FORM", 3}, {"GROUP", 64}}));
  EXPECT_TRUE(generator.accepts(rw, {{"FORM", 2}, {"GROUP", 64}}));
}

TEST(LoopParameters, are_so_many_lanes_by_default) {
  const auto lanes = [](ScalarType type, Access access) {
    const Request request =
        make_request(loop("", "f", {through(direct(0, 1, access, type), 0, 0, 2, 0)}), {}, 0);
    return LoopGenerator().defaults(request).get("LANES", 0);
  };
  for (const ScalarType real : {f64_type, ScalarType::f32}) {
    EXPECT_EQ(lanes(real, Access::read), 8);
    EXPECT_EQ(lanes(real, Access::inc), 8);
  }
  EXPECT_EQ(lanes(ScalarType::i32, Access::read), 1);
}

}  // namespace
}  // namespace kiln::mesh::testing
