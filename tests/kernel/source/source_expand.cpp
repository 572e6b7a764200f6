#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/source/source_files.hpp"

namespace kiln {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::SourceFolder;

TEST(SourceExpand, a_text_without_includes_only_gains_its_name) {
  SourceFolder files;
  files.write("a.cl", "kernel void f() {\n}\n");
  EXPECT_EQ(files.expand("a.cl"), "#line 1 \"a.cl\"\nkernel void f() {\n}\n");
}

TEST(SourceExpand, an_include_is_replaced_by_the_file_and_lines_go_on) {
  SourceFolder files;
  files.write("a.cl", "int a;\n#include \"b.h\"\nint c;\n");
  files.write("b.h", "int b;\n");
  EXPECT_EQ(files.expand("a.cl"),
            "#line 1 \"a.cl\"\nint a;\n#line 1 \"b.h\"\nint b;\n#line 3 \"a.cl\"\nint c;\n");
}

TEST(SourceExpand, the_last_line_needs_no_newline) {
  SourceFolder files;
  files.write("a.cl", "#include \"b.h\"");
  files.write("b.h", "int b;");
  EXPECT_EQ(files.expand("a.cl"), "#line 1 \"a.cl\"\n#line 1 \"b.h\"\nint b;\n#line 2 \"a.cl\"\n");
}

TEST(SourceExpand, quotes_look_next_to_the_including_file_first) {
  SourceFolder files;
  files.write("a.cl", "#include \"sub/b.h\"\n");
  files.write("sub/b.h", "#include \"c.h\"\n");
  files.write("sub/c.h", "int near;\n");
  files.write("inc/c.h", "int far;\n");
  const std::string text = files.expand("a.cl", {files.path() / "inc"});
  EXPECT_THAT(text, HasSubstr("#line 1 \"sub/b.h\"\n#line 1 \"c.h\"\nint near;"));
  EXPECT_THAT(text, Not(HasSubstr("far")));
}

TEST(SourceExpand, angle_brackets_look_in_the_folders_in_order_only) {
  SourceFolder files;
  files.write("a.cl", "#include <c.h>\n");
  files.write("c.h", "int near;\n");
  files.write("two/c.h", "int two;\n");
  files.write("one/c.h", "int one;\n");
  const std::string text = files.expand("a.cl", {files.path() / "one", files.path() / "two"});
  EXPECT_THAT(text, HasSubstr("int one;"));
  EXPECT_THAT(text, Not(HasSubstr("two")));
  EXPECT_THAT(text, Not(HasSubstr("near")));
}

TEST(SourceExpand, names_are_never_absolute_paths) {
  SourceFolder files;
  files.write("a.cl", "#include \"" + (files.path() / "b.h").string() + "\"\n");
  files.write("b.h", "int b;\n");
  const std::string text = files.expand("a.cl");
  EXPECT_THAT(text, HasSubstr("#line 1 \"b.h\"\nint b;"));
  EXPECT_THAT(text, Not(HasSubstr(files.path().string())));
}

TEST(SourceExpand, an_include_in_a_comment_or_string_is_none) {
  SourceFolder files;
  const std::string text =
      "/* \n#include \"no.h\"\n*/\n// \\\n#include \"no.h\"\nconstant char* s = \"\\\"\\\n"
      "#include <no.h>\";\nint x; #include \"no.h\"\n";
  files.write("a.cl", text);
  EXPECT_EQ(files.expand("a.cl"), "#line 1 \"a.cl\"\n" + text);
}

TEST(SourceExpand, odd_spellings_of_the_directive_are_understood) {
  SourceFolder files;
  files.write("b.h", "B\n");
  for (const std::string directive :
       {"  #  include \"b.h\"", "/* x */ # /* y */ include /* z */ \"b.h\" // end",
        "#inc\\\nlude \\\n\"b.h\"", "%:include \"b.h\"", "#include\"b.h\"", "#include \"./b.h\""}) {
    files.write("a.cl", directive + "\nlast\n");
    const std::string text = files.expand("a.cl");
    EXPECT_THAT(text, HasSubstr("B\n#line ")) << directive;
    const auto lines = 2 + std::count(directive.begin(), directive.end(), '\n');
    EXPECT_THAT(text, HasSubstr("#line " + std::to_string(lines) + " \"a.cl\"\nlast\n"))
        << directive;
  }
}

TEST(SourceExpand, a_comment_that_begins_on_the_include_line_keeps_the_numbering) {
  SourceFolder files;
  files.write("a.cl", "#include \"b.h\" /* one\ntwo */\nint x = __LINE__;\n");
  files.write("b.h", "");
  EXPECT_THAT(files.expand("a.cl"), HasSubstr("#line 3 \"a.cl\"\nint x"));
}

TEST(SourceExpand, an_include_under_a_condition_is_expanded_in_place) {
  SourceFolder files;
  files.write("a.cl", "#ifdef X\n#include \"b.h\"\n#endif\n");
  files.write("b.h", "int b;\n");
  EXPECT_EQ(files.expand("a.cl"),
            "#line 1 \"a.cl\"\n#ifdef X\n#line 1 \"b.h\"\nint b;\n#line 3 \"a.cl\"\n#endif\n");
}

TEST(SourceExpand, a_missing_include_is_an_error_that_says_where_it_was_looked_for) {
  SourceFolder files;
  files.write("a.cl", "int a;\n\n#include \"no.h\"\n");
  EXPECT_EQ(files.expand("a.cl", {"inc"}),
            "error: a.cl:3: no file \"no.h\" for this #include; searched DIR, inc");
  EXPECT_EQ(files.expand("a.cl", {files.path(), "inc"}),
            "error: a.cl:3: no file \"no.h\" for this #include; searched DIR, inc");
  files.write("a.cl", "#include <no.h>\n");
  EXPECT_EQ(files.expand("a.cl"),
            "error: a.cl:1: no file <no.h> for this #include; no folder to search was given");
  files.write("a.cl", "#include <math.h>\n");
  EXPECT_EQ(
      files.expand("a.cl"),
      "error: a.cl:1: no file <math.h> for this #include; no folder to search was given; math "
      "functions need no #include");
  const auto source = load_source(files.path() / "a.cl");
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().code(), Errc::not_found);
}

