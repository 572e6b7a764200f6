#include "blas/machine.hpp"
#include "blas/uses.hpp"
#include "blas/validate.hpp"

namespace kiln::blas::testing {
namespace {

/// Calls of every level-2 routine that are right in a buffer of their own for each argument, to be
/// spoilt in one thing at a time.
class Validate2 : public ::testing::TestWithParam<Routine> {
 protected:
  Validate2() {
    call_.routine = GetParam();
    call_.precision = Precision::c;
    call_.m = 20;
    call_.n = 30;
    call_.k = call_.kl = 4;
    call_.ku = 3;
    for (const Use& use : Uses(call_)) {
      Operand& operand = call_[use.slot];
      operand.offset = 2;
      if (use.form == Use::Form::vector) operand.stride = -2;
      if (use.form == Use::Form::matrix) operand.stride = static_cast<std::int64_t>(use.length) + 1;
      std::size_t extent = 0;
      EXPECT_TRUE(extent_of(use, operand, extent));
      buffers_.emplace_back(cl::Context(Machine::get().context(), true), CL_MEM_READ_WRITE,
                            extent * use.element);
      operand.memory = buffers_.back()();
    }
  }
  Status status() const { return validate(call_, {Machine::get().queues()}); }
  bool has(Slot slot) const {
    const Uses uses(call_);
    return std::any_of(uses.begin(), uses.end(), [&](const Use& use) { return use.slot == slot; });
  }
  /// The status with one operand changed.
  template <class Change>
  Status with(Slot slot, const Change& change) {
    const Operand before = call_[slot];
    change(call_[slot]);
    const Status found = status();
    call_[slot] = before;
    return found;
  }
  Call call_;
  std::vector<cl::Buffer> buffers_;
};

TEST_P(Validate2, accepts_what_just_fits) { EXPECT_EQ(status(), Status::success); }

TEST_P(Validate2, names_the_absent_argument_and_the_matrix_first) {
  const auto absent = [](Operand& operand) { operand.memory = nullptr; };
  EXPECT_EQ(with(Slot::a, absent), Status::invalid_matrix_a);
  EXPECT_EQ(with(Slot::x, absent), Status::invalid_vector_x);
  if (has(Slot::y)) {
    EXPECT_EQ(with(Slot::y, absent), Status::invalid_vector_y);
  }
  for (auto& operand : call_.operands) operand.memory = nullptr;
  EXPECT_EQ(status(), Status::invalid_matrix_a);
  call_.n = 1;  // a packed matrix is one element then
  EXPECT_EQ(status(), Status::invalid_matrix_a);
}

TEST_P(Validate2, names_the_argument_that_is_too_short) {
  const auto further = [](Operand& operand) { ++operand.offset; };
  EXPECT_EQ(with(Slot::a, further), Status::small_matrix_a);
  EXPECT_EQ(with(Slot::x, further), Status::small_vector_x);
  if (has(Slot::y)) {
    EXPECT_EQ(with(Slot::y, further), Status::small_vector_y);
  }
}

TEST_P(Validate2, names_the_stride_that_cannot_be) {
  if (call_[Slot::a].stride != 0) {
    EXPECT_EQ(with(Slot::a, [](Operand& operand) { operand.stride -= 2; }),
              Status::invalid_leading_a);
  }
  const auto none = [](Operand& operand) { operand.stride = 0; };
  EXPECT_EQ(with(Slot::x, none), Status::invalid_increment_x);
  if (has(Slot::y)) {
    EXPECT_EQ(with(Slot::y, none), Status::invalid_increment_y);
  }
}

TEST_P(Validate2, refuses_empty_matrices) {
  call_.n = 0;
  EXPECT_EQ(status(), Status::invalid_dimension);
}

// The rows of the array would be 0, or 1, if they were counted modulo 2^64.
TEST_P(Validate2, a_band_that_is_wider_than_any_array_is_refused) {
  if (call_.routine != Routine::gbmv && Uses(call_).begin()->length != call_.k + 1) return;
  for (const auto width : {static_cast<std::size_t>(-1), static_cast<std::size_t>(-2)}) {
    call_.k = call_.kl = width;
    call_.ku = 2;
    EXPECT_EQ(status(), Status::invalid_leading_a) << width;
  }
}

std::vector<Routine> level_2() {
  std::vector<Routine> all;
  for (int routine = static_cast<int>(Routine::gemv); routine < static_cast<int>(Routine::gemm);
       ++routine)
    all.push_back(static_cast<Routine>(routine));
  return all;
}
INSTANTIATE_TEST_SUITE_P(Level2, Validate2, ::testing::ValuesIn(level_2()),
                         [](const auto& of) { return std::string(name_of(of.param)); });

}  // namespace
}  // namespace kiln::blas::testing
