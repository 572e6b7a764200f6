// The programs and graphs of examples/graphs as they stand.
#include <gmock/gmock.h>

#include "../command_process.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;

class GraphExamples : public CommandTest {
 protected:
  GraphExamples() { set("KILN_STORE", shared_store()); }
  /// A program next to the command.
  ProcessResult example(const std::string& name, std::vector<std::string> words) const {
    return program(std::filesystem::path(KILN_COMMAND).parent_path() / name, std::move(words));
  }
};

TEST_F(GraphExamples, a_matrix_in_tiles_is_factorised) {
  const auto result = example("cholesky", {"4", halves()});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_THAT(result.output, HasSubstr("4 tiles: 20 tasks"));
  EXPECT_THAT(result.output, HasSubstr("L times its transpose is A: yes"));
  EXPECT_EQ(example("cholesky", {"x"}).exit_code, 2);
}

TEST_F(GraphExamples, a_step_over_a_mesh_is_a_graph) {
  if (!std::filesystem::exists(std::filesystem::path(KILN_COMMAND).parent_path() / "mesh_step"))
    GTEST_SKIP() << "Kiln was built without meshes";
  const auto result = example("mesh_step", {});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_THAT(result.output, HasSubstr("4 tasks a step"));
  EXPECT_THAT(result.output, HasSubstr("heat is kept"));
}

TEST_F(GraphExamples, files_give_the_results_of_one_device) {
  for (const char* name : {"transformer", "fdtd", "blocks"}) {
    const std::string file = KILN_SOURCE_DIR "/examples/graphs/" + std::string(name) + ".graph";
    const auto result =
        kiln({"graph", "run", file, "--devices", halves(), "--compare", "one-device"});
    EXPECT_EQ(result.exit_code, 0) << name << result.errors;
    EXPECT_THAT(result.output, HasSubstr("equal results")) << name;
  }
}

}  // namespace
}  // namespace kiln::testing
