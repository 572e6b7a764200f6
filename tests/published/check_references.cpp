// The table and the references themselves: small results worked out by hand, the table against the
// published files where those are at hand, and a comparison that does reject.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "published/cases.hpp"

namespace kiln::published {
namespace {

using nlohmann::json;

std::vector<float> counting(std::size_t n) {
  std::vector<float> result(n);
  std::iota(result.begin(), result.end(), 1.0F);
  return result;
}

TEST(PublishedTable, has_27_specs_of_which_18_can_be_split) {
  EXPECT_EQ(cases().size(), 27U);
  EXPECT_EQ(std::ranges::count(cases(), Split::Allowed, &Case::split), 18);
  std::set<std::string_view> names;
  for (const Case& published : cases()) names.insert(published.spec);
  EXPECT_EQ(names.size(), 27U);
}

TEST(PublishedTable, finds_a_case_by_its_file_name) {
  ASSERT_NE(find_case("mm21"), nullptr);
  EXPECT_EQ(find_case("mm21")->kernel, "mm2_kernel1");
  EXPECT_EQ(find_case("mm23"), nullptr);
}

TEST(PublishedTable, gives_every_case_one_output) {
  for (const Case& published : cases()) {
    EXPECT_EQ(std::ranges::count(published.arguments, ArgumentKind::Output, &Argument::kind), 1)
        << published.spec;
    EXPECT_EQ(published.arguments.at(published.output()).kind, ArgumentKind::Output);
  }
}

Quantity quantity_of(const std::string& expression) {
  if (expression == "dataset") return Quantity::Dataset;
  if (expression == "dataset**2") return Quantity::Squared;
  if (expression == "partition_round(dataset, size_percent)") return Quantity::Rounded;
  return Quantity::Literal;
}

void expect_argument(const Case& published, const json& argument, ArgumentKind kind,
                     const std::string& expression) {
  const auto& found = published.arguments.at(argument.at("pos").get<std::size_t>());
  SCOPED_TRACE(testing::Message() << published.spec << " argument " << argument.at("pos"));
  EXPECT_EQ(found.kind, kind);
  EXPECT_EQ(found.quantity, quantity_of(expression));
  if (found.quantity == Quantity::Literal) {
    EXPECT_EQ(found.literal, std::stod(expression));
  }
}

void expect_same(const Case& published, const json& spec) {
  EXPECT_EQ(spec.at("name"), published.kernel);
  EXPECT_EQ(spec.at("src"), published.source);
  EXPECT_EQ(spec.at("workDimension"), published.dimensions) << published.spec;
  std::size_t arguments = 0;
  const auto each = [&](const char* list, auto expect) {
    for (const json& argument : spec.value(list, json::array())) {
      ++arguments;
      expect(argument);
    }
  };
  each("inputBuffers",
       [&](const json& a) { expect_argument(published, a, ArgumentKind::Input, a.at("size")); });
  each("outputBuffers",
       [&](const json& a) { expect_argument(published, a, ArgumentKind::Output, a.at("size")); });
  each("localArguments",
       [&](const json& a) { expect_argument(published, a, ArgumentKind::Local, a.at("size")); });
  each("varArguments", [&](const json& a) {
    const auto kind = a.at("type") == "int"    ? ArgumentKind::Int
                      : a.at("type") == "uint" ? ArgumentKind::Uint
                                               : ArgumentKind::Float;
    expect_argument(published, a, kind, a.at("value"));
  });
  EXPECT_EQ(arguments, published.arguments.size()) << published.spec;
}

TEST(PublishedTable, agrees_with_the_published_files) {
  const auto folder = std::filesystem::path(KILN_SHARED_DIR) / "data" / "pyschedcl-specs";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no published spec files at " << folder;
  for (const Case& published : cases()) {
    std::ifstream stream(folder / (std::string(published.spec) + ".json"));
    ASSERT_TRUE(stream) << published.spec;
    expect_same(published, json::parse(stream));
  }
}

TEST(PublishedReferences, multiply_a_matrix_and_a_vector) {
  const std::vector<std::vector<float>> in{{1, 2, 3, 4}, {10, 1}};
  EXPECT_EQ(matrix_vector({2, 2}, in), (std::vector<double>{12, 34}));
  EXPECT_EQ(column_dots({2, 2}, in), (std::vector<double>{13, 24}));
}

TEST(PublishedReferences, multiply_two_matrices) {
  const std::vector<std::vector<float>> in{{1, 2, 3, 4}, {5, 6, 7, 8}};
  EXPECT_EQ(matrix_product({2, 2}, in), (std::vector<double>{19, 22, 43, 50}));
  EXPECT_EQ(matrix_product({2, 1}, in), (std::vector<double>{19, 22, 0, 0}));
  EXPECT_EQ(first_row_product({2, 2}, in), (std::vector<double>{19 * 32412.0, 22 * 32412.0, 0, 0}));
}

TEST(PublishedReferences, mirror_the_pair_products) {
  const std::vector<std::vector<float>> in{{1, 2, 3, 4}};
  EXPECT_EQ(covariance({2, 2}, in), (std::vector<double>{10, 14, 14, 20}));
  EXPECT_EQ(correlation({2, 2}, in), (std::vector<double>{1, 14, 14, 1}));
}

TEST(PublishedReferences, convolve_inside_the_border_only) {
  const std::vector<std::vector<float>> ones{std::vector<float>(9, 1.0F)};
  const auto result = convolution_2d({3, 3}, ones);
  // The nine weights add up to 0.5.
  EXPECT_NEAR(result[4], 0.5, 1e-12);
  EXPECT_EQ(std::ranges::count(result, 0.0), 8);
}

TEST(PublishedReferences, tell_the_convolution_s_weights_apart) {
  const std::vector<double> weight{0.2, 0.5, -0.8, -0.3, 0.6, -0.9, 0.4, 0.7, 0.1};
  for (std::size_t i = 0; i < 9; ++i) {
    std::vector<std::vector<float>> one{std::vector<float>(9, 0.0F)};
    one[0][i] = 1.0F;
    EXPECT_NEAR(convolution_2d({3, 3}, one)[4], weight[i], 1e-12) << i;
  }
}

TEST(PublishedReferences, replace_a_tiny_deviation_by_one) {
  // A column that is 5000 off its mean, beside one that is not off at all.
  const std::vector<std::vector<float>> in{{5000, 1}, {0, 1, 0, 1}};
  const auto result = column_deviations({2, 2}, in);
  EXPECT_NEAR(result[0], std::sqrt(2 * 25e6 / 3214212.01), 1e-6);
  EXPECT_EQ(result[1], 1.0);
}

TEST(PublishedReferences, centre_and_scale_what_starts_at_zero) {
  const std::vector<std::vector<float>> in{{2, 0}, {4, 1}, {}};
  const auto result = centred_and_scaled({2, 2}, in);
  EXPECT_NEAR(result[0], -0.5 / std::sqrt(3214212.01), 1e-9);
  EXPECT_EQ(result[2], result[0]);
  EXPECT_EQ(result[3], 0.0);
}

TEST(PublishedReferences, sum_by_group) {
  const std::vector<std::vector<float>> in{counting(6)};
  EXPECT_EQ(group_sums({6, 6, 2}, in), (std::vector<double>{3, 7, 11, 0, 0, 0}));
  EXPECT_EQ(paired_group_sums({6, 6, 2}, in), (std::vector<double>{10, 11, 0, 0, 0, 0}));
  EXPECT_EQ(paired_group_sums({6, 5, 6}, in), (std::vector<double>{15, 0, 0, 0, 0, 0}));
}

TEST(PublishedInputs, are_the_same_for_the_same_seed_and_lie_in_the_unit_interval) {
  const Case& published = *find_case("atax1");
  const auto a = random_inputs(published, {64, 64}, 7);
  EXPECT_EQ(a, random_inputs(published, {64, 64}, 7));
  EXPECT_NE(a, random_inputs(published, {64, 64}, 8));
  ASSERT_EQ(a.size(), 5U);
  EXPECT_EQ(a[0].size(), 4096U);
  EXPECT_EQ(a[1].size(), 64U);
  EXPECT_TRUE(a[2].empty());
  EXPECT_TRUE(std::ranges::all_of(a[0], [](float x) { return x >= 0.0F && x < 1.0F; }));
}

TEST(PublishedComparison, rejects_what_is_off_short_or_not_finite) {
  const std::vector<double> expected{1, 2};
  const auto compare = [&](std::vector<float> result, Tolerance tolerance) {
    return difference(expected, std::span<const float>(result), tolerance);
  };
  EXPECT_FALSE(compare({1, 2}, {0, 0}));
  EXPECT_FALSE(compare({1, 2.001F}, {1e-3, 0}));
  EXPECT_EQ(compare({1, 2.5F}, {1e-3, 0}), "element 1 is 2.5, expected 2");
  EXPECT_EQ(compare({1}, {1, 1}), "1 elements, expected 2");
  EXPECT_TRUE(compare({1, NAN}, {1, 1}));
  EXPECT_TRUE(compare({1, INFINITY}, {1, 1}));
}

TEST(PublishedComparison, wants_infinities_and_not_a_number_returned) {
  const std::vector<double> expected{INFINITY, NAN};
  const std::vector<float> same{INFINITY, NAN}, other{-INFINITY, NAN}, finite{INFINITY, 0};
  const Tolerance none{0, 0};
  EXPECT_FALSE(difference(expected, std::span<const float>(same), none));
  EXPECT_TRUE(difference(expected, std::span<const float>(other), none));
  EXPECT_TRUE(difference(expected, std::span<const float>(finite), none));
}

}  // namespace
}  // namespace kiln::published
