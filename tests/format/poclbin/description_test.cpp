#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/poclbin/archives.hpp"
#include "kiln/formats.hpp"

namespace kiln::poclbin::testing {
namespace {

using ::testing::HasSubstr;

void drop_contents(std::vector<File>& files) {
  for (File& file : files) file.content = {};
}

TEST(PoclbinDescription, has_all_of_an_archive_but_its_contents) {
  for (const std::uint32_t version : all_versions()) {
    Archive archive = full_archive(version);
    const auto read = formats::poclbin::from_json(to_json(archive), "test");
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read->content, content_id(archive).hex());
    for (auto& files : archive.root) drop_contents(files);
    for (auto& kernel : archive.kernels) drop_contents(kernel.files);
    EXPECT_EQ(std::get<Archive>(read->model), archive) << version;
  }
}

TEST(PoclbinDescription, has_the_wikis_layout_too) {
  const wiki::Archive archive{1, "base", {{"saxpy/saxpy.so", {}}}};
  const auto read = from_json(to_json(archive), "test");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(std::get<wiki::Archive>(read->model), archive);
}

TEST(PoclbinDescription, says_where_it_is_wrong) {
  const auto message = [](std::string_view json) {
    const auto read = from_json(json, "my.json");
    return read ? "accepted" : read.error().message();
  };
  EXPECT_THAT(message("{"), HasSubstr("my.json: byte"));
  EXPECT_THAT(message("[]"), HasSubstr("an object"));
  EXPECT_THAT(message(R"({"layout": "pocl", "version": 99})"), HasSubstr("my.json, version"));
}

TEST(PoclbinStrip, drops_the_bitcode_and_changes_the_hash) {
  Archive archive = small_archive();
  ASSERT_TRUE(has_bitcode(archive));
  const auto stripped = strip(archive);
  ASSERT_TRUE(stripped) << stripped.error().message();
  EXPECT_EQ(stripped->notes.size(), 1u) << "it has no generic function";
  const auto read = parse(stripped->bytes);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_FALSE(has_bitcode(*read));
  EXPECT_NE(read->build_hash, archive.build_hash);
  archive.kernels.front().files.clear();
  EXPECT_EQ(strip(archive).error().code(), Errc::refused);
}

}  // namespace
}  // namespace kiln::poclbin::testing
