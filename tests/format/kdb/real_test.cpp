#include <gtest/gtest.h>

#include <filesystem>

#include "base/os/process.hpp"
#include "format/kdb/samples.hpp"
#include "test_paths.hpp"

// Files that clBLAS itself wrote.
namespace kiln::kdb::testing {
namespace {

class KdbReal : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::filesystem::path folder = KILN_SHARED_DIR "/data/kdb";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is absent";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".gz") continue;
      ProcessRequest request;
      request.program = "/bin/gzip";
      request.arguments = {"-dc", entry.path().string()};
      texts_.push_back(value_or_throw(run_process(request)).output);
    }
    ASSERT_FALSE(texts_.empty());
  }
  std::vector<std::string> texts_;
};

TEST_F(KdbReal, every_file_is_rewritten_byte_for_byte) {
  for (const std::string& text : texts_) {
    const auto database = parse(as_bytes(text));
    ASSERT_TRUE(database) << database.error().message();
    EXPECT_EQ(database->layout, Layout::v3);
    EXPECT_TRUE(as_text(bytes_of(*database)) == text);
  }
}

TEST_F(KdbReal, every_file_passes_verification) {
  for (const std::string& text : texts_)
    for (const Finding& finding : verify(*parse(as_bytes(text))))
      ADD_FAILURE() << finding.rule << ": " << finding.text;
}

TEST_F(KdbReal, every_file_comes_back_from_json_and_from_version_1) {
  for (const std::string& text : texts_) {
    const auto database = parse(as_bytes(text));
    ASSERT_TRUE(database);
    const auto read = from_json(to_json(*database));
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_TRUE(as_text(bytes_of(*read)) == text);
    for (const Layout layout : {Layout::v1, Layout::v1_wide}) {
      const auto published = convert(*database, layout);
      ASSERT_TRUE(published);
      const Bytes written = bytes_of(published->database);
      const auto again = parse(written);
      ASSERT_TRUE(again) << again.error().message();
      ASSERT_EQ(again->layout, layout);
      const auto back = convert(*again, Layout::v3);
      ASSERT_TRUE(back);
      EXPECT_TRUE(as_text(bytes_of(complete(back->database).database)) == text);
    }
  }
}

TEST_F(KdbReal, the_untuned_one_is_what_the_catalogue_makes) {
  const Bytes made = bytes_of(complete({}).database);
  EXPECT_EQ(made.size(), 1'784'652u);
  bool found = false;
  for (const std::string& text : texts_) found |= as_text(made) == text;
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace kiln::kdb::testing
