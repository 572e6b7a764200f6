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

Product weights(Storage kind, std::size_t group, std::size_t rows, std::size_t few,
                std::size_t depth) {
  Product p = product(rows, few, depth, {kind, float32, float32});
  p.call.trans_a = Transpose::transpose;
  p.call.group_a = group;
  p.lies = Lies::aligned;
  return p;
}

// Lines that begin at multiples of 16 bytes go to the matrix units of GPUs that have them.
TEST(Skinny, lines_that_wide_accesses_read_are_right) {
  for (const char* form : {"", "gpu"})
    for (const Storage kind : {int4, int8})
      for (const std::size_t group : {0, 32, 64, 96, 128, 384})
        for (const auto& [rows, few, depth] : {std::array<std::size_t, 3>{50, 1, 128},
                                               {16, 1, 6000},
                                               {33, 2, 1157},
                                               {7, 3, 4097},
                                               {300, 4, 2200},
                                               {20, 5, 777}}) {
          Product p = weights(kind, group, rows, few, depth);
          p.form = form;
          SCOPED_TRACE(group);
          check(p);
        }
}

// Enough rows for every unit of a large GPU, and several blocks for each warp.
TEST(Skinny, many_rows_of_a_great_depth_are_right) {
  for (const auto& [kind, group] :
       {std::pair<Storage, std::size_t>{int4, 0}, {int4, 32}, {int4, 128}, {int8, 128}})
    check(weights(kind, group, 4099, 1, 8421));
}

TEST(Skinny, weights_times_vectors_of_all_kinds_and_orders) {
  for (const char* form : {"", "gpu"})
    for (const Storage kind : {float32, half, int4})
      for (const auto trans : {Transpose::none, Transpose::transpose})
        for (const std::size_t few : {1, 3}) {
          Product p = weights(int4, 64, 100, few, 1300);
          p.kinds[1] = kind;
          p.kinds[2] = half;
          p.vectors = half;
          p.call.trans_b = trans;
          p.call.epilogue = {Along::rows, Along::columns, Activation::gelu, true};
          p.form = form;
          check(p);
        }
}

// What three bfloat16 cannot stand for: they are parts of floats where the matrix units multiply.
TEST(Skinny, numbers_of_all_sizes_are_multiplied_as_floats) {
  const auto put = [](StoredData& b, std::size_t k, std::size_t j, float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    b.set(b.at(k, j), bits);
  };
  for (const char* form : {"", "gpu"})
    for (const std::size_t group : {0, 32, 128})
      for (const int exponent : {-149, -140, -130, -115, -100, -30, 30, 100, 110}) {
        Product p = weights(int4, group, 40, 2, 1100);
        p.form = form;
        p.call.beta = 0;
        p.change = [&](StoredData& b) {
          for (std::size_t k = 0; k < p.call.k; ++k)
            put(b, k, 0, static_cast<float>(std::ldexp(b.element(k, 0), exponent)));
        };
        check(p);
      }
}

TEST(Skinny, infinities_and_what_is_no_number_reach_the_results_that_they_are_part_of) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const std::uint32_t least_nan = 0x7f800001;
  float nan = 0;
  std::memcpy(&nan, &least_nan, sizeof nan);
  for (const char* form : {"", "gpu"})
    for (const Storage kind : {int4, int8})
      for (const std::size_t group : {0, 32, 128})
        for (const float value : {infinity, -infinity, nan})
          for (const std::size_t at : {0, 255, 700, 1099}) {
            Product p = weights(kind, group, 40, 2, 1100);
            p.form = form;
            p.change = [&](StoredData& b) {
              std::uint32_t bits = 0;
              std::memcpy(&bits, &value, sizeof bits);
              b.set(b.at(at, 1), bits);
            };
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
  constexpr std::size_t shares = 8, most_parts = 8;  // 45 rows in sixes, 32768 in parts of 4096
  const std::size_t parts = std::clamp<std::size_t>(units / shares, 1, most_parts);
  if (parts == 1)
    GTEST_SKIP() << "the device has " << units << " units, fewer than two for a share";
  for (const SequenceStep& step : explain(Machine::get().library(), p.call, queues).steps) {
    if (step.kernel != "skinny_rows") continue;
    EXPECT_EQ(step.global[0], parts * shares * step.local[0]);
    return check(p);
  }
  ADD_FAILURE() << "no step is skinny_rows";
}

}  // namespace
}  // namespace kiln::blas::testing
