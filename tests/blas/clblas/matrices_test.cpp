#include <cstring>
#include <numeric>

#include "blas/clblas/computer.hpp"

extern "C" clblasStatus clblasFillMatrixAsync(clblasOrder, size_t, cl_mem, size_t, size_t, size_t,
                                              size_t, const void*, cl_command_queue, cl_uint,
                                              const cl_event*, cl_event*);

namespace clblas_test {
namespace {

/// Matrices of ints, 5 x 4 with offset and padding, in either order.
class Matrices : public ::testing::TestWithParam<clblasOrder> {
 protected:
  static constexpr size_t rows = 5, columns = 4, ld = 7, offset = 3, count = offset + 5 * ld + 2;
  static constexpr size_t element = sizeof(int);

  size_t at(size_t row, size_t column, size_t off = offset, size_t line = ld) const {
    return off + (GetParam() == clblasRowMajor ? row * line + column : column * line + row);
  }
  static std::vector<int> numbers(int first) {
    std::vector<int> all(count);
    std::iota(all.begin(), all.end(), first);
    return all;
  }
  /// What is in the target after the area of nx x ny at (1, 2) in the source went to (2, 1).
  std::vector<int> expected(const std::vector<int>& source, std::vector<int> target, size_t nx,
                            size_t ny) const {
    for (size_t i = 0; i < nx; ++i)
      for (size_t j = 0; j < ny; ++j) target[at(2 + i, 1 + j)] = source[at(1 + i, 2 + j)];
    return target;
  }
  cl_command_queue queue() const { return computer_.queue()(); }

