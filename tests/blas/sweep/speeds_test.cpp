// Work is shared out by the speed of each queue's device.
#include "blas/call/problem_class.hpp"
#include "blas/sequence/sequence_builder.hpp"
#include "blas/sweep/openblas.hpp"
#include "blas/sweep/sweep.hpp"

namespace kiln::blas::testing {
namespace {

class Speeds : public ::testing::Test {
 protected:
  void SetUp() override {
    devices_ = whole_and_part();
    if (devices_.empty()) GTEST_SKIP() << "the device cannot be cut into parts";
    rig_ = std::make_unique<Rig>(devices_, 2, Rig::Ordering::in_order);
  }
  void set(std::size_t device, Limit limit, std::int64_t megaflops) {
    resolver_.record(speed_request(Precision::d, limit), *devices_[device],
                     Parameters{{"megaflops", megaflops}});
  }
  double speed(std::size_t device, Limit limit) {
    return device_speed(resolver_, context_of(), devices_[device], Precision::d, limit);
  }
  ContextPtr context_of() const { return Context::adopt(rig_->context()); }
  /// A call of doubles on memory that is not looked at.
  static Call call_of(Routine routine, std::size_t n) {
    Call call;
    call.routine = routine;
    call.precision = Precision::d;
    call.m = call.n = call.k = n;
    for (const Slot slot : {Slot::x, Slot::y}) call[slot].stride = 1;
    return call;
  }
  /// How many steps each queue has.
  std::array<std::size_t, 2> work(const Call& call) {
    const Case<double> one(call, 0);
    Call with_memory = one.call();
    const cl::Context context(rig_->context(), true);
    std::vector<cl::Buffer> buffers;
    for (const Use& use : Uses(with_memory)) {
      buffers.emplace_back(context, CL_MEM_READ_WRITE,
                           one.memory()[static_cast<std::size_t>(use.slot)].size() * 8);
      with_memory[use.slot].memory = buffers.back()();
    }
    const auto sequence = library_.build(with_memory, {rig_->queues()});
    std::array<std::size_t, 2> steps{};
    for (const auto& step : sequence->steps()) ++steps[step.queue];
    return steps;
  }

  std::vector<DevicePtr> devices_;
  std::unique_ptr<Rig> rig_;
  Resolver resolver_{nullptr, CompilePolicy::here};
  Library library_{resolver_};
};

TEST_F(Speeds, are_measured_once_and_put_on_record) {
  const double first = speed(1, Limit::arithmetic);
  EXPECT_GE(first, 1);
  const auto chosen =
      resolver_.choose(speed_request(Precision::d, Limit::arithmetic), *devices_[1]);
  EXPECT_EQ(chosen.from, "measured");
  EXPECT_EQ(static_cast<double>(chosen.parameters.get("megaflops", 0)), first);
  EXPECT_EQ(speed(1, Limit::arithmetic), first);
  EXPECT_GE(speed(1, Limit::memory), 1);
}

TEST_F(Speeds, on_record_are_not_measured) {
  set(0, Limit::memory, 123);
  EXPECT_EQ(speed(0, Limit::memory), 123);
}

TEST_F(Speeds, of_one_kind_of_device_need_no_measurement) {
  const Rig alike({devices_[1]}, 2, Rig::Ordering::in_order);
  const auto call = call_of(Routine::gemm, 300);
  EXPECT_EQ(check(library_, alike, call, 1), "");
  EXPECT_EQ(resolver_.choose(speed_request(Precision::d, Limit::arithmetic), *devices_[1]).origin,
            "default");
}

/// A share of less than half of the 64 columns that shares are cut by is empty.
TEST_F(Speeds, decide_whether_a_queue_gets_a_part_of_a_product) {
  set(0, Limit::arithmetic, 1000);
  set(1, Limit::arithmetic, 1);
  const auto slow = work(call_of(Routine::gemm, 640));
  EXPECT_GT(slow[0], 0u);
  EXPECT_EQ(slow[1], 0u);
  set(1, Limit::arithmetic, 1000);
  const auto equal = work(call_of(Routine::gemm, 640));
  EXPECT_GT(equal[0], 0u);
  EXPECT_GT(equal[1], 0u);
}

TEST_F(Speeds, of_any_kind_give_right_results) {
  if (!OpenBlas::get().present()) GTEST_SKIP() << "libopenblas.so.0 is not installed";
  for (const auto& [first, second] : {std::pair{1, 1000}, {1000, 1}, {3, 5}}) {
    for (const auto limit : {Limit::arithmetic, Limit::memory}) {
      set(0, limit, first);
      set(1, limit, second);
    }
    // Sequences that stand were built for other speeds.
    library_.clear();
    for (const auto routine : {Routine::gemm, Routine::syrk, Routine::gemv, Routine::symv,
                               Routine::ger, Routine::syr2, Routine::trmv})
      EXPECT_EQ(check(library_, *rig_, call_of(routine, 400), 7), "") << first << ':' << second;
  }
}

}  // namespace
}  // namespace kiln::blas::testing
