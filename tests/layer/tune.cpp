// Local sizes where a program passes none: which kernels they may be chosen for, what is tried, who
// wins, and that a program's results are the same.
#include "layer/layer_process.hpp"
#include "layer/tune/free_local_size.hpp"
#include "layer/tune/local_sizes.hpp"
#include "layer/tune/race.hpp"

namespace kiln::layer {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Runs a race over launches that take these times, at most so many; `ns` may depend on how many
/// there were before.
template <class Time>
std::optional<Race::Result> run(Race& race, const Time& ns, std::size_t launches = 1000) {
  for (std::size_t i = 0; i < launches; ++i) {
    const auto entrant = race.next();
    if (!entrant) break;
    race.add(*entrant, ns(*entrant, i));
  }
  return race.result();
}

TEST(Race, the_fastest_wins) {
  Race race(3);
  const std::int64_t times[] = {100'000, 140'000, 60'000, 80'000};
  const auto result = run(race, [&](std::size_t entrant, std::size_t) { return times[entrant]; });
  ASSERT_TRUE(result);
  EXPECT_EQ(result->winner, 2u);
  EXPECT_EQ(result->incumbent_ns, 100'000);
  EXPECT_EQ(result->winner_ns, 60'000);
  EXPECT_FALSE(race.next());
}

TEST(Race, the_incumbent_stays_unless_another_is_clearly_faster) {
  for (const std::int64_t other : {100'000, 98'000, 120'000}) {
    Race race(2);
    const auto result =
        run(race, [&](std::size_t entrant, std::size_t) { return entrant == 0 ? 100'000 : other; });
    ASSERT_TRUE(result) << other;
    EXPECT_EQ(result->winner, 0u) << other;
  }
}

TEST(Race, noise_makes_no_winner) {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    Race race(12);
    std::uint32_t random = seed;
    const auto result = run(race, [&](std::size_t, std::size_t) {
      random = random * 1664525u + 1013904223u;
      // Within 2 percent, and one launch of ten takes twice as long.
      return 100'000 + static_cast<std::int64_t>(random >> 8) % 2'000 +
             (random >> 28 == 0 ? 100'000 : 0);
    });
    ASSERT_TRUE(result) << seed;
    EXPECT_EQ(result->winner, 0u) << seed;
  }
}

TEST(Race, work_that_changes_by_turns_makes_no_winner) {
  for (std::size_t period = 2; period <= 4; ++period) {
    Race race(3);
    const auto result = run(race, [&](std::size_t, std::size_t launch) {
      return launch % period == 0 ? 1'000'000 : 400'000;
    });
    ASSERT_TRUE(result) << period;
    EXPECT_EQ(result->winner, 0u) << period;
  }
}

TEST(Race, who_is_clearly_slower_leaves_at_once) {
  Race race(2);
  std::size_t runs[3] = {};
  const std::int64_t times[] = {100'000, 900'000, 180'000};
  const auto result = run(race, [&](std::size_t entrant, std::size_t) {
    ++runs[entrant];
    return times[entrant];
  });
  ASSERT_TRUE(result);
  EXPECT_EQ(result->winner, 0u);
  EXPECT_EQ(runs[1], 1u);
  EXPECT_EQ(runs[2], 2u);
}

TEST(Race, first_launches_do_not_count_where_the_driver_loads) {
  Race race(1, 1);
  std::size_t runs[2] = {};
  const auto result = run(race, [&](std::size_t entrant, std::size_t) -> std::int64_t {
    if (runs[entrant]++ == 0) return 50'000'000;
    return entrant == 0 ? 100'000 : 50'000;
  });
  ASSERT_TRUE(result);
  EXPECT_EQ(result->winner, 1u);
}

TEST(Race, few_launches_decide_nothing) {
  Race race(4);
  EXPECT_FALSE(run(
      race, [](std::size_t, std::size_t) { return 100'000; }, 14));
  EXPECT_FALSE(race.is_given_up());
}

TEST(Race, waits_for_times_of_what_has_begun) {
  Race race(1);
  std::vector<std::size_t> begun;
  while (const auto entrant = race.next()) begun.push_back(*entrant);
  EXPECT_THAT(begun, SizeIs(2 * Race::trials));
  EXPECT_FALSE(race.result());
  race.lose(1);
  EXPECT_EQ(race.next(), 1u);
}

TEST(Race, launches_that_are_too_short_are_not_judged) {
  Race race(2);
  EXPECT_FALSE(
      run(race, [](std::size_t entrant, std::size_t) { return entrant == 0 ? 4'000 : 900; }));
  EXPECT_TRUE(race.is_given_up());
  EXPECT_FALSE(race.next());
}

TEST(Race, who_cannot_run_does_not_win) {
  Race race(2);
  race.drop(1);
  const auto result =
      run(race, [](std::size_t entrant, std::size_t) { return entrant == 0 ? 100'000 : 90'000; });
  ASSERT_TRUE(result);
  EXPECT_EQ(result->winner, 2u);
}

TEST(LocalSizes, fit_the_launch_and_its_bounds) {
  const LocalBounds bounds{256, {1024, 1024, 64}, 32, false};
  for (const FreeLaunch& launch :
       {FreeLaunch{1, {4096, 1, 1}}, FreeLaunch{2, {640, 480, 1}}, FreeLaunch{3, {64, 32, 16}}}) {
    const auto candidates = local_size_candidates(launch, bounds);
    EXPECT_GT(candidates.size(), 3u);
    for (const auto& local : candidates) {
      EXPECT_TRUE(fits(local, launch, bounds)) << text_of(local, 3);
      EXPECT_LE(local[0] * local[1] * local[2], 256u);
    }
  }
  EXPECT_THAT(local_size_candidates({1, {997, 1, 1}}, bounds), IsEmpty());
  EXPECT_FALSE(fits({64, 1, 1}, {1, {96, 1, 1}}, bounds));
  EXPECT_FALSE(fits({0, 1, 1}, {1, {96, 1, 1}}, bounds));
  EXPECT_FALSE(fits({32, 2, 1}, {1, {96, 1, 1}}, bounds));
}

TEST(LocalSizes, four_at_most_where_each_is_compiled) {
  const LocalBounds bounds{4096, {4096, 4096, 4096}, 8, true};
  for (unsigned dimensions = 1; dimensions <= 3; ++dimensions)
    EXPECT_THAT(local_size_candidates({dimensions, {8192, 8192, 8192}}, bounds),
                SizeIs(::testing::Le(4)));
}

TEST(LocalSizes, all_of_a_class_have_the_same_candidates) {
  const LocalBounds bounds{1024, {1024, 1024, 64}, 32, false};
  std::map<std::string, std::vector<LocalSize>> of_class;
  for (std::size_t x = 16; x <= 2048; x += 16)
    for (const std::size_t y : {8, 24, 480, 512}) {
      const FreeLaunch launch{2, {x, y, 1}};
      const auto candidates = local_size_candidates(launch, bounds);
      const auto known = of_class.try_emplace(size_class(launch), candidates).first;
      EXPECT_EQ(known->second, candidates) << size_class(launch);
    }
  EXPECT_EQ(size_class({2, {1000, 512, 1}}), "2d 1024/8 512/512");
  EXPECT_NE(size_class({1, {1000, 1, 1}}), size_class({1, {1001, 1, 1}}));
}

// What a text proves.

constexpr const char* plain_kernel =
    "kernel void k(global float* a, int n) { a[get_global_id(0)] = n + get_global_size(0); }\n";

bool is_free(const std::string& text, const char* options = "") {
  return has_free_local_size(text, options, "k");
}

TEST(FreeLocalSize, is_one_that_the_kernel_cannot_see) {
  EXPECT_TRUE(is_free(plain_kernel));
  EXPECT_TRUE(
      is_free("float f(float x) { return x * 2; }\n#define G(x) f(x)\n"
              "struct s { int x; };\nconstant float t[] = {1, 2};\n"
              "__kernel __attribute__((work_group_size_hint(8, 1, 1)))\n"
              "void k(__global float* a) {\n#ifdef X\n  a[0] = 1;\n#else\n"
              "  a[1] = G(2);\n#endif\n}\n"));
  EXPECT_FALSE(is_free("kernel void other(global float* a) { a[0] = 1; }"));
}

TEST(FreeLocalSize, is_none_where_the_kernel_or_what_it_uses_may_see_it) {
  for (const char* use : {"a[get_local_id(0)] = 1",
                          "a[0] = get_local_size(0)",
                          "a[0] = get_group_id(0)",
                          "a[0] = get_num_groups(0)",
                          "a[0] = get_enqueued_local_size(0)",
                          "a[0] = get_local_linear_id()",
                          "a[0] = get_sub_group_size()",
                          "a[0] = sub_group_reduce_add(1)",
                          "a[0] = work_group_any(1)",
                          "barrier(1)",
                          "work_group_barrier(1)",
                          "mem_fence(1)",
                          "local float l[4]",
                          "__local float l[4]",
                          "atomic_inc((global int*)a)",
                          "atom_add(a, 1)",
                          "atomic_fetch_add(a, 1)",
                          "printf(\"x\")",
                          "asm(\"mov\")",
                          "__asm(\"mov\")",
                          "a[0] = __builtin_ptx_read_tid_x()",
                          "wait_group_events(1, a)",
                          "async_work_group_copy(a, a, 1, 0)",
                          "enqueue_kernel(q, a)",
                          "a[0] = *(volatile global float*)a"}) {
    const std::string statement = use;
    EXPECT_FALSE(is_free("kernel void k(global float* a) { " + statement + "; }")) << use;
    const std::string call = "kernel void k(global float* a) { g(a); }\n";
    EXPECT_FALSE(is_free("void f(global float* a) { " + statement + "; }\n" +
                         "void g(global float* a) { f(a); }\n" + call))
        << use;
    EXPECT_FALSE(is_free("#define f(a) " + statement + "\n#define g f\n" + call)) << use;
    EXPECT_FALSE(is_free(call, ("-D g(a)=" + statement).c_str())) << use;
    // What another kernel does is its own affair.
    EXPECT_TRUE(
        is_free("kernel void other(global float* a) { " + statement + "; }\n" + plain_kernel))
        << use;
  }
  EXPECT_FALSE(
      is_free("__attribute__((reqd_work_group_size(8, 1, 1))) " + std::string(plain_kernel)));
  EXPECT_FALSE(is_free("kernel void k(local float* a) { a[0] = 1; }"));
}

TEST(FreeLocalSize, is_none_where_the_text_is_not_clear) {
  // Names that are pasted together.
  EXPECT_FALSE(is_free("#define ID(x) get_##x\n" + std::string(plain_kernel)));
  // A function that a macro defines, and one behind an attribute that looks like a call.
  EXPECT_FALSE(
      is_free("#define NAME(x) x\nint NAME(f)(int i) { return get_local_id(i); }\n"
              "kernel void k(global int* a) { a[0] = f(0); }"));
  EXPECT_FALSE(
      is_free("__attribute__((aligned(16))) int f(int i) { return get_local_id(i); }\n"
              "kernel void k(global int* a) { a[0] = f(0); }"));
  EXPECT_FALSE(is_free("#define KERNEL kernel\nKERNEL void k(global int* a) { a[0] = 1; }"));
  // Braces that conditionals open.
  EXPECT_FALSE(
      is_free("#ifdef A\nvoid f() {\n#else\nvoid g() {\n#endif\n}\n" + std::string(plain_kernel)));
  EXPECT_FALSE(is_free(std::string(plain_kernel) + "}"));
  EXPECT_FALSE(is_free(""));
}

TEST(FreeLocalSize, is_none_where_options_define_what_sees_it) {
  const std::string text = "kernel void k(global int* a) { a[0] = IDX; }";
  EXPECT_TRUE(is_free(text, "-DIDX=4 -cl-fast-relaxed-math -I /usr/local/include"));
  for (const char* options :
       {"-DIDX=get_local_id(0)", "-D IDX=get_local_id(0)", "-D\"IDX=get_local_id(0)\"",
        "-D'IDX=get_local_id(0)'", "-I/tmp//inc -DIDX=get_local_id(0)",
        "-I /tmp/* -DIDX=get_local_id(0)", "-DA=a//b -DIDX=get_local_id(0)",
        "-DA=/* -DIDX=get_local_id(0)", "-I -DX -DIDX=get_local_id(0)",
        "-w\t-DIDX=get_local_id(0)"})
    EXPECT_FALSE(is_free(text, options)) << options;
  // A function whose name another one's takes.
  const std::string renamed =
      "void X(global int* a) { a[0] = get_local_id(0); }\nkernel void k(global int* a) { foo(a); }";
  EXPECT_FALSE(is_free(renamed, "-DX=foo"));
  EXPECT_FALSE(is_free(renamed, "-D X=foo"));
}

}  // namespace
}  // namespace kiln::layer

namespace kiln::testing {
namespace {

class ChosenLocalSizes : public LayerTest {
 protected:
  Environment tuning() const {
    Environment environment = layer();
    environment["KILN_LAYER_TUNE"] = "1";
    return environment;
  }
  std::string results(const Environment& environment) const {
    const auto result = run(KILN_LAYER_LOCAL_SIZES, {"results", "all", "96", "128"}, environment);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.output;
  }
  /// Those of the driver alone, which then knows the program.
  std::string results_without() const {
    Environment environment = plain();
    environment["POCL_CACHE_DIR"] = known_programs("local-sizes");
    return results(environment);
  }
};

TEST_F(ChosenLocalSizes, ChangeNoResults) {
  empty_cache();
  const std::string without = results_without();
  EXPECT_EQ(count_of(without, "\n"), 25u);
  EXPECT_EQ(results(layer()), without);
  EXPECT_EQ(count_of(report(), "local size"), 0u) << "it was not asked for";
  forget_report();
  EXPECT_EQ(results(tuning()), without);
  const std::string first = report();
  const std::size_t decided = count_of(first, "launches)\n");
  EXPECT_GT(decided, 0u) << first;
  forget_report();
  EXPECT_EQ(results(tuning()), without);
  const std::string second = report();
  EXPECT_EQ(count_of(second, "launches), on record\n"), decided) << second;
  // Kernels that see their groups are the driver's.
  for (const char* kernel :
       {": shows_sizes,", ": shows_groups,", ": waits,", ": shares,", ": counts,"})
    EXPECT_EQ(count_of(first + second, kernel), 0u) << kernel;
}

TEST_F(ChosenLocalSizes, AreNotChosenWithoutAStore) {
  Environment environment = tuning();
  environment["KILN_STORE"] = "off";
  const std::string without = results_without();
  // The layer adds nothing to what the driver builds here.
  environment["POCL_CACHE_DIR"] = known_programs("local-sizes");
  EXPECT_EQ(results(environment), without);
  EXPECT_EQ(count_of(report(), "local size"), 0u);
}

}  // namespace
}  // namespace kiln::testing