  Computer computer_;
  std::vector<int> source_ = numbers(100), target_ = numbers(-900);
};

TEST_P(Matrices, write_an_area) {
  const auto buffer = computer_.buffer(target_);
  ASSERT_EQ(
      clblasWriteSubMatrix(GetParam(), element, source_.data(), offset, ld, rows, columns, 1, 2,
                           buffer(), offset, ld, rows, columns, 2, 1, 3, 2, queue(), 0, nullptr),
      clblasSuccess);
  EXPECT_EQ(computer_.contents<int>(buffer), expected(source_, target_, 3, 2));
}

TEST_P(Matrices, read_an_area) {
  const auto buffer = computer_.buffer(source_);
  auto target = target_;
  ASSERT_EQ(clblasReadSubMatrix(GetParam(), element, buffer(), offset, ld, rows, columns, 1, 2,
                                target.data(), offset, ld, rows, columns, 2, 1, 3, 2, queue(), 0,
                                nullptr),
            clblasSuccess);
  EXPECT_EQ(target, expected(source_, target_, 3, 2));
}

TEST_P(Matrices, copy_an_area_when_the_wait_list_is_done) {
  const auto from = computer_.buffer(source_), to = computer_.buffer(target_);
  cl::UserEvent gate(computer_.context());
  cl_event wait = gate(), event = nullptr;
  ASSERT_EQ(
      clblasCopySubMatrixAsync(GetParam(), element, from(), offset, ld, rows, columns, 1, 2, to(),
                               offset, ld, rows, columns, 2, 1, 3, 2, queue(), 1, &wait, &event),
      clblasSuccess);
  gate.setStatus(CL_COMPLETE);
  ASSERT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
  clReleaseEvent(event);
  EXPECT_EQ(computer_.contents<int>(to), expected(source_, target_, 3, 2));
}

TEST_P(Matrices, go_there_and_back_again) {
  const auto there = computer_.zeros(count * element), back = computer_.zeros(count * element);
  auto host = target_;
  ASSERT_EQ(clblasWriteMatrix(GetParam(), rows, columns, element, source_.data(), offset, ld,
                              there(), 1, 6, queue(), 0, nullptr),
            clblasSuccess);
  ASSERT_EQ(clblasCopyMatrix(GetParam(), rows, columns, element, there(), 1, 6, back(), 2, 5,
                             queue(), 0, nullptr),
            clblasSuccess);
  ASSERT_EQ(clblasReadMatrix(GetParam(), rows, columns, element, back(), 2, 5, host.data(), offset,
                             ld, queue(), 0, nullptr),
            clblasSuccess);
  auto same = target_;
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j) same[at(i, j)] = source_[at(i, j)];
  EXPECT_EQ(host, same);
}

TEST_P(Matrices, without_async_names_the_same_as_with) {
  const auto buffer = computer_.zeros(count * element);
  auto host = target_;
  cl_event events[2] = {};
  ASSERT_EQ(clblasWriteMatrixAsync(GetParam(), rows, columns, element, source_.data(), 0, ld,
                                   buffer(), 0, ld, queue(), 0, nullptr, &events[0]),
            clblasSuccess);
  ASSERT_EQ(clblasReadMatrixAsync(GetParam(), rows, columns, element, buffer(), 0, ld, host.data(),
                                  0, ld, queue(), 1, events, &events[1]),
            clblasSuccess);
  ASSERT_EQ(clWaitForEvents(2, events), CL_SUCCESS);
  for (auto* event : events) clReleaseEvent(event);
  EXPECT_EQ(host[at(rows - 1, columns - 1, 0)], source_[at(rows - 1, columns - 1, 0)]);
}

TEST_P(Matrices, areas_outside_are_refused) {
  const auto buffer = computer_.buffer(target_);
  const auto write = [&](size_t nr, size_t nc, size_t x, size_t y, size_t nx, size_t ny,
                         size_t size = element, size_t line = ld) {
    return clblasWriteSubMatrix(GetParam(), size, source_.data(), offset, line, rows, columns, 0, 0,
                                buffer(), offset, line, nr, nc, x, y, nx, ny, queue(), 0, nullptr);
  };
  EXPECT_EQ(write(rows, columns, 0, 0, rows, columns), clblasSuccess);
  EXPECT_EQ(write(rows, columns, 1, 0, rows, columns), clblasInvalidValue);
  EXPECT_EQ(write(rows, columns, 0, 1, rows, columns), clblasInvalidValue);
  EXPECT_EQ(write(rows, columns, 6, 0, 1, 1), clblasInvalidValue);
  EXPECT_EQ(write(rows, columns, 0, static_cast<size_t>(-1), 1, 2), clblasInvalidValue);
  EXPECT_EQ(write(size_t{1} << 31, columns, 0, 0, 1, 1), clblasInvalidValue);
  EXPECT_EQ(write(rows, columns, 0, 0, 2, 2, 0), clblasInvalidValue);
  EXPECT_EQ(write(rows, columns, 0, 0, 2, 2, element, 1), clblasInvalidValue);
  EXPECT_EQ(write(rows, columns, 0, 0, 2, 2, static_cast<size_t>(-1)), clblasInvalidValue);
  // An empty area is none of these.
  EXPECT_EQ(write(rows, columns, 1, 0, 0, columns), clblasSuccess);
}

TEST_P(Matrices, an_empty_area_waits_and_has_an_event) {
  const auto buffer = computer_.buffer(target_);
  cl::UserEvent gate(computer_.context());
  cl_event wait = gate(), event = nullptr;
  ASSERT_EQ(clblasWriteSubMatrixAsync(GetParam(), element, source_.data(), offset, ld, rows,
                                      columns, 0, 0, buffer(), offset, ld, rows, columns, 0, 0, 0,
                                      2, queue(), 1, &wait, &event),
            clblasSuccess);
  ASSERT_NE(event, nullptr);
  gate.setStatus(CL_COMPLETE);
  EXPECT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
  clReleaseEvent(event);
  EXPECT_EQ(computer_.contents<int>(buffer), target_);
}

TEST_P(Matrices, bad_handles_are_named_by_opencl) {
  const auto buffer = computer_.buffer(target_);
  EXPECT_EQ(clblasWriteMatrix(GetParam(), rows, columns, element, source_.data(), 0, ld, buffer(),
                              0, ld, nullptr, 0, nullptr),
            clblasInvalidCommandQueue);
  EXPECT_EQ(clblasWriteMatrix(GetParam(), rows, columns, element, source_.data(), 0, ld, nullptr, 0,
                              ld, queue(), 0, nullptr),
            clblasInvalidMemObject);
  EXPECT_EQ(clblasWriteMatrix(GetParam(), rows, columns, element, nullptr, 1, ld, buffer(), 0, ld,
                              queue(), 0, nullptr),
            clblasInvalidValue);
  EXPECT_EQ(clblasWriteMatrix(GetParam(), rows, columns, element, source_.data(), 0, ld, buffer(),
                              0, ld, queue(), 1, nullptr),
            clblasInvalidEventWaitList);
  // Drivers read a buffer that is given as a queue as if it were one.
  auto* const no_queue = reinterpret_cast<cl_command_queue>(buffer());
  EXPECT_EQ(clblasWriteMatrix(GetParam(), rows, columns, element, source_.data(), 0, ld, buffer(),
                              0, ld, no_queue, 0, nullptr),
            clblasInvalidCommandQueue);
  EXPECT_EQ(clblasFillMatrix(GetParam(), element, buffer(), 0, ld, rows, columns, source_.data(),
                             no_queue, 0, nullptr),
            clblasInvalidCommandQueue);
}

TEST_P(Matrices, an_area_is_filled_and_nothing_else) {
  for (const size_t nx : {1, 2, 5})
    for (const size_t ny : {1, 3, 4}) {
      const auto buffer = computer_.buffer(target_);
      auto filled = target_;
      const int value = 77;
      for (size_t i = 0; i < nx; ++i)
        for (size_t j = 0; j < ny; ++j) filled[at(i, j)] = value;
      ASSERT_EQ(clblasFillSubMatrix(GetParam(), element, buffer(), offset, ld, rows, columns, 0, 0,
                                    nx, ny, &value, queue(), 0, nullptr),
                clblasSuccess);
      EXPECT_EQ(computer_.contents<int>(buffer), filled) << nx << " x " << ny;
    }
}

TEST_P(Matrices, whole_matrices_are_filled) {
  const auto buffer = computer_.buffer(target_);
  auto filled = target_;
  int value = 7;
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j) filled[at(i, j)] = value;
  ASSERT_EQ(clblasFillMatrix(GetParam(), element, buffer(), offset, ld, rows, columns, &value,
                             queue(), 0, nullptr),
            clblasSuccess);
  EXPECT_EQ(computer_.contents<int>(buffer), filled);
  value = 8;
  cl_event event = nullptr;
  ASSERT_EQ(clblasFillSubMatrixAsync(GetParam(), element, buffer(), offset, ld, rows, columns, 2, 1,
                                     2, 3, &value, queue(), 0, nullptr, &event),
            clblasSuccess);
  value = 9;  // it was read before the call returned
  for (size_t i = 2; i < 4; ++i)
    for (size_t j = 1; j < 4; ++j) filled[at(i, j)] = 8;
  ASSERT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
  clReleaseEvent(event);
  EXPECT_EQ(computer_.contents<int>(buffer), filled);
  EXPECT_EQ(clblasFillMatrixAsync(GetParam(), element, buffer(), offset, ld, rows, columns, &value,
                                  queue(), 0, nullptr, nullptr),
            clblasSuccess);
  EXPECT_EQ(computer_.contents<int>(buffer)[at(0, 0)], 9);
}

