// The bodies of `kiln mesh`, and records of loops, on files that were changed at random: as
// mutations/commands_test.cpp, in a program that has what kiln-mesh has.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/os/file.hpp"
#include "base/os/process.hpp"
#include "cli/mesh_program/ranks.hpp"
#include "mesh/io/hdf5_library.hpp"
#include "mesh/io/mesh_io.hpp"
#include "mesh/io/sample_mesh.hpp"
#include "mutations/trials.hpp"
#include "test_paths.hpp"

namespace kiln::cli {
// In place of main.cpp's: one process.
Ranks* ranks() { return nullptr; }
}  // namespace kiln::cli

namespace kiln::mutations {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

// Before anything uses the library, whose end would complain of what damaged files did to it.
const bool quiet_at_exit = (mesh::hdf5::skip_cleanup_at_exit(), true);

class MeshMutations : public ::testing::Test {
 protected:
  MeshMutations() {
    for (const char* name : {"HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME",
                             "XDG_CONFIG_HOME", "XDG_DATA_HOME"})
      ::setenv(name, folder().c_str(), 1);
    ::setenv("KILN_STORE", (folder() / "store").c_str(), 1);
    ::setenv("TERM", "dumb", 1);
  }
  const fs::path& folder() const { return folder_.path(); }
  static Seed hdf5_file(const mesh::MeshFile& file) {
    return {"mesh", value_or_throw(mesh::write_hdf5(file))};
  }
  void kiln(Words words) const {
    ProcessRequest request;
    request.program = KILN_COMMAND;
    request.arguments = std::move(words);
    request.folder = folder();
    const auto result = value_or_throw(run_process(request));
    ASSERT_EQ(result.exit_code, 0) << result.errors;
  }

 private:
  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-mutations", "/dev/shm"));
};

const std::vector<Words> views{{"check"}, {"check", "--json"}, {"info"}, {"info", "--json"}};

Words view(std::uint64_t number, const std::string& file) {
  Words words = views[number % views.size()];
  words.insert(words.begin(), "mesh");
  words.push_back(file);
  return words;
}

// The HDF5 library writes beyond its buffers in some damaged files, which a later file would show.
TEST_F(MeshMutations, mesh_check_of_hdf5) {
  expect_endings({.name = "mesh-check",
                  .seeds = {hdf5_file(mesh::testing::two_squares()),
                            hdf5_file(mesh::testing::two_squares_by_row()),
                            hdf5_file(mesh::make_naca0012({5, 4}).value())},
                  .words = view,
                  .batch = 1});
}

TEST_F(MeshMutations, mesh_check_of_text) {
  expect_endings(
      {.name = "mesh-check-text", .seeds = corpus("mesh_text"), .form = Form::text, .words = view});
}

TEST_F(MeshMutations, prebuild_of_loops) {
  kiln({"mesh", "naca0012", "-I20", "-J30", "-o", "grid.h5"});
  kiln({"record", "--calls", "calls.jsonl", "--", KILN_COMMAND, "mesh", "airfoil", "-g", "grid.h5",
        "-n3"});
  const Seed calls{"calls.jsonl", value_or_throw(read_file(folder() / "calls.jsonl"))};
  expect_endings({.name = "prebuild-loops",
                  .seeds = {calls},
                  .form = Form::text,
                  .words =
                      [](std::uint64_t number, const std::string& file) {
                        Words words{"prebuild", "--from", file};
                        if (number % 8 != 0) words.push_back("--dry-run");
                        if (number % 2 != 0) words.push_back("--json");
                        return words;
                      },
                  .batch = 100,
                  .few = 60,
                  .many = 20'000});
}

}  // namespace
}  // namespace kiln::mutations
