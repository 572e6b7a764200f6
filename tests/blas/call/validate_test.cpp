#include "blas/call/validate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "blas/call/call.hpp"
#include "blas/machine.hpp"
#include "blas/operand_data.hpp"

namespace kiln::blas::testing {
namespace {

const std::vector<Routine> level_1{Routine::swap, Routine::scal, Routine::copy, Routine::axpy,
                                   Routine::dot,  Routine::dotc, Routine::rotg, Routine::rotmg,
                                   Routine::rot,  Routine::rotm, Routine::nrm2, Routine::iamax,
                                   Routine::asum};

bool has_scalars_alone(Routine routine) {
  return routine == Routine::rotg || routine == Routine::rotmg;
}

/// A good call of a routine in single precision: n = 16, every argument in a buffer of 64 floats.
class Good {
 public:
  explicit Good(Routine routine)
      : buffer_(cl::Context(Machine::get().context(), true), CL_MEM_READ_WRITE,
                64 * sizeof(float)) {
    call.routine = routine;
    call.precision = Precision::s;
    call.n = 16;
    for (const Use& use : Uses(call)) {
      Operand& operand = call[use.slot];
      operand.memory = buffer_();
      operand.stride = use.form == Use::Form::vector ? 2 : 0;
    }
  }
  Status validated() const { return validate(call, {Machine::get().queues()}); }
  bool uses(Slot slot) const {
    for (const Use& use : Uses(call))
      if (use.slot == slot) return true;
    return false;
  }
  Call call;

