#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "format/poclbin/archives.hpp"

namespace kiln::poclbin::testing {
namespace {

using ::testing::HasSubstr;

std::string merge_refusal(const Archive& first, const Archive& second) {
  const auto merged = merge(write(first), write(second));
  return merged ? "merged" : merged.error().message();
}

TEST(PoclbinMerge, files_of_both_are_in_the_union) {
  Archive first = small_archive(), second = small_archive();
  second.kernels[0].files = {{"/twice/8-1-1-goffs0-smallgrid/twice.so", as_bytes("eight")}};
  const auto merged = merge(write(first), write(second));
  ASSERT_TRUE(merged) << merged.error().message();
  first.kernels[0].files.push_back(second.kernels[0].files[0]);
  EXPECT_TRUE(*merged == write(first));
}

TEST(PoclbinMerge, merging_twice_adds_nothing) {
  const Bytes first = write(small_archive());
  Archive other = small_archive();
  other.kernels[0].files = {{"/twice/0-0-0/twice.so", as_bytes("generic")}};
  const auto once = merge(first, write(other));
  ASSERT_TRUE(once);
  EXPECT_TRUE(*merge(*once, write(other)) == *once);
}

TEST(PoclbinMerge, the_first_program_bc_wins) {
  Archive other = small_archive();
  other.root[0][0].content = as_bytes("another temporary name");
  EXPECT_TRUE(*merge(write(small_archive()), write(other)) == write(small_archive()));
}

TEST(PoclbinMerge, another_file_with_different_bytes_is_a_conflict) {
  Archive other = small_archive();
  other.kernels[0].files[0].content = as_bytes("edoc");
  EXPECT_THAT(merge_refusal(small_archive(), other),
              HasSubstr("/twice/64-1-1-goffs0-smallgrid/twice.so (4 and 4 bytes)"));
}

TEST(PoclbinMerge, every_conflict_is_named) {
  Archive first = full_archive(9), second = full_archive(9);
  second.kernels[0].files[0].content = as_bytes("edoc");
  second.kernels[0].files[1].content = as_bytes("x");
  second.root[0][1].content = as_bytes("y");
  const std::string reason = merge_refusal(first, second);
  EXPECT_EQ(reason,
            "the archives differ in /notes/of/another/driver (17 and 1 bytes), "
            "/twice/64-1-1-goffs0-smallgrid/twice.so (4 and 4 bytes), /twice/0-0-0/twice.so (0 and "
            "1 bytes)");
  for (int i = 0; i < 20; ++i) {
    static const std::string name = "/twice/0-0-0/f";
    static std::deque<std::string> paths;
    first.kernels[0].files.push_back({paths.emplace_back(name + std::to_string(i)), {}});
    second.kernels[0].files.push_back({paths.back(), as_bytes("z")});
  }
  EXPECT_THAT(merge_refusal(first, second), HasSubstr("and 15 more files"));
}

TEST(PoclbinMerge, where_the_first_is_kept_the_hash_is_new) {
  const Archive first = small_archive();
  Archive second = small_archive();
  second.kernels[0].files[0].content = as_bytes("edoc");
  second.kernels[0].files.push_back({"/twice/0-0-0/twice.so", as_bytes("generic")});
  const auto merged = merge(write(first), write(second), Conflict::keep_first);
  ASSERT_TRUE(merged) << merged.error().message();
  const Archive read = *parse(*merged);
  EXPECT_NE(read.build_hash, first.build_hash);
  EXPECT_EQ(as_text(read.kernels[0].files[0].content), "code");
  EXPECT_EQ(read.kernels[0].files.size(), 2u);
  const auto again = merge(write(first), write(first), Conflict::keep_first);
  EXPECT_TRUE(*again == write(first));  // no conflict, no new hash
}

TEST(PoclbinMerge, the_bitcode_replacement_goes_where_the_other_has_a_root_file) {
  for (const std::uint32_t version : {4u, 9u}) {
    Archive stripped = full_archive(version);
    stripped.root = {{{"/no-program.bc", as_bytes("\n")}}};
    const auto merged = merge(write(stripped), write(full_archive(version)));
    ASSERT_TRUE(merged) << merged.error().message();
    EXPECT_EQ(listing(*parse(*merged)), listing(full_archive(version))) << version;
    EXPECT_TRUE(*merge(write(stripped), write(stripped)) == write(stripped));
  }
}

TEST(PoclbinMerge, archives_of_other_programs_are_refused_with_the_field) {
  const auto with = [](const std::function<void(Archive&)>& change) {
    Archive other = full_archive(11);
    change(other);
    return merge_refusal(full_archive(11), other);
  };
  EXPECT_THAT(with([](Archive& a) { a.device_id ^= 1; }), HasSubstr("device ids differ"));
  EXPECT_THAT(with([](Archive& a) { a.flags ^= 1; }), HasSubstr("flags differ"));
  EXPECT_THAT(with([](Archive& a) { a.program_scope_bytes = 25; }), HasSubstr("program-scope"));
  EXPECT_THAT(with([](Archive& a) { a.kernels[0].arguments[0].type_size = 4; }),
              HasSubstr("kernel twice differently"));
  EXPECT_THAT(with([](Archive& a) { a.kernels[0].local_sizes[0] = 1; }),
              HasSubstr("kernel twice differently"));
  const std::string hash = build_hash(as_bytes("other"));
  EXPECT_THAT(with([&](Archive& a) { a.build_hash = hash; }), HasSubstr("build hashes differ"));
  EXPECT_THAT(merge_refusal(full_archive(9), full_archive(11)), HasSubstr("format versions"));
}

TEST(PoclbinMerge, a_kernel_that_only_the_second_has_is_appended) {
  Archive first = small_archive(), second = small_archive();
  second.kernels.push_back({.name = "none"});
  EXPECT_TRUE(*merge(write(first), write(second)) == write(second));
}

TEST(PoclbinMerge, a_program_bc_that_was_dropped_comes_back_from_the_other) {
  Archive first = full_archive(11);
  const Archive second = full_archive(11);
  first.root.erase(first.root.begin());
  const auto merged = merge(write(first), write(second));
  ASSERT_TRUE(merged) << merged.error().message();
  EXPECT_EQ(listing(*parse(*merged)), listing(second));
}

TEST(PoclbinMerge, a_union_that_cannot_be_unpacked_is_refused) {
  Archive other = small_archive();
  other.kernels[0].files = {{"/twice/64-1-1-goffs0-smallgrid", as_bytes("file")}};
  EXPECT_THAT(merge_refusal(small_archive(), other), HasSubstr("union is not sound"));
}

TEST(PoclbinMerge, a_damaged_archive_is_named) {
  const Bytes good = write(small_archive());
  Bytes bad = good;
  bad.pop_back();
  EXPECT_THAT(merge(good, bad).error().message(), HasSubstr("second program archive, byte"));
  EXPECT_THAT(merge(bad, good).error().message(), HasSubstr("first program archive, byte"));
}

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

TEST(PoclbinRewrite, without_its_last_root_file_a_version_9_archive_gets_a_replacement) {
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
