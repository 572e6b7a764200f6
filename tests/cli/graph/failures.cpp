// Graphs whose runs fail: the device goes, a kernel hangs, Ctrl-C comes. The task is named, nothing
// is left.
#include <gmock/gmock.h>

#include "../command_process.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

class GraphFailures : public CommandTest {
 protected:
  GraphFailures() {
    set("KILN_STORE", shared_store());
    for (const char* name : {"work", "hang"})
      write(std::string("specs/") + name + ".json",
            std::string("{\"name\": \"") + name + R"(", "src": "kernels.cl", "workDimension": 1,
      "globalWorkSize": "[n]", "partition": 10,
      "inputBuffers": [{"pos": 0, "type": "float", "size": "n", "break": 0}],
      "outputBuffers": [{"pos": 1, "type": "float", "size": "n", "break": 0}],
      "ioBuffers": [], "varArguments": [], "symbolicVariables": {"n": 64}})");
    write("specs/kernels.cl", R"(
kernel void work(global const float* x, global float* y) {
  y[get_global_id(0)] = 2 * x[get_global_id(0)];
}
kernel void hang(global const volatile float* x, global float* y) {
  while (x[0] < 1e30f) {
  }
  y[get_global_id(0)] = 1;
}
)");
    write("chain.graph",
          "0 work.json {}\n1 work.json {}\n2 work.json {}\n---\n"
          "0 1->1 0\n1 1->2 0\n---\n");
    write("hangs.graph", "0 work.json {}\n7 hang.json {}\n---\n0 1->7 0\n---\n");
  }
};

TEST_F(GraphFailures, a_device_that_goes_is_one_line_with_the_task) {
  // Into the store: compilers are other processes.
  EXPECT_EQ(kiln({"graph", "run", "chain.graph", "--devices", halves()}).exit_code, 0);
  set("OPENCL_LAYERS", KILN_FAULT_LAYER);
  int named = 0;
  for (const std::string& devices : {std::string("cpu"), halves()})
    for (int call = 1; call <= 6; ++call) {
      SCOPED_TRACE(::testing::Message() << devices << ", call " << call);
      set("KILN_TEST_FAULT", "clEnqueueNDRangeKernel:" + std::to_string(call));
      const auto result =
          kiln({"graph", "run", "chain.graph", "--devices", devices, "--out", "2.1=result.npy"});
      ASSERT_EQ(result.signal, 0);
      if (result.exit_code == 0) {
        EXPECT_TRUE(std::filesystem::remove(folder() / "result.npy"));
        continue;
      }
      expect_refusal(result, 1, "CL_DEVICE_NOT_AVAILABLE");
      EXPECT_FALSE(std::filesystem::exists(folder() / "result.npy"));
      named += result.errors.find("task ") != std::string::npos;
    }
  EXPECT_GE(named, 6) << "tasks were named";
}

TEST_F(GraphFailures, a_kernel_that_hangs_is_named_after_its_time) {
  for (const std::string& devices : {std::string("cpu"), halves()}) {
    const auto result =
        kiln({"graph", "run", "hangs.graph", "--devices", devices, "--timeout", "0.5"});
    expect_refusal(result, 1, "task 7 hang: the run has not ended in time");
  }
}

TEST_F(GraphFailures, ctrl_c_ends_a_run_that_hangs) {
  // The processor time of a process that computes grows; before that it only loads and compiles.
  const auto result = bash(
      "$KILN graph run hangs.graph --devices cpu > out 2> err & P=$!;"
      " until [ $(awk '{print $14}' /proc/$P/stat 2>/dev/null || echo 999) -gt 150 ]; do :; done;"
      " kill -INT $P; wait $P; echo code $?; cat out err");
  EXPECT_THAT(result.output, StartsWith("code 130\n")) << result.errors;
}

}  // namespace
}  // namespace kiln::testing
