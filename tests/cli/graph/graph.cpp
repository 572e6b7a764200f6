// `kiln graph`: the commands as a user runs them.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "../command_process.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class GraphCommand : public CommandTest {
 protected:
  GraphCommand() {
    set("KILN_STORE", shared_store());
    write("specs/scale.json", R"({"name": "scale", "src": "kernels.cl", "workDimension": 1,
      "globalWorkSize": "[n]", "localWorkSize": "[16]", "partition": 10,
      "inputBuffers": [{"pos": 0, "type": "float", "size": "n", "break": 0}],
      "outputBuffers": [{"pos": 1, "type": "float", "size": "n", "break": 0}],
      "ioBuffers": [], "varArguments": [{"pos": 2, "type": "float", "value": "by"}],
      "symbolicVariables": {"n": "n", "by": "by"}})");
    write("specs/join.json", R"({"name": "join", "src": "kernels.cl", "workDimension": 1,
      "globalWorkSize": "[n]", "localWorkSize": "[16]", "partition": 10,
      "inputBuffers": [{"pos": 0, "type": "float", "size": "n", "break": 0}],
      "outputBuffers": [],
      "ioBuffers": [{"pos": 1, "type": "float", "size": "n", "break": 0}], "varArguments": [],
      "symbolicVariables": {"n": "n"}})");
    write("specs/kernels.cl", R"(
kernel void scale(global const float* x, global float* y, float by) {
  y[get_global_id(0)] = by * x[get_global_id(0)];
}
kernel void join(global const float* x, global float* y) {
  y[get_global_id(0)] += x[get_global_id(0)];
}
)");
    graph_ = write("four.graph",
                   "0 scale.json {\"n\": 64, \"by\": 2, \"partition\": 10}\n"
                   "1 scale.json {\"n\": 64, \"by\": 3, \"partition\": 0}\n"
                   "2 join.json {\"n\": 64, \"partition\": 10}\n"
                   "3 scale.json {\"n\": 64, \"by\": 1, \"partition\": 10}\n"
                   "---\n0 1->2 0\n1 1->2 1\n1 1->3 0\n---\n")
                 .string();
  }
  std::string graph_;
};

TEST_F(GraphCommand, ChecksAndConverts) {
  const auto checked = kiln({"graph", "check", graph_});
  EXPECT_EQ(checked.exit_code, 0) << checked.errors;
  EXPECT_THAT(checked.output, HasSubstr("4 tasks, 3 edges, 3 of them with data"));
  for (const char* name : {"own.json", "again.graph"}) {
    EXPECT_EQ(kiln({"graph", "convert", graph_, name}).exit_code, 0);
    EXPECT_EQ(kiln({"graph", "check", name}).exit_code, 0);
  }
  const auto list = kiln({"graph", "convert", graph_, "list.json", "--to", "list"});
  EXPECT_EQ(list.exit_code, 0) << list.errors;
  const auto again = kiln({"graph", "check", "list.json", "--source-dir", "specs", "--json"});
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_EQ(nlohmann::json::parse(again.output)["data_edges"], 3);
}

TEST_F(GraphCommand, RunsByEveryPolicyWithTheSameResult) {
  for (const char* policy : {"auto", "heft", "cluster", "eager"}) {
    const auto run = kiln({"graph", "run", graph_, "--devices", "cpu", "--policy", policy,
                           "--compare", "one-device", "--runs", "2", "--json"});
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    const auto object = nlohmann::json::parse(run.output);
    EXPECT_EQ(object["difference"], "");
    EXPECT_EQ(object["tasks"], 4);
  }
}

TEST_F(GraphCommand, TasksInPartsGiveWhatWholeTasksGive) {
  write("specs/slow.json", R"({"name": "slow", "src": "slow.cl", "workDimension": 1,
    "globalWorkSize": "[4096]", "localWorkSize": "[16]", "partition": 10,
    "inputBuffers": [{"pos": 0, "type": "float", "size": "4096", "break": 1}],
    "outputBuffers": [{"pos": 1, "type": "float", "size": "4096", "break": 1}],
    "ioBuffers": [], "varArguments": [], "symbolicVariables": {}})");
  write("specs/slow.cl", R"(
kernel void slow(global const float* x, global float* y) {
  float value = x[get_global_id(0)];
  for (int i = 0; i < 10000; ++i) value = value * 0.999f + 0.001f;
  y[get_global_id(0)] = value;
}
)");
  write("slow.graph", "0 slow.json {}\n1 slow.json {}\n---\n0 1->1 0\n---\n");
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"graph", "run", "slow.graph", "--devices", "cpu/2", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = kiln(words);
    EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
    return nlohmann::json::parse(result.output);
  };
  const auto whole = run({"--whole", "--out", "1.1=whole.npy"});
  EXPECT_EQ(whole["tasks_in_parts"], 0);
  EXPECT_EQ(whole["tasks_on_devices"][0].get<int>() + whole["tasks_on_devices"][1].get<int>(), 2);
  // Whether it is faster now, this machine decides; the result is the same in any case.
  const auto cut = run({"--expect", "1.1=whole.npy", "--rtol", "0", "--compare", "one-device"});
  EXPECT_EQ(cut["tasks"], 2);
  EXPECT_EQ(cut["difference"], "");
}

