// Kernels that reach outside of their buffers: `kiln run --check-bounds`, `kiln verify`.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/command_process.hpp"
#include "cli/run/run_output.hpp"

namespace {

using ::testing::HasSubstr;

class CheckBounds : public kiln::testing::CommandTest {
 protected:
  CheckBounds() {
    set("KILN_STORE", shared_store());
    write("k.cl",
          "kernel void copy(global const float* a, global float* b, int to, int from) {\n"
          "  int i = get_global_id(0);\n"
          "  b[i + to] = a[i + from];\n"
          "}\n");
    write_spec("right.json", 0, 0);
    write_spec("writes.json", 3, 0);
    write_spec("reads.json", 0, 3);
  }
  void write_spec(const std::string& name, int to, int from) {
    write(name, R"({"name": "copy", "src": "k.cl", "workDimension": 1, "globalWorkSize": [64],
      "inputBuffers": [{"pos": 0, "type": "float", "size": 64, "break": 1}],
      "outputBuffers": [{"pos": 1, "type": "float", "size": 64, "break": 1}],
      "varArguments": [{"pos": 2, "type": "int", "value": )" +
                    std::to_string(to) + R"(}, {"pos": 3, "type": "int", "value": )" +
                    std::to_string(from) + "}]}");
  }
  static constexpr const char* found =
      "kernel copy writes outside of argument 1 (b), a buffer of 256 bytes: 3 elements behind its "
      "end, the first at element 64 (byte 256)";
};

TEST_F(CheckBounds, a_run_names_parameter_offset_and_elements) {
  EXPECT_EQ(kiln({"run", "-q", "--check-bounds", "right.json"}).exit_code, 0);
  const auto result = kiln({"run", "--check-bounds", "writes.json"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.errors, std::string("kiln: writes.json: ") + found + "\n");
  const auto json =
      nlohmann::json::parse(kiln({"run", "--check-bounds", "--json", "writes.json"}).output);
  EXPECT_EQ(json["message"], found);
  EXPECT_EQ(json["status"], "failed");
}

TEST_F(CheckBounds, zones_find_writes_where_there_is_no_oclgrind) {
  // A PATH with nothing but the linker that PoCL needs.
  const auto tools = folder() / "tools";
  std::filesystem::create_directory(tools);
  std::filesystem::create_symlink(find_program("ld"), tools / "ld");
  set("PATH", tools.string());
  const auto result = kiln({"run", "--check-bounds", "writes.json"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr(found));
}

TEST_F(CheckBounds, verify_looks_by_itself) {
  const auto result = kiln({"verify", "writes.json", "--splits", "10"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr(found));
  EXPECT_EQ(kiln({"verify", "right.json", "--splits", "10"}).exit_code, 0);
}

TEST(OclgrindLog, its_first_access_is_told_and_the_others_are_counted) {
  EXPECT_EQ(kiln::cli::invalid_access_in("oclgrind: nothing to see\n"), "");
  EXPECT_EQ(
      kiln::cli::invalid_access_in(
          "\nInvalid read of size 4 at global memory address 0x1000000000040\n\tKernel: k\n"
          "\tEntity: Global(14,0,0)\n\tAt line 2 (column 9) of input.cl:\n\t  c[i]=a[i+2];\n\t\n\n"
          "Invalid write of size 8 at local memory address 0x10\n\tKernel: k\n"),
      "kernel k reads 4 bytes outside of memory that it has (byte 64 of buffer 1) at line 2 (and 1 "
      "more such accesses)");
  EXPECT_EQ(kiln::cli::invalid_access_in(
                "Invalid write of size 8 at local memory address 0x10\n\tKernel: k\n"),
            "kernel k writes 8 bytes outside of memory that it has (local memory, byte 16)");
}

}  // namespace
