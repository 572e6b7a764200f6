#include "blas/clblas/computer.hpp"
#include "blas/clblas/families.hpp"

namespace clblas_test {
namespace {

/// Each family, over buffers that are exactly large enough for n = 8.
class Status : public ::testing::TestWithParam<Family> {
 protected:
  Status() {
    operands_.queues = computer_.queues();
    const size_t element = GetParam().element;
    matrix_ = computer_.zeros(operands_.n * operands_.n * element);
    vector_ = computer_.zeros(operands_.n * element);
    operands_.a = operands_.b = operands_.c = matrix_();
    operands_.x = operands_.y = operands_.z = operands_.w = vector_();
  }
  clblasStatus call() const { return GetParam().call(operands_); }
  bool has_name_with(const char* part) const {
    return std::string(GetParam().name).find(part) != std::string::npos;
  }
  /// rotg and rotmg have neither sizes nor vectors.
  bool has_only_scalars() const { return has_name_with("rotg") || has_name_with("rotmg"); }

  Computer computer_;
  Operands operands_;
  cl::Buffer matrix_, vector_;
};

TEST_P(Status, says_which_queue_is_wrong) {
  cl_command_queue none = nullptr;
  operands_.queues = &none;
  EXPECT_EQ(call(), clblasInvalidCommandQueue);
  cl_command_queue half[] = {computer_.queue()(), nullptr};
  operands_.queues = half;
  operands_.queue_count = 2;
  EXPECT_EQ(call(), clblasInvalidCommandQueue);
  operands_.queues = nullptr;
  EXPECT_EQ(call(), clblasInvalidValue);
  operands_.queues = computer_.queues();
  operands_.queue_count = 0;
  EXPECT_EQ(call(), clblasInvalidValue);
}

TEST_P(Status, says_that_the_wait_list_is_missing) {
  operands_.wait_count = 1;
  EXPECT_EQ(call(), clblasInvalidEventWaitList);
}

TEST_P(Status, names_the_first_of_the_missing_buffers) {
  operands_.a = operands_.b = operands_.c = nullptr;
  operands_.x = operands_.y = operands_.z = operands_.w = nullptr;
  EXPECT_EQ(call(), GetParam().absent);
}

TEST_P(Status, names_the_first_buffer_that_is_too_small) {
  if (has_only_scalars()) {
    // With no sizes to grow, the buffers must be less than a number.
    vector_ = computer_.zeros(2);
    operands_.a = operands_.x = operands_.y = operands_.z = operands_.w = vector_();
  } else {
    operands_.n *= 2;
    operands_.k = operands_.n;
    operands_.ld = 4 * operands_.n;
  }
  EXPECT_EQ(call(), GetParam().small);
}

TEST_P(Status, does_not_take_a_size_of_zero_for_success) {
  if (has_only_scalars()) GTEST_SKIP() << "has no size";
  operands_.n = 0;
  EXPECT_EQ(call(), clblasInvalidDim);
}

TEST_P(Status, checks_leading_dimensions_and_increments) {
  if (GetParam().has_ld) {
    operands_.ld = 1;
    EXPECT_EQ(call(), clblasInvalidLeadDimA);
    operands_.ld = operands_.n;
  }
  if (GetParam().has_inc) {
    operands_.inc = 0;
    EXPECT_EQ(call(), clblasInvalidIncX);
  }
}

TEST_P(Status, refuses_memory_of_another_context) {
  const Computer other;
  const auto foreign = other.zeros(operands_.n * operands_.n * GetParam().element);
  int refused = 0;
  for (cl_mem Operands::*place : {&Operands::a, &Operands::b, &Operands::c, &Operands::x,
                                  &Operands::y, &Operands::z, &Operands::w}) {
    Operands mixed = operands_;
    mixed.*place = foreign();
    const clblasStatus status = GetParam().call(mixed);
    // Success is for operands that the routine does not have.
    EXPECT_TRUE(status == clblasSuccess || status == clblasInvalidContext) << status;
    refused += status == clblasInvalidContext ? 1 : 0;
  }
  const Operands all = [&] {
    Operands mixed = operands_;
    mixed.a = mixed.b = mixed.c = mixed.x = mixed.y = mixed.z = mixed.w = foreign();
    return mixed;
  }();
  EXPECT_EQ(GetParam().call(all), clblasInvalidContext);
  EXPECT_GE(refused, 1);
  computer_.finish();
}

INSTANTIATE_TEST_SUITE_P(Of, Status, ::testing::ValuesIn(families()),
                         [](const auto& of) { return std::string(of.param.name); });

/// Statuses that single routines have.
struct Statuses : ::testing::Test {
  Statuses() {
    operands.queues = computer.queues();
    memory = computer.zeros(8 * 8 * 16);
    operands.a = operands.b = operands.c = memory();
  }
  clblasStatus call(const char* name) const {
    for (const auto& family : families())
      if (std::string(name) == family.name) return family.call(operands);
    throw std::invalid_argument(name);
  }
  Computer computer;
  Operands operands;
  cl::Buffer memory;
};

TEST_F(Statuses, transposes_that_have_no_meaning_are_refused) {
  operands.trans = clblasConjTrans;
  EXPECT_EQ(call("clblasCsyrk"), clblasInvalidValue);
  EXPECT_EQ(call("clblasSsyr2k"), clblasSuccess);  // real: the transpose
  EXPECT_EQ(call("clblasCherk"), clblasSuccess);
  operands.trans = clblasTrans;
  EXPECT_EQ(call("clblasCherk"), clblasInvalidValue);
  EXPECT_EQ(call("clblasZher2k"), clblasInvalidValue);
  EXPECT_EQ(call("clblasCsyrk"), clblasSuccess);
  computer.finish();
}

TEST_F(Statuses, each_missing_matrix_has_a_code_of_its_own) {
  operands.b = nullptr;
  EXPECT_EQ(call("clblasSgemm"), clblasInvalidMatB);
  operands.c = nullptr;
  EXPECT_EQ(call("clblasDsymm"), clblasInvalidMatB);
  operands.b = memory();
  EXPECT_EQ(call("clblasSgemm"), clblasInvalidMatC);
}

TEST_F(Statuses, an_image_is_no_matrix) {
  cl_image_desc shape{};
  shape.image_type = CL_MEM_OBJECT_IMAGE2D;
  shape.image_width = shape.image_height = 64;
  const cl_image_format format{CL_R, CL_FLOAT};
  cl_int status = CL_SUCCESS;
  const cl_mem image =
      clCreateImage(computer.context()(), CL_MEM_READ_WRITE, &format, &shape, nullptr, &status);
  if (status != CL_SUCCESS) GTEST_SKIP() << "the device has no images: " << status;
  operands.c = image;
  EXPECT_EQ(call("clblasSgemm"), clblasInvalidMemObject);
  operands.x = operands.z = image;
  EXPECT_EQ(call("clblasDnrm2"), clblasInvalidMemObject);
  clReleaseMemObject(image);
}

TEST_F(Statuses, a_sub_buffer_ends_where_it_ends) {
  const auto parent = computer.zeros(4096);
  const auto part_of = [&](size_t from, size_t bytes) {
    cl_buffer_region region{from, bytes};
    cl::Buffer whole = parent;
    return whole.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region);
  };
  // They share the second quarter of the parent, which both only read.
  const auto a = part_of(0, 2048), b = part_of(1024, 2048);
  const auto y = computer.buffer(std::vector<float>{1});
  const auto dot = [&](size_t n) {
    return clblasSdot(n, y(), 0, a(), 0, 1, b(), 0, 1, nullptr, 1, computer.queues(), 0, nullptr,
                      nullptr);
  };
  EXPECT_EQ(dot(512), clblasSuccess);
  EXPECT_EQ(computer.contents<float>(y), std::vector<float>{0});
  EXPECT_EQ(dot(513), clblasInsufficientMemVecX);
}

TEST_F(Statuses, a_product_over_nothing_only_scales) {
  const auto c = computer.buffer(std::vector<float>(64, 3));
  operands.c = c();
  operands.k = 0;
  ASSERT_EQ(call("clblasSgemm"), clblasSuccess);  // beta is 1
  EXPECT_EQ(computer.contents<float>(c), std::vector<float>(64, 3));
}

TEST_F(Statuses, a_sub_matrix_at_the_very_end_of_a_buffer_is_legal) {
  // 2 x 2 in columns of 8: the last column ends with the buffer, its line would not.
  const auto small = computer.zeros((8 + 2) * sizeof(float));
  const auto gemm = [&](size_t offset) {
    return clblasSgemm(clblasColumnMajor, clblasNoTrans, clblasNoTrans, 2, 2, 2, 1, small(), offset,
                       8, small(), 0, 8, 1, memory(), 0, 8, 1, computer.queues(), 0, nullptr,
                       nullptr);
  };
  EXPECT_EQ(gemm(0), clblasSuccess);
  EXPECT_EQ(gemm(1), clblasInsufficientMemMatA);
  computer.finish();
}

}  // namespace
}  // namespace clblas_test
