// Where control flow diverges, nothing is evaluated with no active lane: a division by 0, an index
// beyond its array or a loop without end that no element reaches is not reached by lanes either.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <utility>

#include "mesh/codegen/loop_data.hpp"
#include "mesh/codegen/loop_text.hpp"
#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

// The same text twice: as C++, and as a kernel. All numbers are quarters, so that all is exact.
#define KILN_TEXT(...) #__VA_ARGS__

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
#endif

// A constant of the mesh, so that no compiler knows what divides by it.
volatile int zero = 0;

// at(n) is within an array of 4 unless n is 0: then far from all memory. (A division by 0 would do,
// but some devices guard against that by themselves.)
// clang-format off
#define KILN_HELPERS(SHOW) SHOW( \
  static int at(int n) { return n == 0 ? 2000000000 : 3; } \
  static double count_down(double v) { double n = 0; while (v != 0) { v -= 0.25; n += 1; } return n; } \
  static double either(double v) { if (v >= 0) return count_down(v); return 7; } \
  static double share(double v, int n) { if (v > 1) return count_down(n - 1); return 3; } \
  static double chosen_share(const double *v, int n) { return *v > 1 ? v[at(n)] : v[1]; } \
  static double first_above(const double *v, double least) { \
    for (int n = 0;; ++n) { if (n == 4) return 0; if (v[n] > least) return v[n]; } } \
  static void spread(const double *v, double *to, int n) { \
    for (int i = 0; i < 3; ++i) { if (v[i] < 9) continue; to[i] += v[at(n)]; } \
    if (v[3] > 0) return; \
    to[0] += 2; })
// clang-format on
#define KILN_AS_IS(...) __VA_ARGS__
KILN_HELPERS(KILN_AS_IS)
constexpr const char* helpers = KILN_HELPERS(KILN_TEXT);

struct PartingBody {
  const char* name;
  const char* text;
  void (*serial)(const double* x, double* y);
};
#define KILN_BODY(name, ...)                                                          \
  {                                                                                   \
#name, #__VA_ARGS__, [](const double* x, double* y) { (void)x; (void)y; __VA_ARGS__ } \
  }