TEST(SourceExpand, a_missing_include_under_a_condition_is_left_to_the_compiler) {
  SourceFolder files;
  const std::string text = "#if X\nint y;\n#include <no.h>\n#endif\n";
  files.write("a.cl", text);
  EXPECT_EQ(files.expand("a.cl"), "#line 1 \"a.cl\"\n" + text);
}

TEST(SourceExpand, a_missing_include_under_an_include_guard_alone_is_an_error) {
  SourceFolder files;
  files.write("a.cl", "#include \"b.h\"\n");
  files.write("b.h", "#ifndef B\n#define B\n#include \"no.h\"\n#endif\n");
  EXPECT_THAT(files.expand("a.cl"), HasSubstr("error: b.h:3: no file \"no.h\""));
  files.write("a.cl", "#ifdef X\n#include \"b.h\"\n#endif\n");
  EXPECT_THAT(files.expand("a.cl"), HasSubstr("#include \"no.h\""));
}

TEST(SourceExpand, an_include_that_cannot_be_tracked_is_refused) {
  SourceFolder files;
  for (const std::string line : {"#include FILE", "#include_next <b.h>", "#import \"b.h\"",
                                 "#include", "#include \"b.h\" junk"}) {
    files.write("a.cl", "\n" + line + "\n");
    EXPECT_THAT(files.expand("a.cl"), HasSubstr("error: a.cl:2: ")) << line;
    EXPECT_THAT(files.expand("a.cl"), HasSubstr("cannot be tracked")) << line;
  }
}

