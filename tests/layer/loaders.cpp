#include <CL/cl_layer.h>
#include <dlfcn.h>

#include <cstdlib>

#include "layer/layer_process.hpp"

// What loaders ask of a layer, and programs of their loader.
namespace kiln::testing {
namespace {

constexpr cl_uint entries_here = sizeof(cl_icd_dispatch) / sizeof(void*);

/// The library, loaded as a loader does it.
class Library {
 public:
  explicit Library(const std::string& path = KILN_LAYER_LIBRARY)
      : handle_(::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL)) {}

  cl_int init(cl_uint entries, const cl_icd_dispatch* below, cl_uint* count,
              const cl_icd_dispatch** table) const {
    return function<cl_int(cl_uint, const cl_icd_dispatch*, cl_uint*, const cl_icd_dispatch**)>(
        "clInitLayer")(entries, below, count, table);
  }
  cl_int init_with_properties(cl_uint entries, const cl_icd_dispatch* below, cl_uint* count,
                              const cl_icd_dispatch** table) const {
    return function<cl_int(cl_uint, const cl_icd_dispatch*, cl_uint*, const cl_icd_dispatch**,
                           const void*)>("clInitLayerWithProperties")(entries, below, count, table,
                                                                      nullptr);
  }
  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(::dlsym(handle_, name));
  }

 private:
  void* handle_;
};

/// A loader's table whose functions are all the same, which is never called.
cl_icd_dispatch table_below() {
  cl_icd_dispatch table{};
  auto* entries = reinterpret_cast<void**>(&table);
  static int function = 0;
  for (cl_uint i = 0; i < entries_here; ++i) entries[i] = &function;
  return table;
}

TEST(Loaders, AskForTheVersionWithoutASize) {
  const Library library;
  const auto info =
      library.function<cl_int(cl_layer_info, size_t, void*, size_t*)>("clGetLayerInfo");
  cl_layer_api_version version = 0;
  EXPECT_EQ(info(CL_LAYER_API_VERSION, sizeof version, &version, nullptr), CL_SUCCESS);
  EXPECT_EQ(version, CL_LAYER_API_VERSION_100);
  EXPECT_EQ(info(CL_LAYER_API_VERSION, 1, &version, nullptr), CL_INVALID_VALUE);
  char name[16] = {};
  std::size_t size = 0;
  EXPECT_EQ(info(0x4241, sizeof name, name, &size), CL_SUCCESS);
  EXPECT_STREQ(name, "Kiln");
  EXPECT_EQ(info(0x1234, sizeof name, name, &size), CL_INVALID_VALUE);
}

TEST(Loaders, GetATableWithTheirOwnFunctionsWhereNothingIsServed) {
  const cl_icd_dispatch below = table_below();
  const cl_icd_dispatch* table = nullptr;
  cl_uint count = 0;
  const Library library;
  for (const bool is_new : {false, true}) {
    ASSERT_EQ(is_new ? library.init_with_properties(entries_here, &below, &count, &table)
                     : library.init(entries_here, &below, &count, &table),
              CL_SUCCESS);
    EXPECT_EQ(count, entries_here);
    EXPECT_EQ(table->clSetKernelArg, below.clSetKernelArg);
    EXPECT_EQ(table->clCreateBuffer, below.clCreateBuffer);
    EXPECT_NE(table->clBuildProgram, below.clBuildProgram);
  }
}

TEST(Loaders, ThatAreNewerHaveMoreEntriesThatAreLeftToThem) {
  std::vector<void*> larger(entries_here + 4, reinterpret_cast<void*>(8));
  const cl_icd_dispatch below = table_below();
  std::memcpy(larger.data(), &below, sizeof below);
  const cl_icd_dispatch* table = nullptr;
  cl_uint count = 0;
  ASSERT_EQ(Library().init(entries_here + 4, reinterpret_cast<cl_icd_dispatch*>(larger.data()),
                           &count, &table),
            CL_SUCCESS);
  EXPECT_EQ(count, entries_here);
}

