#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "format/poclbin/archives.hpp"

namespace kiln::poclbin {
namespace {

using Sizes = std::array<std::size_t, 3>;

std::string folder_for(Sizes global, Sizes local, Sizes offset = {0, 0, 0}) {
  return Variant::for_launch(global, local, offset).folder();
}

TEST(PoclbinVariant, folders_are_named_as_pocl_names_them) {
  EXPECT_EQ((Variant{.local = {64, 1, 1}}).folder(), "64-1-1-goffs0-smallgrid");
  EXPECT_EQ((Variant{.local = {8, 4, 2}, .zero_offset = false}).folder(), "8-4-2-smallgrid");
  EXPECT_EQ((Variant{.local = {1, 1, 1}, .small_grid = false}).folder(), "1-1-1-goffs0");
  EXPECT_EQ((Variant{.zero_offset = false, .small_grid = false}).folder(), "1-1-1");
}

TEST(PoclbinVariant, the_grid_is_small_below_65535_work_items_in_x_and_y) {
  EXPECT_EQ(folder_for({4096, 1, 1}, {64, 1, 1}), "64-1-1-goffs0-smallgrid");
  EXPECT_EQ(folder_for({65534, 1, 1}, {1, 1, 1}), "1-1-1-goffs0-smallgrid");
  EXPECT_EQ(folder_for({65535, 1, 1}, {1, 1, 1}), "1-1-1-goffs0");
  EXPECT_EQ(folder_for({1, 65536, 1}, {1, 64, 1}), "1-64-1-goffs0");
}

TEST(PoclbinVariant, in_z_the_square_of_the_local_size_counts_and_not_the_grid) {
  EXPECT_EQ(folder_for({1, 1, 65536}, {1, 1, 64}), "1-1-64-goffs0-smallgrid");
  EXPECT_EQ(folder_for({1, 1, 256}, {1, 1, 256}), "1-1-256-goffs0");
  EXPECT_EQ(folder_for({1, 1, 255}, {1, 1, 255}), "1-1-255-goffs0-smallgrid");
}

TEST(PoclbinVariant, any_offset_counts) {
  EXPECT_EQ(folder_for({64, 64, 1}, {8, 8, 1}, {0, 1, 0}), "8-8-1-smallgrid");
  EXPECT_EQ(folder_for({1 << 20, 1, 1}, {64, 1, 1}, {5, 0, 0}), "64-1-1");
}

TEST(PoclbinVariant, unspecified_and_absurd_local_sizes_do_no_harm) {
  EXPECT_EQ(folder_for({16, 1, 1}, {0, 0, 0}), "1-1-1-goffs0-smallgrid");
  EXPECT_EQ(Variant::for_launch({~0ull, 1, 1}, {~0ull, 1, 1}, {}).local[0], UINT32_MAX);
}

TEST(PoclbinVariant, the_generic_folder_and_other_names_are_no_variants) {
  for (const char* name :
       {"0-0-0", "", "64", "64-1", "64-1-1-", "64-1-1-smallgrid-goffs0", "064-1-1", "64-1-1-goffs1",
        "64-1-1-goffs0-goffs0", "-64-1-1", "64-1-1-1", "64-1-0", "4294967296-1-1", "+1-1-1",
        "64-1-1-goffs0-smallgrid "})
    EXPECT_FALSE(Variant::from_folder(name)) << name;
}

RC_GTEST_PROP(PoclbinVariant, a_folder_reads_back_as_its_variant, ()) {
  const auto size = rc::gen::inRange<std::uint32_t>(1, UINT32_MAX);
  const Variant variant{.local = {*size, *size, *size},
                        .zero_offset = *rc::gen::arbitrary<bool>(),
                        .small_grid = *rc::gen::arbitrary<bool>()};
  RC_ASSERT(Variant::from_folder(variant.folder()) == variant);
}

TEST(PoclbinVariant, a_kernels_variants_are_its_objects_sorted_and_once) {
  Kernel kernel{.name = "k"};
  for (const char* path :
       {"/k/8-1-1/k.so", "/k/0-0-0/k.so", "/k/4-1-1-goffs0/k.so", "/k/8-1-1/parallel.bc",
        "/k/8-1-1/other.so", "/k/16-1-1.so", "/k/2-1-1/deep/k.so"})
    kernel.files.push_back({path, {}});
  const std::vector<Variant> expected = {
      {.local = {4, 1, 1}, .small_grid = false},
      {.local = {8, 1, 1}, .zero_offset = false, .small_grid = false}};
  EXPECT_EQ(variants(kernel), expected);
}

TEST(PoclbinHash, the_device_id_is_fnv_1_of_the_device_string) {
  EXPECT_EQ(device_id("pthread-x86_64-pc-linux-gnu-skylake-avx512"), 0x02ee5be95d307b0cu);
  EXPECT_EQ(device_id(""), 0xcbf29ce484222325u);
  EXPECT_NE(device_id("cpu-x86_64-pc-linux-gnu-skylake-avx512"),
            device_id("pthread-x86_64-pc-linux-gnu-skylake-avx512"));
}

TEST(PoclbinHash, bytes_above_127_count_as_unsigned) {
  EXPECT_EQ(device_id("\xff"), (0xcbf29ce484222325u * 0x100000001b3u) ^ 0xffu);
}

TEST(PoclbinHash, a_build_hash_is_one_that_parse_accepts) {
  for (const std::string_view digest : {"", "a", "0123456789012345678901234567890123456789"}) {
    const std::string hash = build_hash(as_bytes(digest));
    EXPECT_EQ(hash.size(), 40u);
    EXPECT_EQ(hash[2], '/');
    auto archive = testing::small_archive();
    archive.build_hash = hash;
    EXPECT_EQ(testing::refusal(write(archive)), "accepted") << hash;
  }
}

TEST(PoclbinHash, equal_digests_give_equal_hashes_and_others_others) {
  EXPECT_EQ(build_hash(as_bytes("same")), build_hash(as_bytes("same")));
  std::set<std::string> hashes;
  for (int i = 0; i < 1000; ++i) hashes.insert(build_hash(bytes_of(i)));
  EXPECT_EQ(hashes.size(), 1000u);
  // A difference in the last byte of a long digest counts too.
  EXPECT_NE(build_hash(as_bytes(std::string(64, 'x'))),
            build_hash(as_bytes(std::string(63, 'x') + "y")));
}

}  // namespace
}  // namespace kiln::poclbin
