#include <fcntl.h>
#include <sys/stat.h>

#include "kernel/apart/job.hpp"
#include "layer/layer_process.hpp"

// Whatever is wrong with the store, the helper or the machine: a program behaves as without Kiln.
namespace kiln::testing {
namespace {

namespace fs = std::filesystem;

class Faults : public LayerTest {
 protected:
  /// Some cases that build, launch, ask for binaries and fail to build; not all, for the time.
  /// Without KILN_LONG one of each kind, while a context is kept.
  static std::vector<std::string> cases() {
    if (!is_long_run())
      return {"--keep-context",        "binary_asked_twice",
              "kernel_sizes",          "compile_and_link_in_the_other_order",
              "header_with_a_warning", "compile_error"};
    return {"callback_of_the_same_text_again",
            "binary_asked_twice",
            "kernel_sizes",
            "header_with_a_warning",
            "run_matrix_product",
            "compile_and_link_in_the_other_order",
            "compile_with_embedded_headers",
            "link_with_a_missing_function"};
  }

  void expect_as_without(const Environment& environment) {
    // The driver knows the programs in the run with the layer, too: whatever is wrong is wrong
    // before it is asked to build one.
    auto alone = plain();
    alone["POCL_CACHE_DIR"] = known_programs("faults");
    static const ProcessResult without = run(KILN_LAYER_CASES, cases(), alone);
    ASSERT_EQ(without.exit_code, 0) << without.errors;
    empty_cache();
    if (!is_long_run())
      fs::copy(known_programs("faults"), folder() / "driver-cache",
               fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    const auto with = run(KILN_LAYER_CASES, cases(), environment);
    EXPECT_EQ(with.exit_code, 0) << with.errors;
    EXPECT_EQ(with.signal, 0);
    EXPECT_EQ(with.output, without.output);
    // PoCL counts its warnings there where it compiles in the process.
    EXPECT_THAT(with.errors, ::testing::Not(::testing::HasSubstr("kiln")));
  }

  /// Where the helper's work would be lost it is not asked for any.
  void expect_nothing_kept() const {
    EXPECT_GT(count_of(report(), "nothing can be kept: "), 0u) << report();
    EXPECT_EQ(count_of(report(), "\n    compile "), 0u) << report();
  }

  Environment layer_with(const std::string& variable, const std::string& value) const {
    auto environment = layer();
    environment[variable] = value;
    return environment;
  }

  /// A store with what the cases need, to be damaged: filled once, with KILN_LONG by each test.
  void fill_store() {
    if (is_long_run()) return expect_as_without(layer());
    static const TemporaryFolder filled = value_or_throw(TemporaryFolder::create("kiln-faults"));
    const fs::path kept = filled.path() / "store";
    if (!fs::exists(kept)) {
      expect_as_without(layer());
      fs::copy(store(), kept, fs::copy_options::recursive);
    } else {
      fs::copy(kept, store(), fs::copy_options::recursive);
    }
  }

  /// A program in the helper's place.
  fs::path helper(const std::string& script) const {
    const fs::path file = folder() / "helper";
    std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(file, fs::perms::owner_all);
    return file;
  }
};

TEST_F(Faults, NoStoreAtAll) { expect_as_without(layer_with("KILN_STORE", "off")); }

TEST_F(Faults, AStoreWhereThereIsAFile) {
  std::ofstream(folder() / "file") << "no folder\n";
  expect_as_without(layer_with("KILN_STORE", folder() / "file"));
  expect_nothing_kept();
}

TEST_F(Faults, AStoreOfGarbage) {
  fill_store();
  for (const auto& entry : fs::recursive_directory_iterator(store()))
    if (entry.is_regular_file()) std::ofstream(entry.path()) << "garbage\n";
  expect_as_without(layer());
}

TEST_F(Faults, AStoreThatWasCutShort) {
  fill_store();
  for (const auto& entry : fs::recursive_directory_iterator(store()))
    if (entry.is_regular_file()) fs::resize_file(entry.path(), entry.file_size() / 2);
  expect_as_without(layer());
}

TEST_F(Faults, AReadOnlyHome) {
  // Root writes everywhere, but not where there is no folder to be made.
  auto environment = layer_with("KILN_STORE", "");
  environment["HOME"] = "/proc/1/no-home";
  environment["XDG_CACHE_HOME"] = "";
  expect_as_without(environment);
}

TEST_F(Faults, AFullDisk) {
  // The device that has no room, in the place of what would be written.
  const auto full = store();
  fs::create_directories(full);
  fs::create_symlink("/dev/full", full / "store.db");
  expect_as_without(layer());
  expect_nothing_kept();
}

TEST_F(Faults, AServerOutOfReach) {
  expect_as_without(layer_with("KILN_SHARED_STORE", "redis://127.0.0.1:1"));
}

TEST_F(Faults, AHelperThatIsKilled) {
  expect_as_without(layer_with("KILN_COMPILE_HELPER", helper("kill -9 $$")));
}

TEST_F(Faults, AHelperThatDiesInTheMidst) {
  // It greets, and is gone with its first job.
  expect_as_without(layer_with("KILN_COMPILE_HELPER",
                               helper("echo '" + std::string(apart::greeting) + "'\nkill -9 $$")));
}

TEST_F(Faults, AHelperThatIsNone) {
  expect_as_without(layer_with("KILN_COMPILE_HELPER", "/bin/true"));
  expect_as_without(layer_with("KILN_COMPILE_HELPER", "/no/such/file"));
}

TEST_F(Faults, NoLibraryThatServes) {
  const fs::path alone = folder() / "libkiln-layer.so";
  fs::copy_file(KILN_LAYER_LIBRARY, alone);
  expect_as_without(layer_with("OPENCL_LAYERS", alone));
}

TEST_F(Faults, ALibraryOfAnotherInstallation) {
  const fs::path alone = folder() / "libkiln-layer.so";
  fs::copy_file(KILN_LAYER_LIBRARY, alone);
  fs::create_directories(folder() / "kiln");
  fs::copy_file(KILN_FAULT_LAYER, folder() / "kiln" / "libkiln-layer-serve.so");
  expect_as_without(layer_with("OPENCL_LAYERS", alone));
}

TEST_F(Faults, TheLayerSwitchedOff) {
  expect_as_without(layer_with("KILN_LAYER", "off"));
  EXPECT_EQ(report(), "");
}

TEST_F(Faults, OtherLayersAboveAndBelow) {
  const std::string own = KILN_LAYER_LIBRARY, other = KILN_FAULT_LAYER;
  expect_as_without(layer_with("OPENCL_LAYERS", own + ":" + other));
  EXPECT_GT(count_of(report(), "\n  served\n"), 0u);
  forget_report();
  expect_as_without(layer_with("OPENCL_LAYERS", other + ":" + own));
  EXPECT_GT(count_of(report(), "\n  served\n"), 0u);
}

}  // namespace
}  // namespace kiln::testing