// clang-format off
const PartingBody parting_bodies[] = {
    KILN_BODY(helper_in_part,
      if (x[0] >= 0) y[0] = count_down(x[0]);
      if (x[1] >= 0) { if (x[2] >= 0) y[1] = either(x[2]); else y[1] += count_down(x[1]); }),
    KILN_BODY(helper_chosen,
      y[0] = x[0] >= 0 ? count_down(x[0]) : count_down(-x[0]);
      y[1] = either(x[1]) + (x[2] > 0 ? either(x[2]) : 1);),
    KILN_BODY(helper_asked,
      if (x[0] >= 0 && count_down(x[0]) > 3) y[0] = 1;
      if (x[1] < 0 || count_down(x[1]) > 5) y[1] += 1;
      if (!(x[2] < 0 || count_down(x[2]) > 5) && x[3] > 0) y[2] += 1;),
    KILN_BODY(helper_chosen_within_choices,
      y[0] = x[0] >= 0 ? (x[1] >= 0 ? count_down(x[1]) + count_down(x[0]) : count_down(x[0]))
                       : x[1] < 0 ? count_down(-x[0] - x[1]) : 1;
      if (x[2] > 0) y[1] = x[3] >= 0 ? count_down(x[2] + x[3]) : count_down(x[2] - x[3]);),
    KILN_BODY(helper_asked_within_questions,
      if ((x[0] >= 0 && (x[1] < 0 || count_down(x[0] + x[1]) > 9)) ||
          (x[0] < 0 && count_down(-x[0]) > 4)) y[0] += 1;
      while (x[2] >= 0 && count_down(x[2]) > y[1]) y[1] += 1;),
    KILN_BODY(helper_that_divides,
      if (x[0] <= 1) y[0] = share(x[0], zero);
      if (x[1] <= 1) y[1] += chosen_share(x + 1, zero);
      y[2] = x[2] <= 1 ? share(x[2], zero) : share(x[2], 2);),
    KILN_BODY(helper_that_writes,
      spread(x, y, zero); if (x[0] > 0) spread(x, y, zero);),
    KILN_BODY(helper_that_searches,
      y[0] = first_above(x, 1);
      if (x[1] > 0) y[1] = first_above(x, x[1]);
      y[2] = x[2] > 0 ? first_above(x, x[2]) : first_above(x, 2);),
    KILN_BODY(division_chosen,
      y[0] += x[0] > 9 ? 12 / zero : 1;
      y[1] = x[1] < 9 ? 2 : (double)(12 % zero);
      if (x[2] > 0) y[2] = x[3] > 9 ? 7 / zero : x[3];),
    KILN_BODY(division_asked,
      if (x[0] > 9 && 12 / zero > 1) y[0] = 3;
      if (x[0] < 9 || 12 / zero) y[1] = 4;),
    KILN_BODY(index_chosen,
      for (int n = 0; n < 4; ++n) y[0] += x[n] < 9 ? x[n] : x[2000000000 + zero + n];
      for (int n = 0; n < 3; ++n) if (x[n] < 9 || x[n + 2000000000 + zero] > 0) y[n] += 1;),
    KILN_BODY(continue_of_all,
      for (int n = 0; n < 4; ++n) {
        if (n == 0) continue;
        if (x[n] < 0) continue;
        y[0] += x[at(n + zero)]; }),
    KILN_BODY(break_of_all,
      for (int n = 0;; ++n) { if (n == 4) break; if (x[n] > 2) break; y[0] += x[n]; }),
    KILN_BODY(break_of_all_beside_continue,
      for (int n = 0; n < 9; ++n) {
        if (n == 4) break;
        if (x[n] > 1) continue;
        y[0] += x[n] + x[at(4 + zero - n)]; }),
    KILN_BODY(continue_of_each,
      for (int n = 0; n < 4; ++n) { if (x[0] < 9) continue; y[0] += x[at(zero)]; } y[1] += 1;),
    KILN_BODY(break_of_each,
      for (;;) { y[2] += 1; if (x[0] < 9) break; y[0] += x[at(zero)]; } y[1] += 1;),
    KILN_BODY(return_of_each,
      if (x[0] < 9) { y[0] = 5; return; } y[1] = x[at(zero)];),
    KILN_BODY(return_of_each_by_and_by,
      for (int n = 0;; ++n) {
        if (n == 3) { if (x[0] < 9) return; y[0] += x[at(zero)]; }
        if (x[n] > 1) return;
        y[n] += x[at(3 + zero - n)]; }),
    KILN_BODY(return_of_all_in_part,
      if (x[0] > 0) { for (int n = 0;; ++n) { if (n == 3) return; y[0] += x[n]; } } y[1] = 6;),
    KILN_BODY(return_of_all_in_a_loop_in_part,
      for (int i = 0; i < 3; ++i) {
        if (x[i] > 0) { for (int n = 0; n < 4; ++n) { if (n + i == 3) return; y[0] += x[n]; } }
        y[1] += 6; }
      y[2] += 1;),
    KILN_BODY(loops_in_loops,
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          if (i + j == 3) break;
          if (x[j] > 2) continue;
          if (x[i] < -3) return;
          y[i] += x[at(3 + zero - i - j)]; }
        if (x[i] > 3) break;
        y[2] += 1; }
      y[0] -= 1;),
    KILN_BODY(loops_in_loops_left_by_each,
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          for (;;) { if (x[i] < 9) break; y[0] += x[at(zero)]; }
          if (x[j] < 9) { y[1] += 1; break; }
          y[0] += x[at(zero)]; }
        if (x[i] < 9) { if (i == 1) break; continue; }
        y[0] += x[at(zero)]; }),
    KILN_BODY(do_while,
      int n = 0;
      do { ++n; if (n == 2) continue; if (x[n] > 1) break; y[0] += x[at(n - 2 + zero)]; }
      while (n < 3);),
    KILN_BODY(do_while_with_parting_continue,
      double s = x[0];
      do { s -= 1; if (s > 2) continue; y[1] += 1; if (s < -2) break; y[0] += s; }
      while (s > -4);
      do { y[2] += 1; if (x[0] < 9) break; } while (x[at(zero)] > x[1]);),
    KILN_BODY(switch_inside,
      for (int n = 0; n < 4; ++n) {
        switch (n) {
          case 0: if (x[0] > 0) continue; y[0] += 1; break;
          case 1: if (x[1] > 1) return;
          case 2: y[1] += x[n]; break;
          default: if (x[3] < 9) continue; y[2] += x[at(zero)]; }
        y[2] += 1; }),
    KILN_BODY(switch_around,
      switch (3 + zero) {
        case 3: for (int n = 0; n < 3; ++n) { if (x[n] > 0) break; y[n] += 1; if (n == 2) return; }
                if (x[3] < 9) { y[1] += 4; }
        default: y[0] += 2; }),
    KILN_BODY(question_after_all_have_left,
      for (int n = 1; x[0] > x[at(n + zero)] - 20; --n) { y[0] += 1; if (x[1] < 9) break; }),
    KILN_BODY(while_of_all,
      int n = 4 + zero;
      while (x[at(n)] < 9) { n -= 1; if (n == 0) break; if (x[n - 1] > 2) break; y[0] += x[n - 1]; }),
};
// clang-format on

