#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "spec/texts.hpp"

namespace kiln::spec {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using PartDevice = LegacyPart::Device;

struct Run {
  Spec spec;
  BoundSpec bound;
  Expected<std::vector<LegacyPart>> parts(int partition) const {
    return legacy_parts(spec, bound, partition);
  }
};
Run run(const std::string& text, std::int64_t dataset,
        SpecDialect dialect = SpecDialect::automatic) {
  Spec spec = spec_of(text, dialect);
  auto bound = value_or_throw(bind(spec, {{}, {{"dataset", expr::Value(dataset)}}}));
  return {std::move(spec), std::move(bound)};
}

/// Rows of a matrix: 1-D over n rows, n*n elements, `break` as given; plus a vector of n.
std::string rows(const std::string& dimension, const std::string& global) {
  return R"~({"name": "k", "src": "k.cl", "workDimension": )~" + dimension +
         R"~(, "globalWorkSize": ")~" + global + R"~(",
    "inputBuffers": [{"pos": 0, "type": "float", "size": "dataset**2", "break": 1},
                     {"pos": 1, "type": "float", "size": "dataset", "break": 0}],
    "outputBuffers": [{"pos": 2, "type": "float", "size": "dataset", "break": 1}],
    "varArguments": [{"pos": 3, "type": "int", "value": "partition_round(dataset, size_percent)"},
                     {"pos": 4, "type": "int", "value": "partition_round(dataset, offset_percent)"}]})~";
}

std::int32_t scalar(const LegacyPart& part, std::size_t index) {
  return load_le<std::int32_t>(part.scalars[index].value.data());
}

TEST(Legacy, gives_the_gpu_the_first_share_and_the_cpu_the_rest) {
  const auto parts = value_or_throw(run(small, 256).parts(3));
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].device, PartDevice::gpu);
  EXPECT_THAT(parts[0].global, ElementsAre(60u));
  EXPECT_EQ(parts[0].slices[0].offset, 0u);
  EXPECT_EQ(parts[0].slices[0].count, 60u);
  EXPECT_EQ(scalar(parts[0], 0), 60);
  EXPECT_EQ(parts[1].device, PartDevice::cpu);
  EXPECT_THAT(parts[1].global, ElementsAre(196u));
  EXPECT_EQ(parts[1].slices[0].offset, 60u);
  EXPECT_EQ(parts[1].slices[0].count, 196u);
  EXPECT_EQ(scalar(parts[1], 0), 196);
  EXPECT_TRUE(parts[0].local.empty()) << "the original lets the runtime choose";
}

TEST(Legacy, gives_all_to_one_device_at_the_ends) {
  const auto cpu = value_or_throw(run(small, 256).parts(0));
  ASSERT_EQ(cpu.size(), 1u);
  EXPECT_EQ(cpu[0].device, PartDevice::cpu);
  EXPECT_THAT(cpu[0].global, ElementsAre(256u));
  const auto gpu = value_or_throw(run(small, 256).parts(10));
  ASSERT_EQ(gpu.size(), 1u);
  EXPECT_EQ(gpu[0].device, PartDevice::gpu);
  EXPECT_EQ(gpu[0].slices[1].count, 256u);
}

TEST(Legacy, loses_the_first_element_of_an_odd_size) {
  const auto parts = value_or_throw(run(small, 257).parts(10));
  EXPECT_THAT(parts[0].global, ElementsAre(256u));
  EXPECT_EQ(parts[0].slices[0].offset, 1u);
  EXPECT_EQ(parts[0].slices[0].count, 256u);
}

TEST(Legacy, overruns_an_odd_size_by_one_at_half_and_says_so) {
  const auto parts = value_or_throw(run(small, 257).parts(5));
  EXPECT_EQ(parts[1].slices[0].offset, 129u);
  EXPECT_EQ(parts[1].slices[0].count, 129u);
  EXPECT_EQ(parts[1].slices[0].host_count, 128u);
  EXPECT_EQ(parts[0].slices[0].offset, 1u);
  EXPECT_EQ(parts[0].slices[0].host_count, 129u);
}

TEST(Legacy, rounds_a_matrix_and_its_rows_separately) {
  const auto parts = value_or_throw(run(rows("1", "[dataset]"), 256).parts(3));
  EXPECT_EQ(parts[0].slices[0].count, 19650u);
  EXPECT_EQ(parts[0].slices[2].count, 60u) << "60 rows would be 15360 elements";
  EXPECT_EQ(parts[0].slices[1].offset, 0u);
  EXPECT_EQ(parts[1].slices[1].count, 256u) << "break 0 stays whole";
  EXPECT_EQ(scalar(parts[1], 0), 196);
  EXPECT_EQ(scalar(parts[1], 1), 60);
}

