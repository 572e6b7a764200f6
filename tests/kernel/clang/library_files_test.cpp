#include "kernel/clang/library_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/os/file.hpp"
#include "kernel/clang/tree.hpp"
#include "kernel/support.hpp"

namespace kiln::clang {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

TEST(ClangLibrary, names_of_files_tell_the_release) {
  EXPECT_EQ(release_in_name("libLLVM-15.so.1", "libLLVM"), 15u);
  EXPECT_EQ(release_in_name("libLLVM-18.so.18.1", "libLLVM"), 18u);
  EXPECT_EQ(release_in_name("libLLVM.so.19.1", "libLLVM"), 19u);
  EXPECT_EQ(release_in_name("libLLVM.so.20.1+libcxx", "libLLVM"), 20u);
  EXPECT_EQ(release_in_name("libclang-18.so.18", "libclang"), 18u);
  EXPECT_EQ(release_in_name("libclang.so.21", "libclang"), 21u);
}

TEST(ClangLibrary, other_files_tell_none) {
  for (const char* name :
       {"libclang-cpp.so.18", "libclang-cpp.so.18.1", "libclang.so", "libclang", "libclang-.so",
        "libclang-18.a", "libclang.so.", "libLLVM-18.so", "libclang-99999999999.so", ""})
    EXPECT_EQ(release_in_name(name, "libclang"), 0u) << name;
}

class ClangFiles : public ::testing::Test {
 protected:
  fs::path folder(const std::string& name, const std::vector<std::string>& files) {
    const auto path = folder_.path() / name;
    fs::create_directories(path);
    for (const auto& file : files) value_or_throw(write_file(path / file, {}));
    return path;
  }
  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-clang"));
};

TEST_F(ClangFiles, of_a_loaded_llvm_come_first_then_newer_ones) {
  const auto a = folder("15", {"libclang-15.so.15", "libclang-cpp.so.15"});
  const auto b = folder("18", {"libclang-18.so.18", "libLLVM-18.so.1"});
  const auto c = folder("21", {"libclang.so.21", "readme"});
  const auto missing = folder_.path() / "none";
  EXPECT_THAT(libclang_files({a, b, missing, c}, {18}),
              ElementsAre(b / "libclang-18.so.18", c / "libclang.so.21", a / "libclang-15.so.15"));
  EXPECT_THAT(libclang_files({a, b, c}, {}),
              ElementsAre(c / "libclang.so.21", b / "libclang-18.so.18", a / "libclang-15.so.15"));
  EXPECT_THAT(libclang_files({missing}, {15}), ElementsAre());
}

TEST_F(ClangFiles, of_several_names_are_tried_once_and_earlier_folders_first) {
  const auto a = folder("a", {"libclang-18.so.18.1.8"});
  fs::create_symlink("libclang-18.so.18.1.8", a / "libclang-18.so.18");
  const auto b = folder("b", {"libclang-18.so.18"});
  const auto files = libclang_files({b, a}, {});
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0], b / "libclang-18.so.18");
  EXPECT_EQ(files[1].parent_path(), a);
  fs::create_symlink(a / "nowhere", a / "libclang-19.so.19");
  EXPECT_EQ(libclang_files({b, a}, {}).size(), 2u) << "a broken link is no library";
}

// PoCL brings its LLVM: a second one would cost memory and time.
TEST(ClangLibrary, is_that_of_the_drivers_llvm) {
  const auto device = kiln::testing::cpu_device();
  if (!device->pocl) GTEST_SKIP() << "no PoCL";
  const auto before = loaded_llvms();
  if (before.empty()) GTEST_SKIP() << "PoCL was linked with an LLVM of its own";
  Tree("kernel void f(global int* a) { a[0] = 1; }").parse({});
  EXPECT_EQ(loaded_llvms(), before);
}

}  // namespace
}  // namespace kiln::clang
