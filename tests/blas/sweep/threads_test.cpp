// Several threads in one library.
#include <thread>

#include "blas/sweep/openblas.hpp"
#include "blas/sweep/sweep.hpp"

namespace kiln::blas::testing {
namespace {

class Threads : public ::testing::Test {
 protected:
  static constexpr unsigned threads = 4;
  void SetUp() override {
    if (!OpenBlas::get().present()) GTEST_SKIP() << "libopenblas.so.0 is not installed";
  }

  /// Each thread runs its calls on its own queue of `rigs`; all of them begin at once.
  static void run(const std::vector<std::vector<Call>>& calls, std::vector<Rig>& rigs) {
    Library& library = Machine::get().library();
    // One thread's gate would keep another's calls waiting where they share queues.
    const bool gated = rigs.size() >= calls.size();
    std::vector<std::string> wrong(calls.size());
    std::vector<std::thread> running;
    for (std::size_t i = 0; i < calls.size(); ++i)
      running.emplace_back([&, i] {
        unsigned seed = static_cast<unsigned>(i) * 1000;
        for (const Call& call : calls[i]) {
          const auto manner = gated && seed % 2 == 0 ? Manner::between_events : Manner::plainly;
          if (wrong[i].empty())
            wrong[i] = check(library, rigs[i % rigs.size()], call, ++seed, manner);
        }
      });
    for (auto& thread : running) thread.join();
    for (const auto& text : wrong) EXPECT_EQ(text, "");
  }
  /// A few calls of every kind in an order that the seed decides.
  static std::vector<Call> some_calls(unsigned seed) {
    std::vector<Call> calls;
    const auto all = kinds();
    const std::size_t count = is_long_run() ? 6 * all.size() : 60;
    for (std::size_t i = 0; i < count; ++i) {
      const auto& [routine, precision] = all[(i * 29 + seed) % all.size()];
      for_random_calls(routine, precision, routine < Routine::gemm ? 200 : 70, 1,
                       seed + static_cast<unsigned>(i),
                       [&](const Call& call) { calls.push_back(call); });
    }
    return calls;
  }
  /// In two contexts, each with one or two queues.
  static std::vector<Rig> rigs(std::size_t count) {
    std::vector<Rig> made;
    made.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
      i < 2 ? made.emplace_back(1 + i) : made.emplace_back(made[i - 2], 1 + i / 2 % 2);
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
  for (unsigned i = 0; i < threads; ++i) calls.push_back(some_calls(seed_of_run() + i / 2));
  auto shared = rigs(1);
  run(calls, shared);
}

}  // namespace
}  // namespace kiln::blas::testing
