#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>

#include "base/data/bytes.hpp"
#include "kiln/spec/file.hpp"
#include "spec/texts.hpp"

namespace kiln::spec {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <class T>
T value_of(const BoundArgument& argument) {
  EXPECT_EQ(argument.value.size(), sizeof(T));
  return load_le<T>(argument.value.data());
}

TEST(Bind, works_out_sizes_at_the_default_dataset) {
  const auto bound = bound_of(small);
  EXPECT_THAT(bound.global, ElementsAre(1024u));
  EXPECT_THAT(bound.local, ElementsAre(64u));
  EXPECT_TRUE(bound.local_is_default);
  ASSERT_EQ(bound.arguments.size(), 3u);
  EXPECT_EQ(bound.arguments[0].kind, ArgumentKind::input);
  EXPECT_EQ(bound.arguments[0].count, 1024u);
  EXPECT_EQ(bound.arguments[0].bytes, 4096u);
  EXPECT_TRUE(bound.arguments[0].sliceable);
  EXPECT_EQ(bound.arguments[1].kind, ArgumentKind::output);
  EXPECT_TRUE(bound.arguments[1].is_buffer());
  EXPECT_EQ(bound.arguments[2].kind, ArgumentKind::scalar);
  EXPECT_FALSE(bound.arguments[2].is_buffer());
  EXPECT_EQ(value_of<std::int32_t>(bound.arguments[2]), 1024);
  EXPECT_EQ(bound.symbols.at("dataset"), expr::Value(1024));
}

TEST(Bind, keeps_the_last_element_of_odd_sizes) {
  for (const int n : {1, 7, 101, 257, 999}) {
    const auto bound = bound_of(small, set("dataset", n));
    EXPECT_EQ(bound.global[0], static_cast<std::uint64_t>(n));
    EXPECT_EQ(value_of<std::int32_t>(bound.arguments[2]), n) << "partition_round(n, 100) is n";
  }
}

TEST(Bind, gives_an_offset_of_zero) {
  for (const auto* call :
       {"partition_round(257, offset_percent)", "multiple_round(257, offset_percent, [1])"}) {
    const auto bound = bound_of(with(small, "partition_round(dataset, size_percent)", call));
    EXPECT_EQ(value_of<std::int32_t>(bound.arguments[2]), 0) << call;
  }
}

TEST(Bind, knows_the_dispatchs_other_names_in_values) {
  const auto bound =
      bound_of(with(small, "partition_round(dataset, size_percent)", "exact * 1000 + total"));
  EXPECT_EQ(value_of<std::int32_t>(bound.arguments[2]), -900);
}

TEST(Bind, puts_the_arguments_in_order_and_sizes_them_by_type) {
  const auto bound = bound_of(full);
  ASSERT_EQ(bound.arguments.size(), 7u);
  for (std::uint32_t i = 0; i < 7; ++i) EXPECT_EQ(bound.arguments[i].position, i);
  EXPECT_THAT(bound.global, ElementsAre(128u, 64u));
  EXPECT_THAT(bound.local, ElementsAre(16u, 8u));
  EXPECT_FALSE(bound.local_is_default);
  EXPECT_EQ(bound.arguments[0].chunk, 128u);
  EXPECT_EQ(bound.arguments[1].count, 64u * 128 / 4);
  EXPECT_EQ(bound.arguments[1].bytes, 64u * 128 * 4);
  EXPECT_EQ(bound.arguments[2].kind, ArgumentKind::inout);
  EXPECT_EQ(bound.arguments[2].bytes, 28u);
  EXPECT_EQ(value_of<std::int32_t>(bound.arguments[3]), 64);
  EXPECT_EQ(bound.arguments[4].bytes, 8u);
  EXPECT_EQ(value_of<std::uint8_t>(bound.arguments[5]), 4) << "half_of(9) floors";
  EXPECT_EQ(bound.arguments[6].kind, ArgumentKind::local);
  EXPECT_EQ(bound.arguments[6].bytes, 16u * 16 * 8);
}

TEST(Bind, rounds_integer_division_down_as_python2_does) {
  const auto bound = bound_of(with(small, "\"[dataset]\"", "\"[dataset/3]\""));
  EXPECT_THAT(bound.global, ElementsAre(341u));
}

TEST(Bind, takes_whole_floating_point_sizes) {
  EXPECT_THAT(bound_of(with(small, "\"[dataset]\"", "\"[dataset*0.5]\"")).global,
              ElementsAre(512u));
}

TEST(Bind, gives_partition_the_files_class_or_the_callers) {
  const auto spec = spec_of(with(small, "partition_round(dataset, size_percent)", "partition"));
  EXPECT_EQ(value_of<std::int32_t>(bind(spec)->arguments[2]), 10);
  EXPECT_EQ(value_of<std::int32_t>(bind(spec, {}, {.partition = 3})->arguments[2]), 3);
  const auto without =
      spec_of(with(with(small, "\"partition\": 10,", "\"symbolicVariables\": {\"partition\": 4},"),
                   "partition_round(dataset, size_percent)", "partition"));
  EXPECT_EQ(value_of<std::int32_t>(bind(without)->arguments[2]), 4);
}

TEST(Bind, adds_the_concurrent_programs_option_only_when_asked) {
  EXPECT_THAT(bound_of(small, {}, SpecDialect::concurrent).options, ElementsAre("-cl-mad-enable"));
  EXPECT_THAT(bound_of(full).options, IsEmpty());
  EXPECT_THAT(bound_of(small, {}, SpecDialect::base).options, IsEmpty());
}

TEST(Bind, names_the_symbols_that_miss_a_value) {
  const auto text = with(with(small, "\"[dataset]\"", "\"[n1]\""),
                         "partition_round(dataset, size_percent)", "n1*m1");
  const auto bound = bind(spec_of(text));
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error().message(),
            "a.json:9: attribute 'varArguments[0].value': found the symbol 'm1' without a value, "
            "expected --set m1=… (also without a value: n1)");
}

