// How a tuning problem's arrays begin.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/os/file.hpp"
#include "spec/t1/t1.hpp"

namespace kiln::spec {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;

Type type_named(const char* name) { return value_or_throw(Type::parse(name)); }

template <class T>
std::vector<T> filled(const Fill& fill, const char* of, std::size_t count, std::uint64_t seed = 1) {
  std::vector<T> values(count);
  value_or_throw(fill_array(fill, type_named(of), seed, std::as_writable_bytes(std::span(values))));
  return values;
}

std::string error_of(const Fill& fill, const char* of) {
  std::vector<std::byte> memory(64);
  const auto done = fill_array(fill, type_named(of), 1, memory);
  return done ? "" : done.error().message();
}

Fill random(const expr::Value& most) {
  Fill fill;
  fill.how = Fill::How::random;
  fill.value = most;
  return fill;
}

Fill generator(const char* text) {
  Fill fill;
  fill.how = Fill::How::generator;
  fill.generator = value_or_throw(expr::Expression::parse(text, expr::Dialect::python3));
  fill.place = "p.json:7";
  return fill;
}

TEST(Fill, constants_are_everywhere) {
  Fill fill;
  fill.value = expr::Value(2.5);
  EXPECT_THAT(filled<float>(fill, "float", 3), Each(2.5f));
  EXPECT_THAT(filled<float>(fill, "float4", 8), Each(2.5f));
  EXPECT_THAT(filled<std::int16_t>(fill, "short", 3), Each(2));
  fill.value = expr::Value(300);
  fill.place = "p.json:9";
  EXPECT_THAT(error_of(fill, "char"), AllOf(HasSubstr("p.json:9"), HasSubstr("300")));
}

TEST(Fill, random_numbers_lie_below_their_bound) {
  const auto numbers = filled<float>(random(8.0), "float", 1000);
  EXPECT_THAT(numbers, Each(AllOf(Ge(0.0f), Le(8.0f))));
  EXPECT_GT(*std::max_element(numbers.begin(), numbers.end()), 4.0f);
  EXPECT_THAT(filled<double>(random(-1.0), "double", 100), Each(Le(0.0)));
  const auto whole = filled<std::int32_t>(random(5), "int", 1000);
  EXPECT_THAT(whole, Each(AllOf(Ge(0), Le(5))));
  EXPECT_EQ(*std::max_element(whole.begin(), whole.end()), 5);
  EXPECT_THAT(filled<std::uint8_t>(random(3), "uchar", 100), Each(Le(3)));
  EXPECT_THAT(filled<std::int64_t>(random(1e12), "long", 100), Each(Le(4095)));
  EXPECT_THAT(error_of(random(-5), "int"), HasSubstr("0 or more"));
}

TEST(Fill, a_seed_of_its_own_beats_the_caller_s) {
  auto fill = random(1.0);
  EXPECT_NE(filled<float>(fill, "float", 8, 1), filled<float>(fill, "float", 8, 2));
  fill.seed = 7;
  EXPECT_EQ(filled<float>(fill, "float", 8, 1), filled<float>(fill, "float", 8, 2));
}

TEST(Fill, expressions_know_the_element_s_number) {
  EXPECT_THAT(filled<float>(generator("i * 0.5 if i % 2 == 0 else -i"), "float", 4),
              ElementsAre(0, -1, 1, -3));
  EXPECT_THAT(error_of(generator("1 // (i - 2)"), "int"),
              AllOf(HasSubstr("p.json:7"), HasSubstr("element 2")));
}

TEST(Fill, files_are_taken_as_they_are_and_must_fit) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-fill"));
  Fill fill;
  fill.how = Fill::How::file;
  fill.file = folder.path() / "a.bin";
  fill.place = "p.json:3";
  EXPECT_THAT(error_of(fill, "int"), HasSubstr("a.bin"));
  const std::int32_t numbers[] = {3, 4};
  value_or_throw(write_file(fill.file, std::as_bytes(std::span(numbers))));
  EXPECT_THAT(filled<std::int32_t>(fill, "int", 2), ElementsAre(3, 4));
  EXPECT_THAT(error_of(fill, "int"), HasSubstr("found 8 bytes, expected 64"));
}

}  // namespace
}  // namespace kiln::spec