TEST_P(Matrices, fills_of_odd_sizes_and_places_are_refused) {
  const auto buffer = computer_.zeros(1000);
  const char value[32] = {};
  const auto fill = [&](size_t size, int x, int y) {
    return clblasFillSubMatrixAsync(GetParam(), size, buffer(), 0, 5, 5, 5, x, y, 2, 2, value,
                                    queue(), 0, nullptr, nullptr);
  };
  for (const size_t size : {1, 2, 4, 8, 16}) EXPECT_EQ(fill(size, 0, 0), clblasSuccess) << size;
  for (const size_t size : {0, 3, 12, 32}) EXPECT_EQ(fill(size, 0, 0), clblasInvalidValue) << size;
  EXPECT_EQ(fill(4, -1, 0), clblasInvalidValue);
  EXPECT_EQ(fill(4, 0, 4), clblasInvalidValue);
  computer_.finish();
}

TEST_P(Matrices, are_made_with_their_sizes) {
  size_t line = 0, bytes = 0;
  ASSERT_EQ(clblasMatrixSizeInfo(GetParam(), rows, columns, element, 2, &line, &bytes),
            clblasSuccess);
  const bool by_rows = GetParam() == clblasRowMajor;
  EXPECT_EQ(line, (by_rows ? columns : rows) + 2);
  EXPECT_EQ(bytes, line * (by_rows ? rows : columns) * element);
  EXPECT_EQ(clblasMatrixSizeInfo(GetParam(), rows, columns, element, 0, nullptr, nullptr),
            clblasSuccess);
  EXPECT_EQ(clblasMatrixSizeInfo(GetParam(), 0, columns, element, 0, &line, &bytes),
            clblasInvalidValue);
  EXPECT_EQ(clblasMatrixSizeInfo(GetParam(), rows, columns, 0, 0, &line, &bytes),
            clblasInvalidValue);
  EXPECT_EQ(clblasMatrixSizeInfo(GetParam(), size_t{1} << 40, size_t{1} << 40, 4, 0, &line, &bytes),
            clblasInvalidValue);

  cl_int err = -1;
  size_t of_made = 0;
  cl::Buffer made(clblasCreateMatrix(computer_.context()(), GetParam(), rows, columns, element, 2,
                                     &of_made, nullptr, &err));
  EXPECT_EQ(err, CL_SUCCESS);
  EXPECT_EQ(of_made, line);
  EXPECT_EQ(made.getInfo<CL_MEM_SIZE>(), bytes);

  EXPECT_EQ(clblasCreateMatrixWithLd(computer_.context()(), GetParam(), rows, columns, element, 3,
                                     nullptr, &err),
            nullptr);
  EXPECT_EQ(err, clblasInvalidValue);
  cl::Buffer with_ld(clblasCreateMatrixWithLd(computer_.context()(), GetParam(), rows, columns,
                                              element, 10, nullptr, nullptr));
  EXPECT_EQ(with_ld.getInfo<CL_MEM_SIZE>(), 10 * (by_rows ? rows : columns) * element);
}

