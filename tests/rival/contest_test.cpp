#include "rival/contest.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/clock.hpp"

namespace kiln::rival {
namespace {

using blas::Call;
using blas::Precision;
using blas::Routine;

const auto never = [] { return false; };

TEST(Contest, everyone_present_is_measured_as_often_and_takes_turns) {
  std::string order;
  const auto side = [&](const char* name, char letter) {
    return Contender{name,
                     "",
                     [&order, letter] {
                       order += letter;
                       return 1.0;
                     },
                     {}};
  };
  std::vector<Contender> sides{side("one", 'a'), side("two", 'b'), side("three", 'c')};
  sides[1].absent = "not here";
  measure(sides, 3, never);
  EXPECT_EQ(order,
            "ac"
            "ac"
            "ca"
            "ac");
  EXPECT_EQ(sides[0].samples.size(), 3u);
  EXPECT_EQ(sides[1].samples.size(), 0u);
  EXPECT_EQ(sides[2].samples.size(), 3u);
}

TEST(Contest, rounds_are_chosen_by_what_one_takes) {
  for (const auto& [ms, rounds] : {std::pair{0.1, 30u}, {100.0, 10u}, {5000.0, 3u}}) {
    std::vector<Contender> sides{{"one", "", [ms = ms] { return ms; }, {}}};
    measure(sides, 0, never);
    EXPECT_EQ(sides[0].samples.size(), rounds) << ms;
  }
}

TEST(Contest, who_spins_on_is_named_by_its_side_and_not_measured_less) {
  Machine machine("cpu");
  Call call;
  call.routine = Routine::axpy;
  call.n = 100;
  Problem problem(machine, call);
  EXPECT_TRUE(openblas_side(problem).spins);
  EXPECT_FALSE(kiln_side(problem).spins);
  EXPECT_FALSE(clblast_side(problem).spins);
  int calls = 0;
  std::vector<Contender> sides{side_of("one", [&] { ++calls; }), kiln_side(problem)};
  sides[0].spins = true;
  measure(sides, 2);
  EXPECT_GT(calls, 2);
  EXPECT_EQ(sides[0].samples.size(), 2u);
  EXPECT_EQ(sides[1].samples.size(), 2u);
}

TEST(Contest, waits_for_threads_that_spin_on) {
  std::atomic<bool> spins{true};
  const std::jthread other([&] {
    for (const auto end = now_ns() + 50'000'000; now_ns() < end;) {
    }
    spins = false;
  });
  const double waited = wait_for_sleeping_threads();
  EXPECT_FALSE(spins);
  EXPECT_GE(waited, 3.0) << "three looks, a millisecond apart";
}

TEST(Contest, stops_when_it_is_told) {
  int calls = 0;
  std::vector<Contender> sides{{"one", "", [&] { return ++calls, 1.0; }, {}}};
  measure(sides, 20, [&] { return calls == 5; });
  EXPECT_EQ(calls, 5);
}

TEST(Contest, kiln_is_the_first_and_who_is_absent_says_why) {
  Machine machine("cpu");
  Call call;
  call.routine = Routine::rot;
  call.n = 100;
  Problem problem(machine, call);
  const auto sides = contenders_of(problem, never);
  ASSERT_EQ(sides.size(), 3u);
  EXPECT_EQ(sides[0].name, "Kiln");
  EXPECT_EQ(sides[0].absent, "");
  for (const auto& side : {sides[1], sides[2]})
    EXPECT_TRUE(side.absent == "no other library is measured in rot" ||
                side.absent.starts_with("not installed"))
        << side.absent;
}

Call sized(Routine routine, Precision precision, std::size_t m, std::size_t n, std::size_t k) {
  Call call;
  call.routine = routine;
  call.precision = precision;
  call.m = m;
  call.n = n;
  call.k = k;
  return call;
}

TEST(Work, is_counted_in_operations_of_real_numbers) {
  EXPECT_EQ(operations_of(sized(Routine::gemm, Precision::s, 2, 3, 5)), 60);
  EXPECT_EQ(operations_of(sized(Routine::gemm, Precision::z, 2, 3, 5)), 240);
  EXPECT_EQ(operations_of(sized(Routine::syrk, Precision::d, 0, 3, 5)), 45);
  auto solve = sized(Routine::trsm, Precision::d, 2, 3, 0);
  EXPECT_EQ(operations_of(solve), 12);
  solve.side = blas::Side::right;
  EXPECT_EQ(operations_of(solve), 18);
}

TEST(Work, is_counted_in_bytes_that_must_move) {
  EXPECT_EQ(traffic_of(sized(Routine::axpy, Precision::s, 0, 100, 0)), 1200);
  EXPECT_EQ(traffic_of(sized(Routine::copy, Precision::d, 0, 100, 0)), 1600);
  // A square matrix without a structure is read as a whole, one with a triangle by half.
  EXPECT_EQ(traffic_of(sized(Routine::gemv, Precision::s, 10, 10, 0)), 400 + 40 + 80);
  EXPECT_EQ(traffic_of(sized(Routine::symv, Precision::s, 0, 10, 0)), 200 + 40 + 80);
  EXPECT_EQ(traffic_of(sized(Routine::ger, Precision::s, 10, 10, 0)), 800 + 40 + 40);
}

TEST(Problems, of_no_inner_size_have_memory_all_the_same) {
  Machine machine("cpu");
  Problem problem(machine, sized(Routine::gemm, Precision::s, 3, 3, 0));
  EXPECT_GE(problem.run(), 0);
}

TEST(Problems, larger_than_memory_are_refused) {
  Machine machine("cpu");
  const auto call = sized(Routine::copy, Precision::s, 0, std::size_t{1} << 60, 0);
  EXPECT_THROW(Problem(machine, call), Error);
}

}  // namespace
}  // namespace kiln::rival
