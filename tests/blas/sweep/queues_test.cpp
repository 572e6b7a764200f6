// Every routine on several queues, in any order, on several devices, between events.
#include "blas/sweep/openblas.hpp"
#include "blas/sweep/sweep.hpp"

namespace kiln::blas::testing {
namespace {

class Queues : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (!OpenBlas::get().present()) GTEST_SKIP() << "libopenblas.so.0 is not installed";
    // How work is shared does not depend on the precision. Each routine has one of these two.
    const char precision = letter(std::get<Precision>(GetParam()));
    if (!is_long_run() && precision != 's' && precision != 'z')
      GTEST_SKIP() << "precisions s and z are enough: KILN_LONG=1 for the others";
  }

  /// A few calls that are large enough to be shared, and a small one that is not.
  static std::vector<Call> calls() {
    const auto& [routine, precision] = GetParam();
    std::vector<Call> some;
    const auto add = [&](const Call& call) { some.push_back(call); };
    const bool long_run = is_long_run();
    for_random_calls(routine, precision, routine < Routine::gemm ? 400 : 210, long_run ? 24 : 4,
                     seed_of_run(), add);
    for_random_calls(routine, precision, 9, 1, seed_of_run() + 1, add);
    return some;
  }
  static void check_on(const Rig& rig) {
    SCOPED_TRACE("KILN_TEST_SEED=" + std::to_string(seed_of_run()));
    unsigned seed = 0;
    for (const Call& call : calls())
      for (const auto manner : {Manner::plainly, Manner::between_events})
        ASSERT_EQ(check(Machine::get().library(), rig, call, ++seed, manner), "")
            << (manner == Manner::plainly ? "plainly" : "between events");
  }
};

TEST_P(Queues, in_order_share_the_work) {
  for (const std::size_t count : {1, 2, 4}) {
    static const Rig rigs[] = {Rig(1), Rig(2), Rig(4)};
    check_on(rigs[count / 2]);
  }
}

TEST_P(Queues, out_of_order_share_the_work) {
  static const Rig rigs[] = {Rig(1, Rig::Ordering::out_of_order),
                             Rig(2, Rig::Ordering::out_of_order),
                             Rig(4, Rig::Ordering::out_of_order)};
  for (const Rig& rig : rigs) check_on(rig);
}

TEST_P(Queues, of_two_devices_in_one_context_share_the_work) {
  static const auto devices = two_parts();
  if (devices.empty()) GTEST_SKIP() << "the device cannot be cut into parts";
  static const Rig two(devices, 2, Rig::Ordering::in_order),
      four(devices, 4, Rig::Ordering::out_of_order);
  check_on(two);
  check_on(four);
}

TEST_P(Queues, of_a_device_and_a_part_of_it_share_the_work) {
  static const auto devices = whole_and_part();
  if (devices.empty()) GTEST_SKIP() << "the device cannot be cut into parts";
  static const Rig rig(devices, 2, Rig::Ordering::in_order);
  check_on(rig);
}

INSTANTIATE_TEST_SUITE_P(Level1, Queues, ::testing::ValuesIn(kinds(Routine::swap, Routine::asum)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Level2, Queues, ::testing::ValuesIn(kinds(Routine::gemv, Routine::tbsv)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Level3, Queues, ::testing::ValuesIn(kinds(Routine::gemm, Routine::her2k)),
                         name_of);

}  // namespace
}  // namespace kiln::blas::testing
