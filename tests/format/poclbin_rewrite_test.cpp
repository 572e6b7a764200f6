#include <gtest/gtest.h>

#include "format/archives.hpp"

namespace kiln::poclbin::testing {
namespace {

bool is_bitcode(std::string_view path) { return path == "/program.bc"; }
bool is_any(std::string_view) { return true; }
bool is_generic(std::string_view path) { return path.find("/0-0-0/") != path.npos; }

TEST(PoclbinRewrite, a_new_hash_changes_nothing_else) {
  for (const std::uint32_t version : all_versions()) {
    Archive archive = full_archive(version);
    const std::string hash = build_hash(as_bytes("new"));
    const Bytes bytes = rewrite(archive, hash, nullptr);
    archive.build_hash = hash;
    EXPECT_TRUE(bytes == write(archive));
    EXPECT_EQ(refusal(bytes), "accepted");
  }
}

TEST(PoclbinRewrite, files_are_dropped_from_root_and_kernels) {
  const Archive archive = full_archive(9);
  const Bytes bytes = rewrite(archive, archive.build_hash, is_generic);
  const auto read = parse(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kernels[0].files.size(), 1u);
  EXPECT_EQ(read->root, archive.root);
}

TEST(PoclbinRewrite, without_its_last_root_file_a_version_9_archive_gets_a_stand_in) {
  const Archive archive = small_archive();
  const Bytes bytes = rewrite(archive, archive.build_hash, is_bitcode);
  const auto read = parse(bytes);
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->root.size(), 1u);
  ASSERT_EQ(read->root[0].size(), 1u);
  EXPECT_EQ(read->root[0][0].path, "/no-program.bc");
  EXPECT_EQ(read->root[0][0].content.size(), 1u);  // releases before 3.1 take no empty file
  EXPECT_EQ(read->kernels, archive.kernels);
}

TEST(PoclbinRewrite, a_version_11_archive_needs_no_root_file) {
  const Archive archive = full_archive(11);
  const Bytes bytes = rewrite(archive, archive.build_hash, is_any);
  const auto read = parse(bytes);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_TRUE(listing(*read).empty());
  EXPECT_EQ(read->kernels.size(), 2u);
}

TEST(PoclbinWithFile, a_file_is_added_to_its_kernel) {
  Archive archive = full_archive(11);
  const std::string_view path = "/none/8-1-1-goffs0/none.so";
  const Bytes bytes = with_file(archive, "none", path, as_bytes("code"));
  archive.kernels[1].files.push_back({path, as_bytes("code")});
  EXPECT_TRUE(bytes == write(archive));
}

TEST(PoclbinWithFile, content_of_an_equal_path_is_replaced) {
  Archive archive = small_archive();
  const std::string_view path = archive.kernels[0].files[0].path;
  const Bytes bytes = with_file(archive, "twice", path, as_bytes("longer code"));
  archive.kernels[0].files[0].content = as_bytes("longer code");
  EXPECT_TRUE(bytes == write(archive));
}

TEST(PoclbinWithFile, an_unknown_kernel_or_a_path_elsewhere_gives_nothing) {
  const Archive archive = small_archive();
  EXPECT_TRUE(with_file(archive, "absent", "/absent/0-0-0/absent.so", {}).empty());
  for (const char* path : {"/program2.bc", "/other/0-0-0/other.so", "/twice/../x", "twice.so", ""})
    EXPECT_TRUE(with_file(archive, "twice", path, {}).empty()) << path;
}

}  // namespace
}  // namespace kiln::poclbin::testing
