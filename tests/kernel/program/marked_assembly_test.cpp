// The step that takes assembly from behind its marks: a function of text, so no device is needed.
#include "kernel/program/marked_assembly.hpp"

#include <gtest/gtest.h>

namespace kiln::testing {
namespace {

TEST(MarkedAssembly, loses_its_marks_and_the_target_becomes_the_architecture_itself) {
  EXPECT_EQ(without_assembly_marks(".version 9.0\n"
                                   ".target sm_90, texmode_independent\n"
                                   "\t// begin inline asm\n"
                                   "\t//@@ setmaxnreg.dec.sync.aligned.u32 40;\n"
                                   "//@@ mov.u32 %r1, stages;\n"
                                   "\t// end inline asm\n"
                                   "\tret;\n"),
            ".version 9.0\n"
            ".target sm_90a, texmode_independent\n"
            "\t// begin inline asm\n"
            "\t setmaxnreg.dec.sync.aligned.u32 40;\n"
            " mov.u32 %r1, stages;\n"
            "\t// end inline asm\n"
            "\tret;\n");
}

TEST(MarkedAssembly, is_taken_for_the_architecture_that_the_text_names) {
  const auto target = [](const std::string& line) {
    const auto taken = without_assembly_marks(line + "\n//@@ x;");
    return taken ? taken->substr(0, taken->find('\n')) : "nothing";
  };
  EXPECT_EQ(target(".target sm_100"), ".target sm_100a");
  EXPECT_EQ(target(".target sm_90a, debug"), ".target sm_90a, debug");
  EXPECT_EQ(target(".target sm_100f"), ".target sm_100f");
  EXPECT_EQ(target(".target sm_, debug"), ".target sm_, debug");
}

// What a driver gave ends in a zero, or in the middle of a line: all of it is kept.
TEST(MarkedAssembly, keeps_the_end_as_it_is) {
  using namespace std::string_literals;
  EXPECT_EQ(without_assembly_marks(".target sm_90\n//@@ a;\n\0"s), ".target sm_90a\n a;\n\0"s);
  EXPECT_EQ(without_assembly_marks("//@@ a;\n.target sm_90"), " a;\n.target sm_90a");
}

TEST(MarkedAssembly, is_nothing_where_there_are_no_marks_or_the_binary_is_no_ptx) {
  EXPECT_EQ(without_assembly_marks(".target sm_90\n\tret;\n"), std::nullopt);
  EXPECT_EQ(without_assembly_marks("\x7f"
                                   "ELF //@@ of another driver"),
            std::nullopt);
  EXPECT_EQ(without_assembly_marks(""), std::nullopt);
}

}  // namespace
}  // namespace kiln::testing
