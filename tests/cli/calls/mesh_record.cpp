// Loops over meshes in a record of calls, and programs that are built from it.
#include <gmock/gmock.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/command_process.hpp"
#include "test_paths.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

class MeshRecord : public CommandTest {
 protected:
  MeshRecord() {
    set("POCL_CACHE_DIR", KILN_BINARY_DIR "/pocl-cache");
    set("KILN_STORE", shared_store());
    for (const char* name : {"two", "three", "tuned"}) (void)fresh_store(name);
    EXPECT_EQ(kiln({"mesh", "naca0012", "-I20", "-J30", "-o", "grid.h5"}).exit_code, 0);
    EXPECT_EQ(kiln({"mesh", "naca0012", "-I20", "-J30", "--aero", "-o", "fe.h5"}).exit_code, 0);
  }
  std::vector<Json> lines(std::vector<std::string> words, int code = 0) {
    const ProcessResult result = kiln(std::move(words));
    EXPECT_EQ(result.exit_code, code) << result.errors;
    errors = result.errors;
    std::istringstream text(result.output);
    std::vector<Json> all;
    for (std::string line; std::getline(text, line);) all.push_back(Json::parse(line));
    return all;
  }
  void record(std::vector<std::string> words) {
    words.insert(words.begin(), {"record", "--", KILN_COMMAND, "mesh"});
    EXPECT_EQ(kiln(std::move(words)).exit_code, 0);
  }
  std::string errors;
};

TEST_F(MeshRecord, an_application_compiles_nothing_with_what_was_built_from_its_record) {
  record({"airfoil", "-g", "grid.h5", "-n3"});
  const auto built =
      lines({"prebuild", "--from=calls.jsonl", "--store=two", "--json", "--pack=loops.kiln"});
  ASSERT_EQ(built.size(), 5u);
  for (const Json& loop : built) {
    EXPECT_EQ(loop["kind"], "loop");
    EXPECT_EQ(loop["status"], "ok") << loop["message"];
    EXPECT_EQ(loop["compiled"], 1) << loop["name"];
    EXPECT_EQ(loop["calls"], loop["name"] == "save_soln" ? 3 : 6);
    EXPECT_GT(loop["share"].get<double>(), 0.0);
  }
  EXPECT_EQ(kiln({"store", "import", "loops.kiln", "--store=three"}).exit_code, 0);
  for (const char* store : {"--store=two", "--store=three"})
    for (const Json& line :
         lines({"mesh", "airfoil", "-g", "grid.h5", "-n3", "--report", "--json", store}))
      if (line.contains("loop")) {
        EXPECT_EQ(line["program_hits"], 1) << line["loop"];
      }
}

TEST_F(MeshRecord, arithmetic_and_solvers_are_recorded_as_the_loops_that_they_are) {
  record({"aero", "-g", "fe.h5", "-n1"});
  lines({"prebuild", "--from=calls.jsonl", "--store=two", "--json"});
  for (const Json& line :
       lines({"mesh", "aero", "-g", "fe.h5", "-n1", "--report", "--json", "--store=two"}))
    if (line.contains("loop")) {
      EXPECT_EQ(line["program_hits"], 1) << line["loop"];
    }
}

TEST_F(MeshRecord, without_kiln_mesh_loops_alone_are_not_built) {
  record({"reduction", "-g", "grid.h5"});
  set("KILN_MESH_PROGRAM", (folder() / "none").string());
  const auto built = lines({"prebuild", "--from=calls.jsonl", "--store=two", "--json"}, 2);
  ASSERT_EQ(built.size(), 2u);
  EXPECT_EQ(built[0]["status"], "failed");
  EXPECT_THAT(errors, HasSubstr("kiln-mesh"));
  EXPECT_EQ(lines({"prebuild", "--from=calls.jsonl", "--dry-run", "--json"}).size(), 2u);
  const auto table = kiln({"prebuild", "--from=calls.jsonl", "--dry-run"});
  EXPECT_THAT(table.output, HasSubstr("elements=3530"));
}

TEST_F(MeshRecord, applications_tune_their_loops) {
  const auto tuned = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "mesh");
    words.insert(words.end(), {"--tune=0.1", "--store=tuned", "--json"});
    std::size_t count = 0;
    for (const Json& line : lines(words)) {
      if (!line.contains("tuned")) continue;
      ++count;
      EXPECT_GE(line["evaluated"], 1) << line;
      EXPECT_TRUE(line["skipped"].empty()) << line;
    }
    return count;
  };
  EXPECT_EQ(tuned({"jac1"}), 2u);
  EXPECT_EQ(tuned({"reduction", "-g", "grid.h5"}), 2u);
  if (std::getenv("KILN_LONG") == nullptr) return;  // those of many loops take a minute
  EXPECT_EQ(tuned({"airfoil", "-g", "grid.h5", "-n2"}), 5u);
  EXPECT_GE(tuned({"aero", "-g", "fe.h5", "-n2"}), 5u);
  EXPECT_EQ(tuned({"jac2"}), 2u);
}

}  // namespace
}  // namespace kiln::testing