TEST(SourceExpand, recursion_without_a_guard_names_the_place_and_the_chain) {
  SourceFolder files;
  files.write("a.cl", "\n#include \"b.h\"\n");
  files.write("b.h", "#include \"a.cl\"\n");
  EXPECT_EQ(files.expand("a.cl"),
            "error: b.h:1: recursive include of \"a.cl\", which has no include guard "
            "(a.cl > b.h > a.cl)");
}

TEST(SourceExpand, an_include_guard_ends_recursion) {
  SourceFolder files;
  files.write("a.cl", "#include \"b.h\"\nA\n");
  for (const std::string guard : {"#ifndef B_H\n", "#if !defined(B_H)\n", "#if !defined B_H\n"}) {
    files.write("b.h", "// first\n" + guard + "#define B_H\n#include \"b.h\"\nB\n#endif // B_H\n");
    EXPECT_EQ(files.expand("a.cl"), "#line 1 \"a.cl\"\n#line 1 \"b.h\"\n// first\n" + guard +
                                        "#define B_H\n\nB\n#endif // B_H\n#line 2 \"a.cl\"\nA\n");
  }
}

TEST(SourceExpand, what_only_resembles_a_guard_is_none) {
  SourceFolder files;
  files.write("a.cl", "#include \"b.h\"\n");
  for (const std::string text :
       {"#ifndef B\n#define C\n#include \"b.h\"\n#endif\n",            // another name
        "#ifndef B\n#define B\n#endif\n#include \"b.h\"\n",            // ends too early
        "#ifndef B\n#define B\n#else\n#include \"b.h\"\n#endif\n"}) {  // has another branch
    files.write("b.h", text);
    EXPECT_THAT(files.expand("a.cl"), HasSubstr("recursive include")) << text;
  }
}

TEST(SourceExpand, a_pragma_once_file_is_expanded_once_and_without_the_pragma) {
  SourceFolder files;
  files.write("a.cl", "#include \"b.h\"\n#include \"b.h\"\nA\n");
  files.write("b.h", "#pragma once\nB\n#include \"b.h\"\n");
  EXPECT_EQ(files.expand("a.cl"),
            "#line 1 \"a.cl\"\n#line 1 \"b.h\"\n\nB\n\n#line 2 \"a.cl\"\n\nA\n");
}

TEST(SourceExpand, a_pragma_once_file_under_a_condition_is_still_there_later) {
  SourceFolder files;
  files.write("a.cl", "#ifdef X\n#include \"b.h\"\n#endif\n#include \"b.h\"\n#include \"b.h\"\n");
  files.write("b.h", "#pragma once\nB\n");
  const std::string text = files.expand("a.cl");
  const std::string guarded =
      "#ifndef kiln_once_1\n#define kiln_once_1\n#line 1 \"b.h\"\n\nB\n#endif\n";
  EXPECT_EQ(text, "#line 1 \"a.cl\"\n#ifdef X\n" + guarded + "#line 3 \"a.cl\"\n#endif\n" +
                      guarded + "#line 5 \"a.cl\"\n\n");
}

TEST(SourceExpand, foreign_line_ends_give_the_same_source) {
  SourceFolder files;
  files.write("unix/a.cl", "#include \"b.h\"\n#define M \\\n 1\nint x;\n");
  files.write("unix/b.h", "int b;\n");
  files.write("dos/a.cl", "\xEF\xBB\xBF#include \"b.h\"\r\n#define M \\\r\n 1\r\nint x;\r\n");
  files.write("dos/b.h", "int b;\r\n");
  files.write("mac/a.cl", "#include \"b.h\"\r#define M \\\r 1\rint x;\r");
  files.write("mac/b.h", "int b;\r");
  EXPECT_EQ(files.expand("dos/a.cl"), files.expand("unix/a.cl"));
  EXPECT_EQ(files.expand("mac/a.cl"), files.expand("unix/a.cl"));
}