TEST(Loaders, WhoseFunctionsAreAbsentGetNoneOfTheLayers) {
  cl_icd_dispatch below = table_below();
  below.clCreateProgramWithIL = nullptr;
  const cl_icd_dispatch* table = nullptr;
  cl_uint count = 0;
  ASSERT_EQ(Library().init(entries_here, &below, &count, &table), CL_SUCCESS);
  EXPECT_EQ(table->clCreateProgramWithIL, nullptr);
}

TEST(Loaders, AreRefusedWhereTheyAreTooOldOrAskForNothing) {
  const cl_icd_dispatch below = table_below();
  const cl_icd_dispatch* table = nullptr;
  cl_uint count = 0;
  const Library library;
  EXPECT_NE(library.init(20, &below, &count, &table), CL_SUCCESS);
  EXPECT_NE(library.init(entries_here, nullptr, &count, &table), CL_SUCCESS);
  EXPECT_NE(library.init(entries_here, &below, nullptr, &table), CL_SUCCESS);
  EXPECT_NE(library.init(entries_here, &below, &count, nullptr), CL_SUCCESS);
}

TEST_F(LayerTest, TheSystemsFolderNeedsAWish) {
  // A file in /etc/OpenCL/layers names the library in folders called so; others may be as well.
  const cl_icd_dispatch below = table_below();
  const auto is_taken = [&](const std::filesystem::path& path) {
    std::filesystem::create_directories(path.parent_path());
    std::filesystem::copy_file(KILN_LAYER_LIBRARY, path,
                               std::filesystem::copy_options::skip_existing);
    const cl_icd_dispatch* table = nullptr;
    cl_uint count = 0;
    return Library(path).init(entries_here, &below, &count, &table) == CL_SUCCESS;
  };
  const auto system = folder() / "kiln" / "system" / "libkiln-layer.so";
  ::unsetenv("OPENCL_LAYERS");
  ::unsetenv("KILN_LAYER");
  EXPECT_FALSE(is_taken(system));
  EXPECT_TRUE(is_taken(folder() / "system" / "libkiln-layer.so"));
  ::setenv("OPENCL_LAYERS", "/other.so:/usr/lib/libkiln-layer.so", 1);
  EXPECT_TRUE(is_taken(system)) << "it is named by hand as well";
  ::setenv("OPENCL_LAYERS", "/other.so", 1);
  EXPECT_FALSE(is_taken(system));
  ::setenv("KILN_LAYER", "on", 1);
  EXPECT_TRUE(is_taken(system));
  ::setenv("KILN_LAYER", "off", 1);
  EXPECT_FALSE(is_taken(system));
  ::unsetenv("OPENCL_LAYERS");
  ::unsetenv("KILN_LAYER");
}

class Lifetimes : public LayerTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(Lifetimes, AreAsWithout) {
  Environment alone = plain();
  alone["POCL_CACHE_DIR"] = known_programs("lifetimes");
  const auto without = run(KILN_LAYER_LIFETIMES, {GetParam()}, alone);
  ASSERT_NE(without.exit_code, 2) << without.errors;
  EXPECT_EQ(without.signal, 0);
  for (const char* state : {"cold", "warm"}) {
    empty_cache();
    const auto with = run(KILN_LAYER_LIFETIMES, {GetParam()}, layer());
    EXPECT_EQ(with.output, without.output) << state;
    EXPECT_EQ(with.exit_code, without.exit_code) << state << with.errors;
    EXPECT_EQ(with.signal, without.signal) << state;
    EXPECT_GT(count_of(report(), "\n  served\n"), 0u) << state;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Lifetimes,
                         ::testing::Values("reopen", "fork", "exit-while-building", "leak", "late",
                                           "take-back", "descriptors"));

}  // namespace
}  // namespace kiln::testing
