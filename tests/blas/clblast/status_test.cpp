// What bad arguments come to: CLBlast's status codes, in its order.
#include <gtest/gtest.h>

#include "blas/clblas/computer.hpp"
#include "blas/clblast/families.hpp"

namespace clblast_test {
namespace {

using clblas_test::Computer;

constexpr size_t n = 4;

class Status : public ::testing::TestWithParam<Family> {
 protected:
  Status() {
    for (Operand* operand : all()) {
      buffers_.push_back(computer_.buffer(std::vector<double>(8 * n * n, 0.5)));
      operand->memory = buffers_.back()();
    }
    for (Operand* matrix : {&o_.a, &o_.b, &o_.c}) matrix->step = n;
    o_.queue = computer_.queues();
  }
  std::vector<Operand*> all() { return {&o_.a, &o_.b, &o_.c, &o_.x, &o_.y, &o_.z}; }
  Operand& operand(char letter) {
    switch (std::tolower(letter)) {
      case 'a':
        return o_.a;
      case 'b':
        return o_.b;
      case 'c':
        return o_.c;
      case 'x':
        return o_.x;
      case 'y':
        return o_.y;
      default:
        return o_.z;
    }
  }
  StatusCode call() const { return GetParam().call(o_); }
  int code() const { return static_cast<int>(call()); }
  const std::string& checked() const { return GetParam().checked; }
  /// An operand's place among those that have codes of their own: A, B, C, x, y.
  static int place(char letter) {
    return static_cast<int>(std::string("abcxy").find(static_cast<char>(std::tolower(letter))));
  }
  static bool is_result(char letter) { return letter == 'z'; }

  Computer computer_;
  Operands o_;
  std::vector<cl::Buffer> buffers_;
};

TEST_P(Status, good_arguments_are_a_success) { EXPECT_EQ(call(), StatusCode::kSuccess); }

TEST_P(Status, no_queue) {
  cl_command_queue none = nullptr;
  o_.queue = &none;
  EXPECT_EQ(call(), StatusCode::kInvalidCommandQueue);
  o_.queue = nullptr;
  EXPECT_EQ(call(), StatusCode::kInvalidCommandQueue);
}

TEST_P(Status, a_size_of_zero_comes_before_all_else) {
  o_.n = 0;
  for (Operand* operand : all()) *operand = {nullptr, 0, 0};
  EXPECT_EQ(call(), StatusCode::kInvalidDimension);
}

TEST_P(Status, absent_memory) {
  for (const char letter : checked()) {
    const Operand before = operand(letter);
    operand(letter).memory = nullptr;
    EXPECT_EQ(code(), is_result(letter)
                          ? static_cast<int>(StatusCode::kInvalidVectorScalar)
                          : static_cast<int>(StatusCode::kInvalidMatrixA) + place(letter))
        << letter;
    operand(letter) = before;
  }
}

TEST_P(Status, steps_that_are_too_small) {
  for (const char letter : checked()) {
    if (std::islower(letter)) continue;
    const Operand before = operand(letter);
    operand(letter) = {nullptr, 0, place(letter) < 3 ? n - 1 : 0};  // memory is looked at later
    EXPECT_EQ(code(), static_cast<int>(StatusCode::kInvalidLeadDimA) + place(letter)) << letter;
    operand(letter) = before;
  }
}

TEST_P(Status, memory_that_is_too_short) {
  const cl::Buffer small = computer_.buffer(std::vector<unsigned char>(2, 0));
  for (const char letter : checked()) {
    const Operand before = operand(letter);
    const int expected = is_result(letter)
                             ? static_cast<int>(StatusCode::kInsufficientMemoryScalar)
                             : static_cast<int>(StatusCode::kInsufficientMemoryA) + place(letter);
    for (const Operand& bad :
         {Operand{small(), 1, before.step}, Operand{before.memory, 8 * 8 * n * n, before.step},
          Operand{before.memory, static_cast<size_t>(-1), before.step}}) {
      operand(letter) = bad;
      EXPECT_EQ(code(), expected) << letter;
    }
    operand(letter) = before;
  }
}

TEST_P(Status, the_first_bad_operand_is_the_one_that_is_told) {
  if (checked().size() < 2) return;
  for (const char letter : checked()) operand(letter).memory = nullptr;
  EXPECT_EQ(code(), static_cast<int>(StatusCode::kInvalidMatrixA) + place(checked()[0]));
}

INSTANTIATE_TEST_SUITE_P(Each, Status, ::testing::ValuesIn(all_families()),
                         [](const auto& of) { return of.param.name; });

// ---- What is not one family's
TEST(StatusOf, enumerators_that_do_not_exist_is_invalid_value) {
  Computer computer;
  const cl::Buffer memory = computer.buffer(std::vector<float>(16, 1));
  const auto layout = static_cast<clblast::Layout>(7);
  EXPECT_EQ(clblast::Gemv<float>(layout, clblast::Transpose::kNo, 2, 2, 1, memory(), 0, 2, memory(),
                                 0, 1, 0, memory(), 8, 1, computer.queues()),
            StatusCode::kInvalidValue);
}

TEST(StatusOf, a_batch_of_nothing_comes_before_a_size_of_zero) {
  Computer computer;
  EXPECT_EQ(clblast::AxpyBatched<float>(0, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0, 0,
                                        computer.queues()),
            StatusCode::kInvalidBatchCount);
}

TEST(StatusOf, a_k_of_zero_is_a_size_of_zero) {
  Computer computer;
  const cl::Buffer memory = computer.buffer(std::vector<float>(16, 1));
  EXPECT_EQ(clblast::Gemm<float>(clblast::Layout::kRowMajor, clblast::Transpose::kNo,
                                 clblast::Transpose::kNo, 2, 2, 0, 1, memory(), 0, 2, memory(), 0,
                                 2, 1, memory(), 0, 2, computer.queues()),
            StatusCode::kInvalidDimension);
}

TEST(StatusOf, a_batch_that_ends_behind_its_memory) {
  Computer computer;
  const cl::Buffer memory = computer.buffer(std::vector<float>(4 * 4, 1));
  const auto call = [&](size_t stride, size_t count) {
    return clblast::GemmStridedBatched<float>(
        clblast::Layout::kRowMajor, clblast::Transpose::kNo, clblast::Transpose::kNo, 2, 2, 2, 1,
        memory(), 0, 2, stride, memory(), 0, 2, 0, 0, memory(), 0, 2, 4, count, computer.queues());
  };
  EXPECT_EQ(call(4, 4), StatusCode::kSuccess);
  EXPECT_EQ(call(5, 4), StatusCode::kInsufficientMemoryA);
  EXPECT_EQ(call(static_cast<size_t>(-1) / 2, 3), StatusCode::kInsufficientMemoryA);
  EXPECT_EQ(call(0, 5), StatusCode::kInsufficientMemoryC);
  computer.finish();
}

}  // namespace
}  // namespace clblast_test