 private:
  cl::Buffer buffer_;
};

class ValidateLevel1 : public ::testing::TestWithParam<Routine> {};
INSTANTIATE_TEST_SUITE_P(All, ValidateLevel1, ::testing::ValuesIn(level_1),
                         [](const auto& made) { return std::string(name_of(made.param)); });

TEST_P(ValidateLevel1, accepts_a_good_call) {
  EXPECT_EQ(Good(GetParam()).validated(), Status::success);
}

TEST_P(ValidateLevel1, looks_at_queues_and_wait_list_first) {
  Good good(GetParam());
  for (auto& operand : good.call.operands) operand.memory = nullptr;
  EXPECT_EQ(validate(good.call, {}), Status::invalid_value);
  const cl_command_queue no_queue = nullptr;
  EXPECT_EQ(validate(good.call, {std::span(&no_queue, 1)}), Status::invalid_queue);
  const std::span<const cl_event> no_list(static_cast<const cl_event*>(nullptr), 1);
  EXPECT_EQ(validate(good.call, {Machine::get().queues(), no_list}), Status::invalid_wait_list);
  const cl_event no_event = nullptr;
  EXPECT_EQ(validate(good.call, {Machine::get().queues(), std::span(&no_event, 1)}),
            Status::invalid_wait_list);
}

TEST_P(ValidateLevel1, names_x_where_all_buffers_are_missing) {
  Good good(GetParam());
  for (auto& operand : good.call.operands) operand.memory = nullptr;
  EXPECT_EQ(good.validated(), Status::invalid_vector_x);
}

TEST_P(ValidateLevel1, names_the_missing_buffer) {
  for (const Slot slot : {Slot::x, Slot::y, Slot::z, Slot::w}) {
    Good good(GetParam());
    if (!good.uses(slot)) continue;
    good.call[slot].memory = nullptr;
    EXPECT_EQ(good.validated(),
              slot == Slot::x ? Status::invalid_vector_x : Status::invalid_vector_y);
  }
}

TEST_P(ValidateLevel1, a_size_of_zero_is_an_error) {
  Good good(GetParam());
  good.call.n = 0;
  EXPECT_EQ(good.validated(),
            has_scalars_alone(GetParam()) ? Status::success : Status::invalid_dimension);
}

TEST_P(ValidateLevel1, an_increment_of_zero_is_an_error) {
  if (has_scalars_alone(GetParam())) return;
  Good x(GetParam());
  x.call[Slot::x].stride = 0;
  EXPECT_EQ(x.validated(), Status::invalid_increment_x);
  Good y(GetParam());
  if (!y.uses(Slot::y)) return;
  y.call[Slot::y].stride = 0;
  EXPECT_EQ(y.validated(), Status::invalid_increment_y);
  y.call[Slot::x].stride = 0;
  EXPECT_EQ(y.validated(), Status::invalid_increment_x);
}

TEST_P(ValidateLevel1, a_buffer_must_hold_offset_and_stride) {
  if (has_scalars_alone(GetParam())) return;
  Good good(GetParam());
  for (const std::int64_t stride : {4, -4}) {  // elements 0, 4, … 60
    good.call[Slot::x].stride = stride;
    good.call[Slot::x].offset = 3;
    EXPECT_EQ(good.validated(), Status::success);
    good.call[Slot::x].offset = 4;
    EXPECT_EQ(good.validated(), Status::small_vector_x);
  }
  good.call.n = 65;
  EXPECT_EQ(good.validated(), Status::small_vector_x);
  Good y(GetParam());
  if (!y.uses(Slot::y)) return;
  y.call[Slot::y].offset = 34;
  EXPECT_EQ(y.validated(), Status::small_vector_y);
}

TEST_P(ValidateLevel1, scalars_and_results_must_lie_inside_too) {
  for (const Slot slot : {Slot::a, Slot::b, Slot::x, Slot::y, Slot::z, Slot::w}) {
    Good good(GetParam());
    for (const Use& use : Uses(good.call)) {
      if (use.slot != slot || use.form == Use::Form::vector) continue;
      good.call[slot].offset = 64 - use.length;
      EXPECT_EQ(good.validated(), Status::success);
      ++good.call[slot].offset;
      EXPECT_EQ(good.validated(), slot == Slot::y || slot == Slot::z || slot == Slot::w
                                      ? Status::small_vector_y
                                      : Status::small_vector_x);
    }
  }
}

TEST(Validate, a_length_that_overflows_is_too_long) {
  Good good(Routine::scal);
  good.call.n = static_cast<std::size_t>(-1);
  good.call[Slot::x].stride = 1 << 30;
  EXPECT_EQ(good.validated(), Status::small_vector_x);
  good.call.n = 2;
  good.call[Slot::x].offset = static_cast<std::size_t>(-1);
  EXPECT_EQ(good.validated(), Status::small_vector_x);
}

TEST(Validate, queues_must_be_of_one_context) {
  const Good good(Routine::axpy);
  const auto context = Context::create({Machine::get().device_pointer()});
  const Queue stranger(context, Machine::get().device_pointer());
  const cl_command_queue queues[] = {Machine::get().queues()[0], stranger.cl()()};
  EXPECT_EQ(validate(good.call, {queues}), Status::invalid_context);
  EXPECT_EQ(validate(good.call, {Machine::get().queues(2)}), Status::success);
}

// What a routine's elements are decides how many fit.
TEST(Validate, results_have_their_own_size) {
  Good norm(Routine::nrm2);
  norm.call.precision = Precision::z;
  norm.call.n = 8;
  norm.call[Slot::x].stride = 1;
  norm.call[Slot::z].offset = 31;  // of 32 doubles
  EXPECT_EQ(norm.validated(), Status::success);
  Good place(Routine::iamax);
  place.call.precision = Precision::z;
  place.call.n = 8;
  place.call[Slot::x].stride = 1;
  place.call[Slot::z].offset = 63;  // of 64 unsigned ints
  EXPECT_EQ(place.validated(), Status::success);
}

// A packed matrix of one element is still a matrix.
TEST(Validate, a_packed_matrix_of_one_element_is_matrix_a) {
  Good good(Routine::tpmv);
  good.call.n = 1;
  good.call[Slot::a].memory = nullptr;
  EXPECT_EQ(good.validated(), Status::invalid_matrix_a);
}

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

// One row decides whether all of an emulated product is computed with doubles.
TEST(ValidateProduct, is_emulated_or_invariant_but_not_both) {
  Call call;
  call.routine = Routine::gemm;
  call.precision = Precision::d;
  call.m = call.n = call.k = 2;
  for (const Slot slot : {Slot::a, Slot::b, Slot::c}) call[slot].stride = 2;
  for (const bool invariant : {false, true})
    for (const bool emulated : {false, true}) {
      call.invariant = invariant;
      call.emulated = emulated;
      EXPECT_EQ(validate_shape(call, {Machine::get().queues()}),
                invariant && emulated ? Status::invalid_value : Status::success)
          << invariant << emulated;
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
  for (int routine = static_cast<int>(Routine::gemv); routine <= static_cast<int>(Routine::tbsv);
       ++routine)
    all.push_back(static_cast<Routine>(routine));
  return all;
}
INSTANTIATE_TEST_SUITE_P(Level2, Validate2, ::testing::ValuesIn(level_2()),
                         [](const auto& of) { return std::string(name_of(of.param)); });

}  // namespace
}  // namespace kiln::blas::testing
