// Several threads in one library.
#include <thread>

#include "blas/sweep/openblas.hpp"
#include "blas/sweep/sweep.hpp"

namespace kiln::blas::testing {
namespace {

class Threads : public ::testing::Test {
 protected:
  static constexpr unsigned threads = 6;
  void SetUp() override {
    if (!OpenBlas::get().present()) GTEST_SKIP() << "libopenblas.so.0 is not installed";
  }

  /// Each thread runs its calls on its own queue of `rigs`; all of them begin at once.
  static void run(const std::vector<std::vector<Call>>& calls, std::vector<Rig>& rigs) {
    std::vector<std::string> wrong(calls.size());
    std::vector<std::thread> running;
    for (std::size_t i = 0; i < calls.size(); ++i)
      running.emplace_back([&, i] {
        unsigned seed = static_cast<unsigned>(i) * 1000;
        for (const Call& call : calls[i]) {
          const auto manner = seed % 2 == 0 ? Manner::plainly : Manner::between_events;
          if (wrong[i].empty())
            wrong[i] = check(Machine::get().library(), rigs[i % rigs.size()], call, ++seed, manner);
        }
      });
    for (auto& thread : running) thread.join();
    for (const auto& text : wrong) EXPECT_EQ(text, "");
  }
  /// A few calls of every kind in an order that the seed decides.
  static std::vector<Call> some_calls(unsigned seed) {
    std::vector<Call> calls;
    const auto all = kinds();
    const int of_each = is_long_run() ? 6 : 1;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& [routine, precision] = all[(i * 29 + seed) % all.size()];
      for_random_calls(routine, precision, routine < Routine::gemm ? 200 : 70, of_each, seed,
                       [&](const Call& call) { calls.push_back(call); });
    }
    return calls;
  }
  static std::vector<Rig> rigs(std::size_t count) {
    std::vector<Rig> made;
    for (std::size_t i = 0; i < count; ++i) made.emplace_back(1 + i % 2);
    return made;
  }
};

TEST_F(Threads, with_the_same_shapes_do_not_disturb_one_another) {
  const auto calls = some_calls(seed_of_run());
  SCOPED_TRACE("KILN_TEST_SEED=" + std::to_string(seed_of_run()));
  auto own = rigs(threads);
  run(std::vector(threads, calls), own);
}

TEST_F(Threads, with_different_shapes_do_not_disturb_one_another) {
  SCOPED_TRACE("KILN_TEST_SEED=" + std::to_string(seed_of_run()));
  std::vector<std::vector<Call>> calls;
  for (unsigned i = 0; i < threads; ++i) calls.push_back(some_calls(seed_of_run() + i));
  auto own = rigs(threads);
  run(calls, own);
}

TEST_F(Threads, may_share_a_queue) {
  SCOPED_TRACE("KILN_TEST_SEED=" + std::to_string(seed_of_run()));
  std::vector<std::vector<Call>> calls;
  for (unsigned i = 0; i < threads; ++i) {
    // Events would make one thread wait for another's gate.
    calls.push_back(some_calls(seed_of_run() + i / 2));
  }
  auto shared = rigs(1);
  std::vector<std::string> wrong(threads);
  std::vector<std::thread> running;
  for (unsigned i = 0; i < threads; ++i)
    running.emplace_back([&, i] {
      unsigned seed = i * 1000;
      for (const Call& call : calls[i])
        if (wrong[i].empty()) wrong[i] = check(Machine::get().library(), shared[0], call, ++seed);
    });
  for (auto& thread : running) thread.join();
  for (const auto& text : wrong) EXPECT_EQ(text, "");
}

}  // namespace
}  // namespace kiln::blas::testing
