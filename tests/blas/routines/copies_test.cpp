// omatcopy, im2col, col2im and conv.
#include <gtest/gtest.h>

#include "blas/api/operands.hpp"

namespace kiln::blas::testing {
namespace {

template <class T>
class Copies : public ::testing::Test {};
TYPED_TEST_SUITE(Copies, Precisions);

TYPED_TEST(Copies, omatcopy_scales_and_transposes_and_touches_nothing_else) {
  using T = TypeParam;
  const T alpha = number<T>(1.5, -0.5);
  for (const auto order : {Order::row_major, Order::column_major})
    for (const auto trans : {Transpose::none, Transpose::transpose, Transpose::conjugate})
      for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>{1, 1}, {7, 33}, {300, 41}}) {
        SCOPED_TRACE(fmt::format("order {} trans {} m {} n {}", static_cast<int>(order),
                                 static_cast<int>(trans), m, n));
        const bool by_columns = order == Order::column_major, as_is = trans == Transpose::none;
        const std::size_t rows = as_is ? m : n, columns = as_is ? n : m;
        const auto matrix = [&](std::size_t r, std::size_t c, std::size_t gap, unsigned seed) {
          const std::size_t length = by_columns ? r : c;
          return OperandData<T>::matrix(length, by_columns ? c : r, length + gap, 3, seed);
        };
        auto a = matrix(m, n, 2, 1), b = matrix(rows, columns, 5, 2);
        run_public(
            omatcopy<T>(order, trans, m, n, alpha, as_matrix(a.upload()), as_matrix(b.upload())));
        Expected<T> expected(b);
        for (std::size_t i = 0; i < rows; ++i)
          for (std::size_t j = 0; j < columns; ++j) {
            Sum sum;
            sum.add(alpha, conjugate_if(trans == Transpose::conjugate,
                                        a.all()[as_is ? a.at(order, i, j) : a.at(order, j, i)]));
            expected.set(b.at(order, i, j), sum);
          }
        ASSERT_EQ(expected.difference(b.download()), "");
      }
}

/// Windows that reach over the edge, step over points, and are larger than an image.
std::vector<Window> windows() {
  std::vector<Window> all{
      {.channels = 1, .height = 1, .width = 1},
      {.channels = 3, .height = 7, .width = 9, .kernel_h = 3, .kernel_w = 2},
      {2, 12, 11, 3, 4, 1, 2, 2, 3, 2, 1, false},
      {2, 5, 6, 3, 3, 2, 0, 3, 1, 1, 2, false},
  };
  const std::size_t count = all.size();
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(all[i]);
    all.back().flipped = true;
  }
  return all;
}

/// Calls visit(patch's element, image's element) for each pair that im2col has; the image's is -1
/// where the patch reaches over the edge.
template <class Visit>
void for_points(const Window& w, const Visit& visit) {
  for (std::size_t c = 0; c < w.channels; ++c)
    for (std::size_t h = 0; h < w.kernel_h; ++h)
      for (std::size_t v = 0; v < w.kernel_w; ++v)
        for (std::size_t row = 0; row < w.rows(); ++row)
          for (std::size_t column = 0; column < w.columns(); ++column) {
            const std::size_t point = h * w.kernel_w + v, points = w.kernel_h * w.kernel_w;
            const std::size_t line = c * points + (w.flipped ? points - 1 - point : point);
            const auto y = static_cast<std::int64_t>(row * w.stride_h + h * w.dilation_h) -
                           static_cast<std::int64_t>(w.pad_h);
            const auto x = static_cast<std::int64_t>(column * w.stride_w + v * w.dilation_w) -
                           static_cast<std::int64_t>(w.pad_w);
            const bool is_inside = y >= 0 && y < static_cast<std::int64_t>(w.height) && x >= 0 &&
                                   x < static_cast<std::int64_t>(w.width);
            const auto at = static_cast<std::int64_t>(c * w.height * w.width) +
                            y * static_cast<std::int64_t>(w.width) + x;
            visit((line * w.rows() + row) * w.columns() + column, is_inside ? at : -1);
          }
}

template <class T>
OperandData<T> block(std::size_t count, std::size_t offset, unsigned seed) {
  return OperandData<T>::vector(count, 1, offset, seed);
}