TEST(Bind, does_not_advise_a_value_for_the_local_size_of_a_graphs_kernel) {
  const auto text = with(small, "\"[dataset]\"", "\"[localWorkSize]\"");
  EXPECT_THAT(bind(spec_of(text)).error().message(),
              HasSubstr("'localWorkSize' without a value, which kernels of graphs have "
                        "(--dialect concurrent), expected a number"));
}

TEST(Bind, refuses_buffers_that_are_too_large_together) {
  auto text = small;
  for (auto at = text.find("\"size\": \"dataset\""); at != text.npos;
       at = text.find("\"size\": \"dataset\"")) {
    text.replace(at, 17, "\"size\": \"2**37 + 1\"");
  }
  const auto bound = bind(spec_of(text));
  ASSERT_FALSE(bound);
  EXPECT_THAT(bound.error().message(), HasSubstr("more than 2^40 bytes together"));
}

TEST(Bind, refuses_hostile_work) {
  for (const auto* size :
       {"[2**41]", "[dataset**3, 2**20]", "[1e30]", "[9**99999]", "[len([1]*9999999)]",
        "['a'*99999999]", "[sum([1,2,'x'])]", "[-dataset]", "[0.5]", "[[1]]", "[]", "[1,1,1,1]"}) {
    const auto bound =
        parse_spec(with(small, "[dataset]", size), "a.json").and_then([](const Spec& spec) {
          return bind(spec);
        });
    EXPECT_FALSE(bound) << size;
  }
}

TEST(BindLocal, must_divide_the_global_size) {
  const auto spec = spec_of(with(small, "\"src\"", "\"localWorkSize\": 32, \"src\""));
  EXPECT_THAT(bind(spec)->local, ElementsAre(32u));
  const auto odd = bind(spec, set("dataset", 257));
  ASSERT_FALSE(odd);
  EXPECT_THAT(odd.error().message(),
              HasSubstr("a.json:3: attribute 'localWorkSize': found 32 work-items a group in "
                        "dimension 0, expected a divisor of the global size 257"));
}

