// `kiln init`: from a kernel to a specification file that a check can lead through.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/os/file.hpp"
#include "cli/command_process.hpp"

namespace {

using ::testing::HasSubstr;

class InitCommand : public kiln::testing::CommandTest {
 protected:
  InitCommand() {
    write("scale.cl",
          "kernel void scale(global const float* a, global float* b, float by) {\n"
          "  b[get_global_id(0)] = by * a[get_global_id(0)];\n}\n");
  }
};

TEST_F(InitCommand, writes_a_file_that_check_leads_through_and_never_overwrites_one) {
  const auto made = kiln({"init", "scale.cl"});
  EXPECT_EQ(made.exit_code, 0) << made.errors;
  EXPECT_EQ(made.output, "scale.json: 4 places to fill in (kiln check scale.json lists them)\n");
  const auto check = kiln({"check", "scale.json"});
  EXPECT_EQ(check.exit_code, 2);
  EXPECT_EQ(check.output, "scale.json: 4 errors\n");
  EXPECT_THAT(check.errors, HasSubstr("attribute 'varArguments[0].value': still to be filled in: "
                                      "the value of by"));
  kiln::testing::expect_refusal(kiln({"init", "scale.cl"}), 2,
                                "scale.json: the file exists, and is not overwritten");
  const auto other = kiln({"init", "scale.cl", "--output", "other.json", "--json"});
  EXPECT_EQ(other.exit_code, 0) << other.errors;
  const auto json = nlohmann::json::parse(other.output);
  EXPECT_EQ(json["file"], "other.json");
  EXPECT_EQ(json["fill_in"], 4);
}

TEST_F(InitCommand, a_source_that_is_not_there_is_refused) {
  EXPECT_EQ(kiln({"init", "absent.cl"}).exit_code, 2);
  kiln::testing::expect_refusal(kiln({"init", "scale.cl", "--kernel", "other"}), 2,
                                "it has no kernel 'other'; it has: scale");
  EXPECT_EQ(kiln({"init", "scale.cl", "--output", "none/scale.json"}).exit_code, 2);
  kiln::testing::expect_refusal(kiln({"init", "scale.cl", "--kernel", "scale", "--kernel", "sum"}),
                                2, "--kernel: found 2 kernels, expected one");
}

}  // namespace