TEST(Legacy, rounds_matrices_of_two_dimensions_to_rows) {
  const auto parts = value_or_throw(run(rows("2", "[dataset, dataset]"), 256).parts(3));
  EXPECT_EQ(parts[0].slices[0].count, 60u * 256);
  EXPECT_THAT(parts[0].global, ElementsAre(60u, 256u));
}

TEST(Legacy, fails_as_the_original_on_wide_ranges) {
  const auto parts = run(rows("2", "[2048, 1024]"), 1024).parts(3);
  ASSERT_FALSE(parts);
  EXPECT_EQ(parts.error().code(), Errc::refused);
  EXPECT_THAT(
      parts.error().message(),
      HasSubstr("attribute 'globalWorkSize': the original fails here: a part of 0 work-items"));
}

TEST(Legacy, fails_as_the_original_on_single_elements_and_empty_parts) {
  EXPECT_THAT(run(small, 1).parts(10).error().message(), HasSubstr("gives None"));
  EXPECT_THAT(run(small, 8).parts(1).error().message(),
              HasSubstr("the original fails here: a part of 0 work-items"));
  const auto text = with(small, "\"[dataset]\"", "\"[1000]\"");
  EXPECT_THAT(run(text, 8).parts(1).error().message(),
              HasSubstr("attribute 'argument 0': the original fails here: a part of 0 elements"));
}

TEST(Legacy, rounds_to_the_files_local_size_but_not_the_scalars) {
  const auto text = with(small, "\"src\"", "\"localWorkSize\": \"[32]\", \"src\"");
  const auto parts = value_or_throw(run(text, 1024).parts(3));
  EXPECT_EQ(parts[0].global[0] % 32, 0u);
  EXPECT_EQ(parts[0].global[0],
            static_cast<std::uint64_t>(*partition_round(SpecDialect::base, 32, 30) * 32));
  EXPECT_THAT(parts[0].local, ElementsAre(32u));
  EXPECT_EQ(scalar(parts[0], 0), 300) << "no multiple is applied to values";
}

TEST(Legacy, fails_as_the_original_where_a_part_is_no_multiple_of_the_local_size) {
  const auto text = with(small, "\"src\"", "\"localWorkSize\": \"[32]\", \"src\"");
  EXPECT_THAT(run(text, 32).parts(3).error().message(),
              HasSubstr("is not a multiple of the local size 32"));
}

TEST(Legacy, tries_a_buffers_chunk_first) {
  const auto text = with(small, "{\"pos\": 0,", "{\"chunk\": \"64\", \"pos\": 0,");
  const auto parts = value_or_throw(run(text, 1024).parts(3));
  EXPECT_EQ(parts[0].slices[0].count,
            static_cast<std::uint64_t>(*partition_round(SpecDialect::base, 16, 30) * 64));
  EXPECT_EQ(parts[0].slices[1].count, 300u);
}

TEST(Legacy, uses_the_shares_own_rounding_in_values) {
  const auto r = run(small, 256);
  const auto part = value_or_throw(bind_part(
      r.spec, r.bound, {.size_percent = 20, .offset_percent = 60, .exact = 0, .total = 80}));
  EXPECT_EQ(part.global[0], 216u - 2 * 60);
  EXPECT_EQ(scalar(part, 0), 216 - 2 * 60);
  EXPECT_EQ(part.slices[0].count, 216u - 2 * 60);
}

TEST(Legacy, refuses_splits_that_the_concurrent_original_cannot_run) {
  const auto r = run(small, 257, SpecDialect::concurrent);
  for (int p = 1; p <= 9; ++p) {
    EXPECT_EQ(r.parts(p).error().code(), Errc::refused);
    EXPECT_THAT(r.parts(p).error().message(), HasSubstr("NameError"));
  }
  const auto whole = value_or_throw(r.parts(10));
  EXPECT_THAT(whole[0].global, ElementsAre(257u));
  EXPECT_EQ(whole[0].slices[0].count, 257u) << "its graph path keeps buffers whole";
  EXPECT_EQ(scalar(whole[0], 0), 256) << "its rounding still loses one";
}

TEST(Legacy, refuses_classes_that_do_not_exist) {
  EXPECT_FALSE(run(small, 256).parts(-1));
  EXPECT_FALSE(run(small, 256).parts(11));
}

}  // namespace
}  // namespace kiln::spec