TEST_P(Matrices, are_made_from_the_hosts) {
  cl_int err = -1;
  cl::Buffer made(clblasCreateMatrixFromHost(computer_.context()(), GetParam(), rows, columns,
                                             element, 6, source_.data(), offset, ld, queue(), 0,
                                             nullptr, &err));
  ASSERT_EQ(err, CL_SUCCESS);
  const auto contents = computer_.contents<int>(made);
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j)
      EXPECT_EQ(contents[at(i, j, 0, 6)], source_[at(i, j)]) << i << ' ' << j;
  EXPECT_EQ(clblasCreateMatrixFromHost(computer_.context()(), GetParam(), rows, columns, element, 6,
                                       nullptr, 0, ld, queue(), 0, nullptr, &err),
            nullptr);
  EXPECT_EQ(err, clblasInvalidValue);
}

INSTANTIATE_TEST_SUITE_P(In, Matrices, ::testing::Values(clblasRowMajor, clblasColumnMajor),
                         [](const auto& in) {
                           return in.param == clblasRowMajor ? "rows" : "columns";
                         });

TEST(Vectors, go_there_and_back_again_and_are_filled) {
  Computer computer;
  const std::vector<double> numbers{1, 2, 3, 4, 5, 6, 7};
  const auto a = computer.zeros(7 * sizeof(double)), b = computer.zeros(7 * sizeof(double));
  auto* queue = computer.queue()();
  std::vector<double> host(7, -1);
  ASSERT_EQ(clblasWriteVector(4, 8, numbers.data(), 1, a(), 2, queue, 0, nullptr), clblasSuccess);
  EXPECT_EQ(computer.contents<double>(a), (std::vector<double>{0, 0, 2, 3, 4, 5, 0}));
  ASSERT_EQ(clblasCopyVector(5, 8, a(), 2, b(), 0, queue, 0, nullptr), clblasSuccess);
  const double nine = 9;
  ASSERT_EQ(clblasFillVector(2, 8, b(), 5, &nine, queue, 0, nullptr), clblasSuccess);
  ASSERT_EQ(clblasReadVector(6, 8, b(), 1, host.data(), 0, queue, 0, nullptr), clblasSuccess);
  EXPECT_EQ(host, (std::vector<double>{3, 4, 5, 0, 9, 9, -1}));
  // Without an event and without waiting: in order all the same.
  ASSERT_EQ(clblasFillVectorAsync(7, 8, a(), 0, &nine, queue, 0, nullptr, nullptr), clblasSuccess);
  ASSERT_EQ(clblasCopyVectorAsync(7, 8, a(), 0, b(), 0, queue, 0, nullptr, nullptr), clblasSuccess);
  ASSERT_EQ(clblasWriteVectorAsync(1, 8, numbers.data(), 0, b(), 3, queue, 0, nullptr, nullptr),
            clblasSuccess);
  ASSERT_EQ(clblasReadVectorAsync(7, 8, b(), 0, host.data(), 0, queue, 0, nullptr, nullptr),
            clblasSuccess);
  computer.finish();
  EXPECT_EQ(host, (std::vector<double>{9, 9, 9, 1, 9, 9, 9}));
}

}  // namespace
}  // namespace clblas_test
