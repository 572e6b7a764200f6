// What must hold for any text: no crash, no missed call, however it is wrapped.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "kernel/facts/kernels.hpp"
#include "test_paths.hpp"

namespace kiln {
namespace {

using testing::judge;
using testing::kernel;
using testing::shown;

/// An expression that calls `name(0)` behind `layers` of functions, macros and conditionals, and
/// the text at program scope that it needs.
struct Wrapped {
  std::string before, expression;
};

Wrapped wrap(Wrapped inner, int way, int number) {
  const std::string id = std::to_string(number);
  Wrapped outer = inner;
  const bool macro_body = way == 1 || way == 3 || way == 4 || way == 7;
  if (macro_body && inner.expression.find_first_of("\n/") != std::string::npos) return inner;
  switch (way) {
    case 0:
      outer.before +=
          "int f" + id + "(int n) {\n  int y = " + inner.expression + ";\n  return y + n; }\n";
      outer.expression = "f" + id + "(n)";
      break;
    case 1:
      outer.before += "#define M" + id + " (" + inner.expression + ")\n";
      outer.expression = "M" + id;
      break;
    case 2:
      outer.before += "#define M" + id + "(a, ...) \\\n  ((a) + 0 * sizeof(#a) + __VA_ARGS__)\n";
      outer.expression = "M" + id + "(" + inner.expression + ", 1, 2)";
      break;
    case 3:
      outer.before += "#define P" + id + "_x " + inner.expression + "\n#define C" + id + "(a) P" +
                      id + "_##a\n";
      outer.expression = "C" + id + "(x)";
      break;
    case 4:
      // Of three vendors at most: with each, the ways through the text are twice as many.
      outer.before += "#if defined(__vendor_" + std::to_string(number % 3) + ")\n#define U" + id +
                      " " + inner.expression + "\n#else\n#define U" + id + " 1\n#endif\n";
      outer.expression = "U" + id;
      break;
    case 5:
      outer.before += "int g" + id + "(int n) {\n#ifdef cl_khr_thing\n  return " +
                      inner.expression + ";\n#else\n  return 1;\n#endif\n}\n";
      outer.expression = "g" + id + "(n)";
      break;
    case 6:
      outer.expression = "/* harmless */ (n > 0 ? " + inner.expression + " : 2) // end\n";
      break;
    case 7:
      outer.before += "#ifndef D" + id + "\n#define D" + id + " " + inner.expression + "\n#endif\n";
      outer.expression = "D" + id;
      break;
    default:
      outer.before += "#undef Q" + id + "\n#define Q" + id + "(f) f\n";
      outer.expression = "Q" + id + "(\n" + inner.expression + "\n)";
  }
  return outer;
}

Wrapped wrapped(const std::string& call, const std::vector<int>& ways) {
  Wrapped result{"", call};
  for (std::size_t i = 0; i < ways.size(); ++i) result = wrap(result, ways[i], static_cast<int>(i));
  return result;
}

/// Some of the ways, in any order. (A range would be narrowed to the size, so that few occur.)
std::vector<int> up_to(int size, const rc::Gen<int>& way) {
  return *rc::gen::resize(size, rc::gen::container<std::vector<int>>(way));
}

RC_GTEST_PROP(SafetyProperties, a_call_is_found_behind_any_layers, ()) {
  const auto ways = up_to(8, rc::gen::element(0, 1, 2, 3, 4, 5, 6, 7, 8));
  const std::string name = *rc::gen::element<std::string>(
      "get_group_id(0)", "get_num_groups(0)", "get_global_size(n)", "get_global_offset(0)",
      "get_global_linear_id()", "get_\\\ngroup_id /**/ (0)");
  const Wrapped bad = wrapped(name, ways);
  const std::string text = bad.before + kernel("out[i] = " + bad.expression + "\n;");
  RC_ASSERT(!judge(text).splittable);

  const Wrapped good = wrapped("get_global_id(0)", ways);
  const auto safety = judge(good.before + kernel("out[i] = " + good.expression + "\n;"));
  RC_LOG() << shown(safety);
  RC_ASSERT(safety.splittable);
}

RC_GTEST_PROP(SafetyProperties, any_tokens_are_judged_and_a_call_among_them_is_found, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "out", "in", "[", "]", "(", ")", "i", "=", "+=", "*", "&", "->", ".", "x", ",", ";", "{", "}",
      "if", "else", "for", "while", "do", "return", "switch", "case", "1", "0", "?", ":", "float",
      "global", "local", "const", "struct", "q", "++", "-", "!", "sizeof", "goto", "M", "F",
      "break", "\n#define M out[", "\n#define F(a) a]\n", "\n#ifdef __X\n", "\n#else\n",
      "\n#endif\n", "vload4", "async_work_group_copy", "\"s\"", "'c'", "continue", "typedef", "@",
      "volatile"));
  std::string body;
  for (const std::string& piece : pieces) body += piece + " ";
  const auto safety = judge(kernel(body));
  RC_ASSERT(safety.suspicious == !safety.suspicions.empty());
  RC_ASSERT(safety.splittable == safety.reasons.empty());
  const auto with = judge(kernel("\n int g = get_group_id(0);\n" + body));
  RC_ASSERT(!with.splittable);
}

