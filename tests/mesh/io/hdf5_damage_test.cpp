// Files that are cut off or garbled: one line, no crash, no handle left open.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "mesh/io/hdf5_library.hpp"
#include "mesh/io/mesh_io.hpp"
#include "mesh/io/sample_mesh.hpp"

namespace kiln::mesh {
namespace {

using testing::two_squares;
using testing::two_squares_by_row;

/// Whether bytes are read or refused as they have to be; counts what is read.
void expect_order(const Bytes& bytes, std::size_t& read) {
  const auto mesh = read_hdf5(bytes);
  if (mesh) {
    ++read;
    ASSERT_TRUE(check(*mesh));
  } else {
    ASSERT_FALSE(mesh.error().message().empty());
    ASSERT_EQ(mesh.error().message().find('\n'), std::string::npos);
    ASSERT_EQ(mesh.error().code(), Errc::bad_input);
  }
  ASSERT_EQ(hdf5::open_objects(), 0u);
}

// Before anything uses the library, whose end would complain of what damaged files did to it.
const bool quiet_at_exit = (hdf5::skip_cleanup_at_exit(), true);

class DamagedHdf5 : public ::testing::TestWithParam<int> {
 protected:
  Bytes image() const {
    MeshFile mesh = GetParam() == 0   ? two_squares()
                    : GetParam() == 1 ? two_squares_by_row()
                                      : make_naca0012({5, 4}).value();
    mesh.constants.push_back({"gam", ScalarType::f64, 1, Bytes(8), "double"});
    return write_hdf5(mesh).value();
  }
};

TEST_P(DamagedHdf5, is_refused_wherever_it_is_cut_off) {
  const Bytes whole = image();
  std::size_t read = 0;
  for (std::size_t size = 0; size < whole.size(); size += 1 + size / 1000)
    expect_order(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)), read);
  EXPECT_EQ(read, 0u);
}

TEST_P(DamagedHdf5, is_refused_or_whole_whatever_byte_is_flipped) {
  const Bytes whole = image();
  std::size_t read = 0;
  // Every third byte where a run is not to be long, with each mask.
  const std::size_t step = std::getenv("KILN_LONG") == nullptr ? 3 : 1;
  for (std::size_t at = 0; at < whole.size(); at += step) {
    const unsigned mask = at % 2 == 0 ? 0xffu : 1u << (at / 2 % 8);
    Bytes bytes = whole;
    bytes[at] ^= static_cast<std::byte>(mask);
    ASSERT_NO_FATAL_FAILURE(expect_order(bytes, read)) << at << " ^ " << mask;
  }
  EXPECT_GT(read, 0u) << "a coordinate became another";
}

TEST_P(DamagedHdf5, is_refused_or_whole_with_many_bytes_garbled) {
  const Bytes whole = image();
  std::mt19937 random(17);
  std::size_t read = 0;
  for (int round = 0; round < 2000; ++round) {
    Bytes bytes = whole;
    for (int change = 0; change < 1 + round % 16; ++change)
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    ASSERT_NO_FATAL_FAILURE(expect_order(bytes, read)) << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, DamagedHdf5, ::testing::Values(0, 1, 2));

}  // namespace
}  // namespace kiln::mesh