TEST(SourceExpand, a_nul_byte_is_an_error_with_its_line) {
  SourceFolder files;
  files.write("a.cl", "#include \"b.h\"\n");
  files.write("b.h", std::string_view("int a;\nint\0b;\n", 14));
  EXPECT_EQ(files.expand("a.cl"),
            "error: a.cl:1: b.h:2: a NUL byte (byte 10); OpenCL C text was expected");
}

TEST(SourceExpand, a_users_own_line_directive_is_respected_after_an_include) {
  SourceFolder files;
  files.write("a.cl", "#line 100 \"gen.tpl\"\n#include \"b.h\"\nint x;\n");
  files.write("b.h", "int b;\n");
  EXPECT_THAT(files.expand("a.cl"), HasSubstr("#line 101 \"gen.tpl\"\nint x;"));
}

TEST(SourceExpand, depth_is_limited) {
  SourceFolder files;
  for (int i = 0; i < 70; ++i)
    files.write("f" + std::to_string(i), "#include \"f" + std::to_string(i + 1) + "\"\n");
  files.write("f70", "int x;\n");
  EXPECT_THAT(files.expand("f6"), HasSubstr("more than 64 levels"));
  EXPECT_THAT(files.expand("f7"), HasSubstr("int x;"));
}

TEST(SourceExpand, size_is_limited) {
  SourceFolder files;
  files.write("f0", std::string(1 << 20, 'x') + "\n");
  for (int i = 1; i < 8; ++i) {
    const std::string line = "#include \"f" + std::to_string(i - 1) + "\"\n";
    files.write("f" + std::to_string(i), line + line);
  }
  EXPECT_THAT(files.expand("f7"), HasSubstr("error: f7: expands to more than 16 MiB"));
  EXPECT_GT(files.expand("f3").size(), 8u << 20);
}

TEST(SourceExpand, a_missing_main_file_or_a_folder_is_an_error) {
  SourceFolder files;
  EXPECT_THAT(files.expand("no.cl"), HasSubstr("error: cannot open DIR/no.cl"));
  files.write("sub/x", "");
  EXPECT_THAT(files.expand("sub"), HasSubstr("is a folder"));
}

TEST(SourceExpand, awkward_file_names_are_escaped) {
  SourceFolder files;
  files.write("a\"b\\c.cl", "int x;\n");
  EXPECT_EQ(files.expand("a\"b\\c.cl"), "#line 1 \"a\\\"b\\\\c.cl\"\nint x;\n");
}

TEST(Source, a_digest_is_of_the_expanded_text) {
  SourceFolder files;
  files.write("a.cl", "#include \"b.h\"\n");
  files.write("b.h", "int b;\n");
  const auto before = load_source(files.path() / "a.cl");
  files.write("b.h", "int c;\n");
  const auto after = load_source(files.path() / "a.cl");
  ASSERT_TRUE(before && after);
  EXPECT_NE((*before)->digest(), (*after)->digest());
  EXPECT_EQ((*after)->digest(), blake2b(as_bytes((*after)->text())));
  EXPECT_EQ((*after)->name(), "a.cl");
}

TEST(Source, a_text_is_treated_like_a_file) {
  SourceFolder files;
  files.write("b.h", "int b;\n");
  const auto source = from_text("#include \"b.h\"\r\nint x;", "made.cl", {files.path()});
  ASSERT_TRUE(source) << source.error().message();
  EXPECT_EQ((*source)->text(),
            "#line 1 \"made.cl\"\n#line 1 \"b.h\"\nint b;\n#line 2 \"made.cl\"\nint x;\n");
  EXPECT_EQ((*source)->name(), "made.cl");
  const auto missing = from_text("#include \"b.h\"\n", "made.cl");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message(), HasSubstr("made.cl:1"));
}

}  // namespace
}  // namespace kiln
