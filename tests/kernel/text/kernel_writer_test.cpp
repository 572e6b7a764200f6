#include "kernel/text/kernel_writer.hpp"

#include <gtest/gtest.h>

namespace kiln::testing {
namespace {

TEST(KernelWriter, indents_lines_by_the_blocks_around_them) {
  KernelWriter out;
  out.line("kernel void {}(int n)", "f");
  out.open();
  out.open("for (int i = 0; i < n; ++i)");
  out.line("x[i] = {};", 2);
  out.close();
  out.open("if (n > {})", 3);
  out.line("y();");
  out.otherwise();
  out.line("z();");
  out.close();
  out.close();
  EXPECT_EQ(out.take(),
            "kernel void f(int n)\n"
            "{\n"
            "  for (int i = 0; i < n; ++i) {\n"
            "    x[i] = 2;\n"
            "  }\n"
            "  if (n > 3) {\n"
            "    y();\n"
            "  } else {\n"
            "    z();\n"
            "  }\n"
            "}\n");
  EXPECT_EQ(out.take(), "");
}

TEST(KernelWriter, leaves_the_preprocessor_and_templates_at_the_margin) {
  KernelWriter out(2);
  out.line("#pragma unroll");
  out.lines("// a template\n");
  out.line("x += 1;");
  EXPECT_EQ(out.take(), "#pragma unroll\n// a template\n    x += 1;\n");
}

TEST(KernelWriter, lists_have_nothing_in_front_or_behind) {
  const auto name = [](int i) { return "a" + std::to_string(i); };
  EXPECT_EQ(list_of(3, name), "a0, a1, a2");
  EXPECT_EQ(list_of(2, name, " + "), "a0 + a1");
  EXPECT_EQ(list_of(0, name), "");
}

}  // namespace
}  // namespace kiln::testing
