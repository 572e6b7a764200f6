#include <dlfcn.h>
#include <gtest/gtest.h>

#include "base/os/file.hpp"
#include "kernel/apart/stubs.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::testing {
namespace {

class StubObject : public ::testing::Test {
 protected:
  /// Loads the stub of a kernel as PoCL would.
  void* load(const std::string& kernel) {
    const auto path = folder_.path() / (kernel.substr(0, 100) + ".so");
    value_or_throw(write_file(path, apart::stub_object(kernel)));
    return ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-stub"));
};

// Names of many lengths, since everything after the name is aligned by it.
TEST_F(StubObject, loads_and_exports_the_entry_symbol_of_its_kernel) {
  for (const std::size_t length : {1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 64, 255, 4000}) {
    const std::string kernel(length, 'k');
    void* object = load(kernel);
    ASSERT_NE(object, nullptr) << ::dlerror();
    EXPECT_NE(::dlsym(object, ("_pocl_kernel_" + kernel + "_workgroup").c_str()), nullptr);
    EXPECT_EQ(::dlsym(object, "_pocl_kernel_another_workgroup"), nullptr);
    EXPECT_EQ(::dlclose(object), 0);
  }
}

TEST_F(StubObject, of_a_name_that_no_file_can_have_is_gone_without) {
  apart::Job job;
  apart::Stubs stubs(folder_.path(), job);
  const std::string long_name(300, 'k');
  stubs.plant({{long_name, {}, {}}, {"short", {}, {}}}, job);
  EXPECT_TRUE(stubs.is_stub("/short/0-0-0/short.so"));
  EXPECT_FALSE(stubs.is_stub("/" + long_name + "/0-0-0/" + long_name + ".so"));
}

TEST_F(StubObject, is_smaller_than_a_page_and_equal_for_equal_names) {
  EXPECT_LT(apart::stub_object("VectorAdd").size(), 1024u);
  EXPECT_EQ(apart::stub_object("f"), apart::stub_object("f"));
  EXPECT_NE(apart::stub_object("f"), apart::stub_object("g"));
}

}  // namespace
}  // namespace kiln::testing