constexpr std::size_t parting_count = 53;
using PartingValues = std::vector<double>;

PartingValues quarters(std::mt19937& random, std::size_t n) {
  PartingValues values(n);
  for (auto& value : values) value = (static_cast<int>(random() % 33) - 16) / 4.0;
  return values;
}

std::string whole(const std::string& body) {
  return std::string(helpers) + "\nvoid f(const double *x, double *y) {\n" + body + "\n}\n";
}

PartingValues run(const std::string& body, int lanes, unsigned seed) {
  Mesh mesh(quiet_options());
  use_form(mesh, Parameters{{"FORM", 0}, {"LANES", lanes}, {"BLOCK", 40}});
  std::mt19937 random(seed);
  const Set set = mesh.set("set", parting_count);
  const Dat x = mesh.dat<double>("x", set, 4, quarters(random, 4 * parting_count));
  const Dat y = mesh.dat<double>("y", set, 3, quarters(random, 3 * parting_count));
  mesh.constant("zero", 0);
  par_loop(Kernel(whole(body), "f"), set, arg(x, READ), arg(y, RW));
  const auto found = y.read<double>();
  return {found.begin(), found.end()};
}

std::string parting_obstacle(const std::string& body) {
  const auto shape = with_used_constants(
      loop(whole(body), "f",
           {direct(0, 4, Access::read, ScalarType::f64), direct(1, 3, Access::rw, ScalarType::f64)},
           {{"zero", ScalarType::i32, 1, true}}));
  return lanes_of(shape, value_or_throw(read_kernel(shape)), 8, built_ins_of(shape)).obstacle;
}

class LanesParting : public ::testing::TestWithParam<PartingBody> {};

TEST_P(LanesParting, is_what_serial_code_does) {
  ASSERT_EQ(parting_obstacle(GetParam().text), "");
  std::mt19937 random(7);
  const PartingValues x = quarters(random, 4 * parting_count);
  PartingValues y = quarters(random, 3 * parting_count);
  for (std::size_t e = 0; e < parting_count; ++e) GetParam().serial(&x[4 * e], &y[3 * e]);
  for (const int lanes : {4, 8}) EXPECT_EQ(run(GetParam().text, lanes, 7), y) << lanes;
}

INSTANTIATE_TEST_SUITE_P(Kernels, LanesParting, ::testing::ValuesIn(parting_bodies),
                         [](const auto& kernel) { return std::string(kernel.param.name); });