/// Statements that each touch one buffer in a known way, in random nests.
RC_GTEST_PROP(SafetyProperties, a_write_is_found_in_any_nest, ()) {
  const auto ways = up_to(6, rc::gen::element(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  std::string body = *rc::gen::element<std::string>(
      "out[i] = 1;", "*(out + i) = in[i];", "out[i]++;", "vstore4(v, i, out);", "put(out, i);",
      "q = out; q[i] = 2;", "((global int*)out)[i] = 3;", "(&out[i])[0] = 4;", "n && (out[i] = 5);",
      "out[i] = in[i], n;", "x = out[i] = n;", "SET(out, i);", "*same(out) = 6;",
      "q = n ? r : out; *q -= 1;", "fract(x, &out[i]);");
  for (const int way : ways) {
    switch (way) {
      case 0:
        body = "if (n > i) { " + body + " }";
        break;
      case 1:
        body = "for (int j = 0; j < n; j++) " + body;
        break;
      case 2:
        body = "{ x = 1; " + body + " x = 2; }";
        break;
      case 3:
        body = "while (n--) { " + body + " if (x > 0) break; }";
        break;
      case 4:
        body = "do { " + body + " } while (in[i] > n);";
        break;
      case 5:
        body = "switch (n) { case 1: " + body + " break; default: x = in[n]; }";
        break;
      case 6:
        body = "if (n) x = 3; else " + body;
        break;
      case 7:
        body = "\n#ifdef cl_x\n" + body + "\n#else\n;\n#endif\n";
        break;
      case 8:
        body = "RUN(" + body + ")";
        break;
      default:
        body = "{ float4 w = v; { int n = i; " + body + " } }";
    }
  }
  const std::string head =
      "#define SET(p, k) p[k] = 7\n#define RUN(...) __VA_ARGS__\n"
      "void put(global float* p, int k) { p[k] = 0; }\n"
      "global float* same(global float* p) { return p; }\n";
  const auto safety =
      judge(head + kernel("float x; float4 v; global float *q, *r = out;\n" + body));
  RC_LOG() << body << "\n" << shown(safety);
  RC_ASSERT(safety.splittable);
  RC_ASSERT(safety.parameters.at(0).written);
  // An #ifdef among a macro's arguments is more than Kiln follows, and it says so.
  RC_ASSERT(!safety.parameters.at(1).written || safety.suspicious);
}

TEST(SafetyProperties, every_prefix_of_a_real_kernel_is_judged) {
  const std::filesystem::path folder = std::filesystem::path(KILN_SOURCE_DIR) / "examples/kernels";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is absent";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const std::string whole = text.str();
    const std::string name = entry.path().stem().string();
    EXPECT_TRUE(value_or_throw(read_kernel_facts(whole, "", {name})).front().found) << entry.path();
    for (std::size_t size = 0; size < whole.size(); size += 41) {
      const auto safety =
          value_or_throw(read_kernel_facts(whole.substr(0, size), "", {name})).front();
      EXPECT_EQ(safety.splittable, safety.reasons.empty()) << entry.path() << " " << size;
    }
  }
}

}  // namespace
}  // namespace kiln
