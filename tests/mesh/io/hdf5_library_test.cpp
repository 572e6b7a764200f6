#include "mesh/io/hdf5_library.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "mesh/io/op2_file.hpp"
#include "mesh/io/sample_mesh.hpp"

namespace kiln::mesh::hdf5 {
namespace {

using testing::bytes_from;
using testing::Op2File;
using testing::refusal;

/// The only dataset of a file that a test fills.
Dataset described(Op2File& out) {
  const Bytes bytes = out.bytes();
  const auto reader = value_or_throw(Reader::open(bytes));
  const auto datasets = value_or_throw(reader.datasets());
  EXPECT_EQ(datasets.size(), 1u);
  return datasets.front();
}

Bytes written(const Dataset& dataset, ByteView values) {
  auto writer = value_or_throw(Writer::create(values.size()));
  value_or_throw(writer.add(dataset, values));
  return value_or_throw(writer.finish());
}

TEST(Hdf5Library, reads_texts_of_every_kind) {
  Op2File fixed;
  fixed.ints("a", {1}, {1});
  fixed.text("a", "type", "int", 10);
  fixed.text("a", "from", "exact", 5);
  fixed.text("a", "to", "blanks   ", 9);
  fixed.variable_text("a", "set", "of any length");
  const Dataset dataset = described(fixed);
  EXPECT_EQ(dataset.type_text, "int");
  EXPECT_EQ(dataset.from, "exact");
  EXPECT_EQ(dataset.to, "blanks");
  EXPECT_EQ(dataset.set, "of any length");
}

TEST(Hdf5Library, takes_attributes_of_another_kind_for_absent) {
  Op2File out;
  out.ints("a", {1}, {1});
  out.number("a", "type", 3);
  out.text("a", "size", "large", 5);
  out.text("a", "set", std::string(5000, 'x'), 5000);
  out.variable_text("a", "dim", "2");
  const Dataset dataset = described(out);
  EXPECT_EQ(dataset.type_text, "");
  EXPECT_EQ(dataset.set, "") << "longer than any name";
  EXPECT_FALSE(dataset.size);
  EXPECT_FALSE(dataset.dim);
}

TEST(Hdf5Library, knows_numbers_of_up_to_eight_bytes) {
  const auto type = [](hid_t stored) {
    Op2File out;
    out.dataset<int>("a", {2}, {1, 2}, stored, H5T_NATIVE_INT);
    return described(out).type;
  };
  EXPECT_EQ(type(H5T_STD_U8BE), ScalarType::u8);
  EXPECT_EQ(type(H5T_STD_I16LE), ScalarType::i16);
  EXPECT_EQ(type(H5T_STD_U64BE), ScalarType::u64);
  EXPECT_EQ(type(H5T_IEEE_F32BE), ScalarType::f32);
  EXPECT_EQ(type(H5T_NATIVE_LDOUBLE), std::nullopt);
}

TEST(Hdf5Library, makes_the_groups_of_a_path) {
  const Bytes image = written({.path = "a/b/c", .extents = {2}, .type = ScalarType::f32},
                              bytes_from<float>({1, 2}));
  const auto reader = value_or_throw(Reader::open(image));
  const auto datasets = value_or_throw(reader.datasets());
  ASSERT_EQ(datasets.size(), 1u);
  EXPECT_EQ(datasets[0].path, "a/b/c");
  EXPECT_EQ(reader.values(datasets[0]).value(), bytes_from<float>({1, 2}));
}

TEST(Hdf5Library, refuses_a_name_that_stands_already) {
  auto writer = value_or_throw(Writer::create(0));
  const Dataset dataset{.path = "a", .extents = {1}, .type = ScalarType::i32};
  const Bytes value = bytes_from<std::int32_t>({1});
  ASSERT_TRUE(writer.add(dataset, value));
  const auto again = writer.add(dataset, value);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message().find("cannot write 'a' to an HDF5 file ("), 0u);
  EXPECT_EQ(again.error().code(), Errc::io);
  // It goes on all the same.
  const Bytes image = value_or_throw(writer.finish());
  EXPECT_FALSE(image.empty());
}

TEST(Hdf5Library, counts_elements_without_overflow) {
  EXPECT_EQ((Dataset{.path = "a"}).elements(), 1u);
  EXPECT_EQ((Dataset{.path = "a", .extents = {3, 4}}).elements(), 12u);
  EXPECT_EQ((Dataset{.path = "a", .extents = {1ull << 40, 1ull << 40}}).elements(),
            std::numeric_limits<std::uint64_t>::max());
}

TEST(Hdf5Library, does_not_open_what_is_not_there) {
  const Bytes image =
      written({.path = "a", .extents = {1}, .type = ScalarType::i8}, bytes_from<std::int8_t>({1}));
  const auto reader = value_or_throw(Reader::open(image));
  EXPECT_EQ(refusal(reader.values({.path = "b", .extents = {1}, .type = ScalarType::i8}))
                .find("damaged HDF5 file: cannot open 'b' ("),
            0u);
  EXPECT_EQ(refusal(reader.values({.path = "a", .extents = {1}})),
            "'a' holds no numbers of a known type");
  EXPECT_EQ(
      refusal(reader.values(
                  {.path = "a", .extents = {1ull << 40, 1ull << 40}, .type = ScalarType::f64}))
          .find("'a' claims 18446744073709551615 values, more than the file of "),
      0u);
}

TEST(Hdf5Library, opens_nothing_that_stays_open) {
  EXPECT_EQ(refusal(Reader::open({})).find("damaged HDF5 file: "), 0u);
  {
    const Bytes image = written({.path = "a", .extents = {0, 2}, .type = ScalarType::f64}, {});
    const auto reader = value_or_throw(Reader::open(image));
    EXPECT_EQ(value_or_throw(reader.datasets())[0].extents, (std::vector<std::uint64_t>{0, 2}));
  }
  EXPECT_EQ(open_objects(), 0u);
}

}  // namespace
}  // namespace kiln::mesh::hdf5