TEST(BindLocal, is_replaced_by_the_graph_formats_symbol) {
  EXPECT_THAT(bound_of(full, set("localWorkSize", 4)).local, ElementsAre(4u, 4u));
  EXPECT_THAT(bound_of(full, set("localWorkSize", expr::List{8, 2})).local, ElementsAre(8u, 2u));
  const auto text =
      with(small, "\"src\"", "\"symbolicVariables\": {\"localWorkSize\": 16}, \"src\"");
  EXPECT_THAT(bound_of(text).local, ElementsAre(16u));
  EXPECT_FALSE(bound_of(text).local_is_default);
  EXPECT_FALSE(bind(spec_of(text), set("localWorkSize", 0)));
  EXPECT_FALSE(bind(spec_of(text), set("localWorkSize", 7)));
}

TEST(BindFunctions, are_expressions_over_symbols_and_each_other) {
  const std::string functions =
      R"~("functions": {"twice(x)": "2*once(x)", "once(x)": "x+shift", "shift_of()": 3}, "src")~";
  const auto text =
      with(with(small, "\"src\"", functions), "\"[dataset]\"", "\"[twice(dataset) + shift_of()]\"");
  EXPECT_THAT(bound_of(text, set("shift", 10)).global, ElementsAre(2u * 1034 + 3));
  EXPECT_FALSE(bind(spec_of(text))) << "shift has no value";
}

TEST(BindFunctions, may_use_a_devices_share_where_values_call_them) {
  const std::string functions = R"~("functions": {"mine(x)": "x * size_percent / 100"}, "src")~";
  const auto text = with(small, "\"src\"", functions);
  const auto bound =
      bound_of(with(text, "partition_round(dataset, size_percent)", "mine(dataset)"));
  EXPECT_EQ(value_of<std::int32_t>(bound.arguments[2]), 1024);
  EXPECT_FALSE(bind(spec_of(with(text, "\"[dataset]\"", "\"[mine(dataset)]\""))));
}

using Sizes = std::vector<std::uint64_t>;

TEST(DefaultLocalSize, is_64_or_the_largest_power_of_two_that_divides) {
  EXPECT_EQ(default_local_size({1024}), Sizes({64}));
  EXPECT_EQ(default_local_size({64}), Sizes({64}));
  EXPECT_EQ(default_local_size({200}), Sizes({8}));
  EXPECT_EQ(default_local_size({1000}), Sizes({8}));
  EXPECT_EQ(default_local_size({96}), Sizes({32}));
}

TEST(DefaultLocalSize, is_one_for_odd_sizes) {
  EXPECT_EQ(default_local_size({257}), Sizes({1}));
  EXPECT_EQ(default_local_size({225}), Sizes({1}));
  EXPECT_EQ(default_local_size({1}), Sizes({1}));
}

TEST(DefaultLocalSize, is_8_by_8_and_4_by_4_by_4) {
  EXPECT_EQ(default_local_size({256, 64}), Sizes({8, 8}));
  EXPECT_EQ(default_local_size({257, 12}), Sizes({1, 4}));
  EXPECT_EQ(default_local_size({64, 64, 64}), Sizes({4, 4, 4}));
  EXPECT_EQ(default_local_size({64, 6, 5}), Sizes({4, 2, 1}));
}

RC_GTEST_PROP(DefaultLocalSize, divides_is_a_power_of_two_and_at_most_64_items, ()) {
  const auto dimensions = *rc::gen::inRange<std::size_t>(1, 4);
  const auto global =
      *rc::gen::container<Sizes>(dimensions, rc::gen::inRange<std::uint64_t>(1, 1u << 20));
  const auto local = default_local_size(global);
  RC_ASSERT(local.size() == global.size());
  std::uint64_t items = 1;
  for (std::size_t i = 0; i < local.size(); ++i) {
    RC_ASSERT(global[i] % local[i] == 0);
    RC_ASSERT(std::has_single_bit(local[i]));
    items *= local[i];
  }
  RC_ASSERT(items <= 64);
}

}  // namespace
}  // namespace kiln::spec
