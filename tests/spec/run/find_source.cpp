#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/os/file.hpp"
#include "spec/texts.hpp"

namespace kiln::spec {
namespace fs = std::filesystem;
namespace {

using namespace testing;
using ::testing::HasSubstr;

class FindSource : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(root() / "info");
    spec = spec_of(small);
    spec.file = (root() / "info" / "add.json").string();
  }
  fs::path root() const { return folder.path(); }
  void put(const fs::path& relative) {
    fs::create_directories((root() / relative).parent_path());
    std::ofstream(root() / relative) << "kernel";
  }

  TemporaryFolder folder = value_or_throw(TemporaryFolder::create());
  Spec spec;
};

TEST_F(FindSource, looks_beside_the_spec_then_in_the_published_folders_then_where_told) {
  put("extra/add.cl");
  EXPECT_EQ(*find_source(spec, {root() / "extra"}), root() / "extra/add.cl");
  put("kernels/add.cl");
  EXPECT_EQ(*find_source(spec, {root() / "extra"}), root() / "kernels/add.cl");
  put("kernel_src/add.cl");
  EXPECT_EQ(*find_source(spec, {root() / "extra"}), root() / "kernel_src/add.cl");
  put("info/add.cl");
  EXPECT_EQ(*find_source(spec, {root() / "extra"}), root() / "info/add.cl");
}

TEST_F(FindSource, takes_paths_below_those_folders_and_absolute_ones) {
  put("kernel_src/sub/add.cl");
  spec.src = "sub/add.cl";
  EXPECT_EQ(*find_source(spec), root() / "kernel_src/sub/add.cl");
  spec.src = (root() / "kernel_src/sub/add.cl").string();
  EXPECT_EQ(*find_source(spec), spec.src);
}

TEST_F(FindSource, tells_what_is_no_regular_file_from_what_is_not_there) {
  const auto refusal = [&](const std::string& src) {
    spec.src = src;
    const auto found = find_source(spec);
    EXPECT_FALSE(found);
    return found ? Error(Errc::internal, "found") : found.error();
  };
  fs::create_directory(root() / "info/folder.cl");
  ASSERT_EQ(::mkfifo((root() / "info/fifo.cl").c_str(), 0600), 0);
  fs::create_symlink("loop.cl", root() / "info/loop.cl");
  for (const std::string name : {"folder.cl", "fifo.cl", "loop.cl"}) {
    const Error error = refusal(name);
    EXPECT_EQ(error.code(), Errc::bad_input);
    EXPECT_THAT(error.message(), HasSubstr("found " + (root() / "info" / name).string()));
    EXPECT_THAT(error.message(), HasSubstr("expected a regular file"));
  }
  EXPECT_EQ(refusal("/dev/null").code(), Errc::bad_input);
  // A link to nothing is not there; and a file of a later place is taken all the same.
  fs::create_symlink("absent", root() / "info/dangling.cl");
  EXPECT_EQ(refusal("dangling.cl").code(), Errc::not_found);
  put("kernels/folder.cl");
  spec.src = "folder.cl";
  EXPECT_EQ(*find_source(spec), root() / "kernels/folder.cl");
}

TEST_F(FindSource, lists_every_place_tried) {
  const auto found = find_source(spec, {root() / "extra"});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), Errc::not_found);
  for (const auto* place : {"info/add.cl", "kernel_src/add.cl", "kernels/add.cl", "extra/add.cl"}) {
    EXPECT_THAT(found.error().message(), HasSubstr((root() / place).string()));
  }
  EXPECT_THAT(found.error().message(), HasSubstr("--source-dir"));
}

TEST_F(FindSource, does_not_take_a_folder_for_a_file) {
  fs::create_directories(root() / "info/add.cl");
  EXPECT_FALSE(find_source(spec));
}

}  // namespace
}  // namespace kiln::spec