TEST_F(GraphCommand, WritesResultsAndComparesThem) {
  EXPECT_EQ(kiln({"graph", "run", graph_, "--out", "2.1=two.npy"}).exit_code, 0);
  EXPECT_EQ(kiln({"graph", "run", graph_, "--expect", "2.1=two.npy"}).exit_code, 0);
  // Other random inputs, another result.
  const auto other = kiln({"graph", "run", graph_, "--seed", "7", "--expect", "2.1=two.npy"});
  EXPECT_EQ(other.exit_code, 1) << other.output << other.errors;
  EXPECT_THAT(other.output, HasSubstr("task 2, argument 1 differs from two.npy"));
}

TEST_F(GraphCommand, PlansWithTimesOfAFile) {
  write("costs.json", R"({
    "scale": {"exec_gpu": 1e-5, "exec_cpu": 2e-5, "h2d_time": 4e-6},
    "join": {"exec_gpu": 3e-5, "exec_cpu": 1e-4, "h2d_time": 4e-6}})");
  const auto plan =
      kiln({"graph", "plan", graph_, "--policy", "one-device", "--costs", "costs.json", "--json"});
  EXPECT_EQ(plan.exit_code, 0) << plan.errors;
  const auto object = nlohmann::json::parse(plan.output);
  EXPECT_EQ(object["makespan_us"], 60);
  EXPECT_EQ(object["path_bound_us"], 40);
  EXPECT_EQ(object["tasks"][2]["after"], (nlohmann::json{0, 1}));
  const auto explained =
      kiln({"graph", "explain", graph_, "--policy", "heft", "--costs", "costs.json"});
  EXPECT_THAT(explained.output, HasSubstr("it takes"));
}

TEST_F(GraphCommand, DrawsItsTimeline) {
  const auto run = kiln({"graph", "run", graph_, "--trace", "run.json", "--gantt", "run.html"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  std::ifstream trace(folder() / "run.json");
  const auto events = nlohmann::json::parse(trace);
  EXPECT_THAT(events.dump(), HasSubstr("2 join"));
  EXPECT_TRUE(std::filesystem::exists(folder() / "run.html"));
}

TEST_F(GraphCommand, AnswersBadInputInOneLine) {
  write("sizes.graph",
        "0 scale.json {\"n\": 64, \"by\": 2}\n1 scale.json {\"n\": 128, \"by\": 2}\n---\n"
        "0 1->1 0\n---\n");
  const auto sizes = kiln({"graph", "run", "sizes.graph"});
  EXPECT_EQ(sizes.exit_code, 2);
  EXPECT_THAT(sizes.errors, StartsWith("kiln: sizes.graph:4: found 256 bytes of task 0 scale"));
  write("cycle.graph",
        "0 join.json {\"n\": 64}\n1 join.json {\"n\": 64}\n---\n0 1->1 0\n1 1->0 0\n---\n");
  const auto cycle = kiln({"graph", "check", "cycle.graph"});
  EXPECT_EQ(cycle.exit_code, 2);
  EXPECT_THAT(cycle.errors, HasSubstr("0 -> 1 -> 0"));
  const auto out = kiln({"graph", "run", graph_, "--out", "2=two.npy"});
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_THAT(out.errors, HasSubstr("expected TASK.ARGUMENT=FILE"));
  const auto symbol = kiln({"graph", "check", graph_, "--set", "nothere=1"});
  EXPECT_EQ(symbol.exit_code, 2);
  EXPECT_THAT(symbol.errors, HasSubstr("found the symbol nothere to be set"));
  const auto input = kiln({"graph", "run", graph_, "--in", "2.0=two.npy"});
  EXPECT_EQ(input.exit_code, 2);
  EXPECT_THAT(input.errors, HasSubstr("which an edge feeds"));
}

}  // namespace
}  // namespace kiln::testing
