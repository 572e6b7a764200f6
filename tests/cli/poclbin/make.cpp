#include <fmt/format.h>

#include "cli/poclbin/support.hpp"

namespace {

using kiln::as_bytes;
using kiln::as_text;
using kiln::testing::expect_refusal;
using ::testing::HasSubstr;

class PoclbinMake : public kiln::testing::PoclbinTest {
 protected:
  PoclbinMake() {
    write_archive("a.poclbin", archive());
    write_wiki("w.poclbin", wiki_archive());
  }

  /// An archive of the same program with one variant of that content.
  void write_variant(const std::string& name, std::string_view path, std::string_view content) {
    auto made = archive();
    made.kernels[0].files = {{path, as_bytes(content)}};
    write_archive(name, made);
  }
};

TEST_F(PoclbinMake, merge_writes_the_union_of_many) {
  write_variant("b.poclbin", "/twice/8-1-1/twice.so", "eight");
  write_variant("c.poclbin", "/twice/4-1-1/twice.so", "four");
  const auto result =
      kiln({"poclbin", "merge", "a.poclbin", "b.poclbin", "c.poclbin", "-o", "all.poclbin"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const auto merged = parsed("all.poclbin");
  EXPECT_EQ(merged.kernels[0].files.size(), 4u);
  EXPECT_EQ(merged.build_hash, hash);
}

TEST_F(PoclbinMake, merge_refuses_conflicts_and_names_them) {
  write_variant("b.poclbin", "/twice/0-0-0/twice.so", "other");
  expect_refusal(kiln({"poclbin", "merge", "a.poclbin", "b.poclbin", "-o", "all.poclbin"}), 1,
                 "a.poclbin and b.poclbin: the archives differ in /twice/0-0-0/twice.so (");
  EXPECT_FALSE(std::filesystem::exists(folder() / "all.poclbin"));
  auto other = archive();
  other.device_id = 1;
  write_archive("d.poclbin", other);
  expect_refusal(kiln({"poclbin", "merge", "a.poclbin", "d.poclbin", "-o", "all.poclbin"}), 1,
                 "their device ids differ");
}

TEST_F(PoclbinMake, merge_keeps_the_first_where_it_is_told_to) {
  write_variant("b.poclbin", "/twice/0-0-0/twice.so", "other");
  write_variant("c.poclbin", "/twice/4-1-1/twice.so", "four");
  ASSERT_EQ(kiln({"poclbin", "merge", "--keep-first", "a.poclbin", "b.poclbin", "c.poclbin", "-o",
                  "all.poclbin"})
                .exit_code,
            0);
  const auto merged = parsed("all.poclbin");
  EXPECT_NE(merged.build_hash, hash);
  EXPECT_EQ(merged.kernels[0].files.size(), 3u);
  EXPECT_EQ(merged.kernels[0].files[1], archive().kernels[0].files[1]);
}

TEST_F(PoclbinMake, merge_of_the_wikis_layout_is_refused) {
  expect_refusal(kiln({"poclbin", "merge", "w.poclbin", "w.poclbin", "-o", "x"}), 2,
                 "w.poclbin: found the wiki's layout");
}

TEST_F(PoclbinMake, strip_drops_the_bitcode_and_says_the_price) {
  const auto result =
      kiln({"poclbin", "strip", "--program-bc", "a.poclbin", "-o", "small.poclbin"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("the price: PoCL builds no specialised variant any more"));
  const auto small = parsed("small.poclbin");
  EXPECT_EQ(small.root[0][0].path, "/no-program.bc");
  EXPECT_EQ(small.kernels, archive().kernels);
  EXPECT_NE(small.build_hash, hash);  // else PoCL might find the old program.bc in its cache
}

TEST_F(PoclbinMake, strip_without_an_output_replaces_the_archive) {
  ASSERT_EQ(kiln({"poclbin", "strip", "--program-bc", "a.poclbin"}).exit_code, 0);
  EXPECT_EQ(parsed("a.poclbin").root[0][0].path, "/no-program.bc");
  const auto again = kiln({"poclbin", "strip", "--program-bc", "a.poclbin"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.errors, HasSubstr("note: a.poclbin has no program.bc"));
  EXPECT_EQ(kiln({"poclbin", "strip", "--program-bc", "w.poclbin"}).exit_code, 0);
  EXPECT_EQ(value_or_throw(kiln::poclbin::wiki::parse(read("w.poclbin"))).files.size(), 1u);
}

TEST_F(PoclbinMake, strip_refuses_what_pocl_could_not_run) {
  expect_refusal(kiln({"poclbin", "strip", "a.poclbin"}), 2, "missing --program-bc");
  auto bare = archive();
  bare.kernels[0].files.clear();
  write_archive("bare.poclbin", bare);
  expect_refusal(kiln({"poclbin", "strip", "--program-bc", "bare.poclbin"}), 1,
                 "kernel twice has no object");
  write_variant("one.poclbin", "/twice/8-1-1/twice.so", "eight");
  EXPECT_THAT(kiln({"poclbin", "strip", "--program-bc", "one.poclbin"}).errors,
              HasSubstr("kernel twice has no generic function"));
}

TEST_F(PoclbinMake, convert_writes_every_version) {
  for (std::uint32_t version = 1; version <= 12; ++version) {
    const auto result = kiln(
        {"poclbin", "convert", "--to", std::to_string(version), "a.poclbin", "-o", "b.poclbin"});
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(parsed("b.poclbin").version, version);
    EXPECT_EQ(kiln({"poclbin", "diff", "a.poclbin", "b.poclbin"}).exit_code, 0) << version;
  }
}

TEST_F(PoclbinMake, convert_says_what_is_lost) {
  const auto result = kiln({"poclbin", "convert", "--to", "1", "a.poclbin", "-o", "b.poclbin"});
  EXPECT_THAT(result.errors, HasSubstr("kiln: lost: the file /program.bc\n"));
  EXPECT_THAT(result.errors,
              HasSubstr("kiln: note: releases of version 1 look for variants named"));
  expect_refusal(kiln({"poclbin", "convert", "--to", "13", "a.poclbin", "-o", "b"}), 2, "13");
  expect_refusal(kiln({"poclbin", "convert", "a.poclbin", "-o", "b"}), 2, "missing --to");
  expect_refusal(kiln({"poclbin", "convert", "--to", "9", "a.poclbin"}), 2, "missing --output");
}

TEST_F(PoclbinMake, convert_from_the_wikis_layout_needs_metadata) {
  expect_refusal(kiln({"poclbin", "convert", "--to", "9", "w.poclbin", "-o", "b.poclbin"}), 2,
                 "requires --metadata-from");
  EXPECT_FALSE(std::filesystem::exists(folder() / "b.poclbin"));
  const auto result = kiln({"poclbin", "convert", "--to", "9", "--metadata-from", "a.poclbin",
                            "w.poclbin", "-o", "b.poclbin"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("note: the build hash is new"));  // another program.bc
  const auto made = parsed("b.poclbin");
  EXPECT_EQ(made.kernels[0].arguments, archive().kernels[0].arguments);
  EXPECT_EQ(made.kernels[0].files[0].path, "/twice/8-1-1/twice.so");
  expect_refusal(kiln({"poclbin", "convert", "--to", "9", "--metadata-from", "w.poclbin",
                       "w.poclbin", "-o", "b.poclbin"}),
                 2, "which has no metadata");
}

TEST_F(PoclbinMake, there_and_back_through_the_wikis_layout_gives_the_same_bytes) {
  ASSERT_EQ(kiln({"poclbin", "convert", "--to", "wiki-v1", "a.poclbin", "-o", "w"}).exit_code, 0);
  ASSERT_EQ(kiln({"poclbin", "convert", "--to", "9", "--metadata-from", "a.poclbin", "w", "-o",
                  "back.poclbin"})
                .exit_code,
            0);
  EXPECT_TRUE(read("back.poclbin") == read("a.poclbin"));
}

TEST_F(PoclbinMake, what_extract_writes_create_reads_back_to_the_byte) {
  for (const char* name : {"a.poclbin", "w.poclbin"}) {
    const auto listed = kiln({"poclbin", "extract", name, "-C", "out"});
    ASSERT_EQ(listed.exit_code, 0) << listed.errors;
    EXPECT_THAT(listed.output, HasSubstr("program.bc "));
    ASSERT_EQ(kiln({"poclbin", "create", "out", "-o", "again.poclbin"}).exit_code, 0);
    EXPECT_TRUE(read("again.poclbin") == read(name)) << name;
    std::filesystem::remove_all(folder() / "out");
  }
}

TEST_F(PoclbinMake, create_is_the_same_whatever_order_files_were_made_in) {
  ASSERT_EQ(kiln({"poclbin", "extract", "-q", "a.poclbin", "-C", "one"}).exit_code, 0);
  ASSERT_EQ(kiln({"poclbin", "extract", "-q", "a.poclbin", "-C", "two"}).exit_code, 0);
  for (const char* path : {"twice/8-1-1/twice.so", "twice/4-1-1/twice.so", "twice/a"})
    write(fmt::format("one/{}", path), path);
  for (const char* path : {"twice/a", "twice/4-1-1/twice.so", "twice/8-1-1/twice.so"})
    write(fmt::format("two/{}", path), path);
  const auto first = kiln({"poclbin", "create", "one", "-o", "one.poclbin"});
  ASSERT_EQ(first.exit_code, 0) << first.errors;
  EXPECT_THAT(first.errors, HasSubstr("note: the contents are new, and so is the build hash"));
  ASSERT_EQ(kiln({"poclbin", "create", "two", "-o", "two.poclbin"}).exit_code, 0);
  EXPECT_TRUE(read("one.poclbin") == read("two.poclbin"));
  EXPECT_EQ(parsed("one.poclbin").kernels[0].files.size(), 5u);
}

TEST_F(PoclbinMake, create_leaves_out_what_was_deleted) {
  ASSERT_EQ(kiln({"poclbin", "extract", "-q", "a.poclbin", "-C", "out"}).exit_code, 0);
  std::filesystem::remove(folder() / "out/twice/0-0-0/twice.so");
  const auto result = kiln({"poclbin", "create", "out", "-o", "b.poclbin"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("/twice/0-0-0/twice.so is not in the folder"));
  EXPECT_EQ(parsed("b.poclbin").kernels[0].files.size(), 1u);
  EXPECT_NE(parsed("b.poclbin").build_hash, hash);
}

TEST_F(PoclbinMake, create_takes_the_metadata_of_another_archive) {
  write("bare/twice/0-0-0/twice.so", std::string(as_text(archive().kernels[0].files[1].content)));
  const auto result =
      kiln({"poclbin", "create", "bare", "--metadata-from", "a.poclbin", "-o", "b"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(parsed("b").kernels[0].arguments, archive().kernels[0].arguments);
  expect_refusal(kiln({"poclbin", "create", "bare", "-o", "c"}), 2, "bare/poclbin.json");
}

TEST_F(PoclbinMake, create_names_what_is_wrong_in_a_description) {
  ASSERT_EQ(kiln({"poclbin", "extract", "-q", "a.poclbin", "-C", "out"}).exit_code, 0);
  const std::string good = kiln::value_or_throw(kiln::read_text(folder() / "out/poclbin.json"));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    write("out/poclbin.json", text);
    return kiln({"poclbin", "create", "out", "-o", "b"});
  };
  expect_refusal(with("\"version\": 9", "\"version\": -9"), 2, "version: expected a number");
  expect_refusal(with("\"version\": 9", "\"version\": 4e900"), 2, "not valid JSON");
  expect_refusal(with("\"version\": 9", "\"version\": 99"), 2, "version: expected 1 to 12");
  expect_refusal(with("\"layout\": \"pocl\"", "\"layout\": \"x\""), 2, "layout: expected");
  expect_refusal(with("\"arguments\": [", "\"arguments\": [7, "), 2,
                 "kernels[0].arguments[0]: expected an object");
  expect_refusal(with("\"6eff\"", "\"6ef\""), 2, "kernels[0].arguments[1].name: expected an even");
  expect_refusal(with("\"type_size\": 8", "\"type_size\": \"8\""), 2, "type_size: expected a num");
  expect_refusal(with(std::string(hash), "../escaped"), 2, "build hash");
  expect_refusal(with("{", "[{"), 2, "not valid JSON");
}

}  // namespace
