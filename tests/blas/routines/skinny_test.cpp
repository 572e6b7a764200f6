#include "blas/api/library.hpp"
#include "blas/routines/stored_product.hpp"

// Products with a factor of a few columns or rows, which have kernels of their own.
namespace kiln::blas::testing {
namespace {

using enum Storage;

TEST(Skinny, is_right_for_few_columns_and_few_rows) {
  for (const char* form : {"", "gpu"})
    for (const auto order : orders)
      for (const auto trans_a : {Transpose::none, Transpose::transpose})
        for (const auto trans_b : {Transpose::none, Transpose::transpose})
          for (const auto& [m, n, k] : {std::array<std::size_t, 3>{131, 3, 67},
                                        {3, 131, 67},
                                        {200, 8, 33},
                                        {2, 2, 9000},
                                        {67, 1, 40},
                                        {1, 300, 19}}) {
            Product p = product(m, n, k, {float32, float32, float32});
            p.call.order = order;
            p.call.trans_a = trans_a;
            p.call.trans_b = trans_b;
            p.form = form;
            check(p);
          }
}

TEST(Skinny, reads_all_kinds_as_they_lie) {
  for (const char* form : {"", "gpu"})
    for (const Storage kind : {half, bfloat16, int8, int4})
      for (const auto trans : {Transpose::none, Transpose::transpose}) {
        const bool is_along = trans == Transpose::transpose;
        Product p = product(140, is_along ? 1 : 5, 257, {kind, is_along ? half : float32, half});
        p.call.trans_a = trans;
        p.call.trans_b = is_along ? Transpose::none : Transpose::transpose;
        p.form = form;
        check(p);
      }
}

// Weights in groups, by rows, times a vector: what generating text is bound by.
TEST(Skinny, factors_in_groups_have_their_scales) {
  for (const char* form : {"", "gpu"})
    for (const Storage kind : {int4, int8})
      for (const std::size_t few : {1, 4})
        for (const auto& [group, depth] :
             {std::pair<std::size_t, std::size_t>{32, 320}, {64, 200}, {128, 9000}}) {
          Product p = product(50, few, depth, {kind, float32, float32});
          p.call.trans_a = Transpose::transpose;
          p.call.group_a = group;
          p.form = form;
          check(p);
        }
}

TEST(Skinny, results_go_through_what_comes_after) {
  for (const char* form : {"", "gpu"})
    for (const bool is_row : {true, false}) {
      Product p = product(is_row ? 3 : 90, is_row ? 90 : 3, 5000, {half, half, half});
      p.call.trans_a = Transpose::transpose;
      p.call.epilogue = {Along::rows, Along::columns, Activation::gelu, true};
      p.vectors = half;
      p.form = form;
      check(p);
    }
}

TEST(Skinny, sums_of_doubles_are_of_doubles) {
  for (const char* form : {"", "gpu"})
    for (const auto trans : {Transpose::none, Transpose::transpose}) {
      const std::size_t m = 90, n = 4, k = 5000;
      auto a = matrix_data<double>(Order::column_major, trans == Transpose::none ? m : k,
                                   trans == Transpose::none ? k : m, 1);
      auto b = matrix_data<double>(Order::column_major, k, n, 2);
      auto c = matrix_data<double>(Order::column_major, m, n, 3);
      Call call;
      call.routine = Routine::gemm;
      call.precision = Precision::d;
      call.trans_a = trans;
      call.m = m;
      call.n = n;
      call.k = k;
      call.beta = 0.5;
      call[Slot::a] = a.upload();
      call[Slot::b] = b.upload();
      call[Slot::c] = c.upload();
      ASSERT_EQ(run(call, 2, form), Status::success);
      const auto left = applied(element_of(a, Order::column_major), trans);
      const auto right = element_of(b, Order::column_major);
      blas::testing::Expected<double> expected(c);
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          Sum sum;
          sum.add(call.beta, c.all()[c.at(Order::column_major, i, j)]);
          for (std::size_t l = 0; l < k; ++l) sum.add(left(i, l), right(l, j));
          expected.set(c.at(Order::column_major, i, j), sum);
        }
      EXPECT_EQ(expected.difference(c.download()), "");
    }
}

// Of few rows the depth has parts on devices of many units: every part's rows are shared, too.
// Tests run this in a process with many threads, whatever the machine has.
TEST(Skinny, parts_of_the_depth_take_as_many_units_as_the_device_has) {
  Product p = product(45, 3, 32768, {float32, float32, float32});
  p.call.routine = Routine::gemm;
  p.call.precision = Precision::s;
  p.call.trans_a = Transpose::transpose;
  p.call[Slot::a].stride = p.call[Slot::b].stride = 32768;
  p.call[Slot::c].stride = 45;
  const auto queues = Machine::get().queues();
  cl_device_id device = nullptr;
  check_cl(::clGetCommandQueueInfo(queues[0], CL_QUEUE_DEVICE, sizeof device, &device, nullptr),
           "clGetCommandQueueInfo");
  cl_uint units = 0;
  check_cl(::clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr),
           "clGetDeviceInfo");
  // A CPU's work-item has six rows and at least 4096 of the depth; a GPU's work-group two rows a
  // warp and 512, with eight groups a unit.
  const bool is_cpu = Machine::get().device().type == Device::Type::cpu;
  for (const SequenceStep& step : explain(Machine::get().library(), p.call, queues).steps) {
    if (step.kernel != "skinny_rows") continue;
    const std::size_t rows = is_cpu ? 6 : step.local[0] / 32 * 2, shares = (45 + rows - 1) / rows;
    const std::size_t parts = std::clamp<std::size_t>(units * (is_cpu ? 1 : 8) / shares, 1,
                                                      32768 / (is_cpu ? 4096 : 512));
    if (parts == 1)
      GTEST_SKIP() << "the device has " << units << " units, fewer than two for a share";
    EXPECT_EQ(step.global[0], parts * shares * step.local[0]);
    return check(p);
  }
  ADD_FAILURE() << "no step is skinny_rows";
}

}  // namespace
}  // namespace kiln::blas::testing