/// A function's body of random ifs, loops and jumps. What would end the program stands where no
/// element comes: x lies between -4 and 4.
class RandomBody {
 public:
  explicit RandomBody(unsigned seed) : random_(seed) { text_ = block(0, false); }
  const std::string& text() const { return text_; }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  std::string wide() {
    return fmt::format("x[{}] {} {}", pick(4), pick(2) == 0 ? "<" : ">", pick(5) - 2);
  }
  std::string uniform() {
    return counters_ == 0
               ? std::string("zero < 1")
               : fmt::format("i{} {} {}", pick(counters_), pick(2) == 0 ? "==" : ">", pick(3));
  }
  std::string condition() {
    switch (pick(6)) {
      case 0:
        return uniform();
      case 1:
        return fmt::format("({} && {})", wide(), uniform());
      case 2:
        return fmt::format("({} || {})", uniform(), wide());
      case 3:
        return fmt::format("(x[{}] < 9 || x[at(zero)] > 1)", pick(4));
      default:
        return wide();
    }
  }
  std::string change() { return fmt::format("y[{}] += x[{}];\n", pick(3), pick(4)); }
  std::string jump(bool loop) {
    if (!loop) return "return;\n";
    switch (pick(switches_ > 0 ? 3 : 5)) {
      case 0:
        return "return;\n";
      case 1:
      case 2:
        return "continue;\n";
      default:
        return "break;\n";
    }
  }
  std::string block(int depth, bool loop) {
    std::string text = "{\n";
    for (int n = 2 + pick(3); n > 0; --n) text += statement(depth, loop);
    return text + change() + "}\n";
  }
  std::string counted(int depth) {
    const int counter = counters_++, switches = std::exchange(switches_, 0);
    std::string text =
        fmt::format("for (int i{0} = 0; i{0} < 3; ++i{0}) {1}", counter, block(depth + 1, true));
    --counters_;
    switches_ = switches;
    return text;
  }
  std::string real_loop(int depth) {
    const std::string left = fmt::format("s{}", reals_++);
    const int switches = std::exchange(switches_, 0);
    const std::string body = fmt::format("{{ {} -= 1; {} }}", left, block(depth + 1, true));
    const std::string condition = fmt::format("{} > {}", left, pick(3) - 2);
    switches_ = switches;
    return fmt::format("{{ double {} = x[{}];\n", left, pick(4)) +
           (pick(2) == 0 ? fmt::format("while ({}) {}", condition, body)
                         : fmt::format("do {} while ({});", body, condition)) +
           "}\n";
  }
  std::string choose(int depth, bool loop) {
    ++switches_;
    std::string text =
        fmt::format("switch ({}) {{\ncase 0: {}case 1: {}break;\ndefault: {}}}\n",
                    counters_ == 0 ? "zero" : fmt::format("i{}", pick(counters_)),
                    statement(depth + 1, loop), change(), statement(depth + 1, loop));
    --switches_;
    return text;
  }
  std::string statement(int depth, bool loop) {
    switch (pick(depth < 3 ? 10 : 5)) {
      case 0:
        return change();
      case 1:
        return fmt::format("if ({}) {}", condition(), jump(loop));
      case 2:
        return fmt::format("if (x[{}] < 9) {{ {}{}}}\ny[0] += x[2000000000 + zero];\n", pick(4),
                           change(), jump(loop));
      case 3:
        return fmt::format(
            "y[{}] += x[{}] > 9 ? x[2000000000 + zero] : x[{}] >= 0 ? count_down(x[{}]) : 1;\n",
            pick(3), pick(4), 1, 1);
      case 4:
        return fmt::format("if (x[{0}] >= 0) y[{1}] += either(x[{0}]);\n", pick(4), pick(3));
      case 5:
        return fmt::format("if ({}) {}else {}", condition(), block(depth + 1, loop),
                           block(depth + 1, loop));
      case 6:
        return choose(depth, loop);
      case 7:
        return real_loop(depth);
      default:
        return counted(depth);
    }
  }

  std::mt19937 random_;
  int counters_ = 0, reals_ = 0, switches_ = 0;
  std::string text_;
};

TEST(LanesParting, of_random_control_flow_is_that_of_single_elements) {
  const unsigned most = std::getenv("KILN_LONG") == nullptr ? 6 : 300;
  for (unsigned seed = 1; seed <= most; ++seed) {
    const RandomBody body(seed);
    ASSERT_EQ(parting_obstacle(body.text()), "") << "seed " << seed << "\n" << body.text();
    const PartingValues expected = run(body.text(), 1, seed);
    for (const int lanes : {4, 8})
      ASSERT_EQ(run(body.text(), lanes, seed), expected)
          << "seed " << seed << ", " << lanes << " lanes\n"
          << body.text();
  }
}

}  // namespace
}  // namespace kiln::mesh::testing