TYPED_TEST(Copies, im2col_lays_out_the_patches_of_an_image) {
  using T = TypeParam;
  for (const Window& w : windows()) {
    auto image = block<T>(w.points_of_image(), 2, 1);
    auto patches = block<T>(w.points_of_patch() * w.rows() * w.columns(), 3, 2);
    run_public(im2col<T>(w, as_block(image.upload()), as_block(patches.upload())));
    Expected<T> expected(patches);
    for_points(w, [&](std::size_t to, std::int64_t from) {
      Sum sum;
      if (from >= 0) sum.add(image.all()[image.at(static_cast<std::size_t>(from))]);
      expected.set(patches.at(to), sum);
    });
    ASSERT_EQ(expected.difference(patches.download()), "");
  }
}

TYPED_TEST(Copies, col2im_adds_up_what_patches_have_of_an_element) {
  using T = TypeParam;
  for (const T beta : {T(0), T(1), number<T>(-0.5, 2)})
    for (const Window& w : windows()) {
      auto image = block<T>(w.points_of_image(), 2, 1);
      auto patches = block<T>(w.points_of_patch() * w.rows() * w.columns(), 3, 2);
      run_public(col2im<T>(w, as_block(patches.upload()), beta, as_block(image.upload())));
      std::vector<Sum> sums(w.points_of_image());
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i].add(beta, image.all()[image.at(i)]);
      for_points(w, [&](std::size_t from, std::int64_t to) {
        if (to >= 0) sums[static_cast<std::size_t>(to)].add(patches.all()[patches.at(from)]);
      });
      Expected<T> expected(image);
      for (std::size_t i = 0; i < sums.size(); ++i) expected.set(image.at(i), sums[i]);
      ASSERT_EQ(expected.difference(image.download()), "");
    }
}

TYPED_TEST(Copies, conv_is_the_sum_over_each_patch_for_each_image_and_filter) {
  using T = TypeParam;
  constexpr std::size_t filters = 3, batch = 2;
  for (const Window& w : windows()) {
    const std::size_t places = w.rows() * w.columns(), points = w.points_of_patch();
    auto images = block<T>(batch * w.points_of_image(), 2, 1);
    auto kernels = block<T>(filters * points, 1, 2);
    auto results = block<T>(batch * filters * places, 3, 3);
    run_public(conv<T>(w, filters, batch, as_block(images.upload()), as_block(kernels.upload()),
                       as_block(results.upload())));
    std::vector<Sum> sums(batch * filters * places);
    for_points(w, [&](std::size_t patch, std::int64_t from) {
      if (from < 0) return;
      for (std::size_t item = 0; item < batch; ++item)
        for (std::size_t filter = 0; filter < filters; ++filter)
          sums[(item * filters + filter) * places + patch % places].add(
              kernels.all()[kernels.at(filter * points + patch / places)],
              images.all()[images.at(item * w.points_of_image() + static_cast<std::size_t>(from))]);
    });
    Expected<T> expected(results);
    for (std::size_t i = 0; i < sums.size(); ++i) expected.set(results.at(i), sums[i]);
    ASSERT_EQ(expected.difference(results.download()), "");
  }
}

TEST(CopiesRefuse, sizes_that_do_not_follow_from_the_window) {
  auto memory = block<float>(100, 0, 1);
  const Block at = as_block(memory.upload());
  const Window window{.channels = 1, .height = 4, .width = 4, .kernel_h = 2, .kernel_w = 2};
  Call call = im2col<float>(window, at, at);
  call.n += 1;
  EXPECT_NE(error_of([&] { run_public(call); }), "nothing");
  call = im2col<float>({.channels = 1, .height = 4, .width = 4, .stride_h = 0}, at, at);
  EXPECT_NE(error_of([&] { run_public(call); }), "nothing");
  call = conv<float>(window, 100, 1, at, at, at);
  EXPECT_EQ(error_of([&] { run_public(call); }),
            "bad_input: sconv: the buffer of matrix B is shorter than its sizes, offset and stride "
            "say");
}

}  // namespace
}  // namespace kiln::blas::testing
