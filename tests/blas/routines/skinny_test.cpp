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
    for (const auto& [kind, group] : {std::pair<Storage, std::size_t>{int4, 0},
                                      {int4, 32},
                                      {int4, 64},
                                      {int4, 384},
                                      {int8, 0},
                                      {int8, 32},
                                      {int8, 96}})
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

void put(StoredData& b, std::size_t k, std::size_t j, float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  b.set(b.at(k, j), bits);
}

// Lines that begin at multiples of 16 bytes, but for the offset of the first.
TEST(Skinny, an_offset_that_spoils_the_alignment_does_not_spoil_the_result) {
  for (const char* form : {"", "gpu"})
    for (const Storage kind : {int4, int8})
      for (const std::size_t group : {0, 128})
        for (const auto& [rows, few, depth] :
             {std::array<std::size_t, 3>{50, 1, 1131}, {33, 2, 258}, {300, 1, 5003}}) {
          Product p = weights(kind, group, rows, few, depth);
          p.lies = Lies::aligned_but_offset;
          p.form = form;
          check(p);
        }
}

// More groups than local memory has scales of at a time.
TEST(Skinny, many_groups_have_their_scales) {
  for (const char* form : {"", "gpu"})
    for (const auto& [group, depth] :
         {std::pair<std::size_t, std::size_t>{32, 40003}, {64, 70001}, {128, 70500}}) {
      Product p = weights(int4, group, 40, 1, depth);
      p.form = form;
      check(p);
    }
}

// What the digits of a vector cannot stand for is multiplied as floats.
TEST(Skinny, numbers_of_all_sizes_are_multiplied_as_floats) {
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

// Each row has weights that are 0 where numbers are large: small ones count there.
TEST(Skinny, numbers_of_very_different_size_share_a_vector) {
  for (const char* form : {"", "gpu"})
    for (const Storage kind : {int4, int8})
      for (const std::size_t group : {0, 32, 128})
        for (const int range : {20, 34, 36, 40, 80, 120})
          for (const bool is_rising : {false, true}) {
            Product p = weights(kind, group, 60, 2, 1301);
            p.form = form;
            p.call.beta = 0;
            p.change = [&](StoredData& b) {
              std::mt19937 random(static_cast<unsigned>(range));
              for (std::size_t k = 0; k < p.call.k; ++k) {
                const auto depth = static_cast<int>(p.call.k);
                const int steps = is_rising ? static_cast<int>(k) * range / depth
                                            : static_cast<int>(random() % (range + 1u));
                put(b, k, 0, static_cast<float>(std::ldexp(b.element(k, 0), steps - range)));
                put(b, k, 1, random() % 5 != 0 ? 0.0f : static_cast<float>(b.element(k, 1)));
              }
            };
            p.change_a = [&](StoredData& a) {
              for (std::size_t i = 0; i < p.call.m; ++i)
                for (std::size_t k = 0; k < p.call.k; ++k)
                  if (i % 3 == 0 && k % 4 != i / 3 % 4) a.set(a.at(k, i), 0);
            };
            check(p);
          }
}

TEST(Skinny, zeros_are_multiplied) {
  for (const char* form : {"", "gpu"})
    for (const std::size_t first : {0, 500, 1100}) {
      Product p = weights(int4, 128, 40, 2, 1100);
      p.form = form;
      p.change = [&](StoredData& b) {
        for (std::size_t k = first; k < p.call.k; ++k) put(b, k, 0, k % 2 == 0 ? 0.0f : -0.0f);
        for (std::size_t k = 0; k < first; ++k) put(b, k, 1, 0.0f);
      };
      check(p);
    }
}

// Small integers, whose lower digits are 0: an infinite scale must not make NaN of those.
TEST(Skinny, scales_that_are_infinite_or_no_number_are_those_of_their_rows) {
  for (const char* form : {"", "gpu"})
    for (const std::size_t group : {32, 128})
      for (const std::uint32_t scale : {0x7c00u, 0xfc00u, 0x7e00u}) {
        Product p = weights(int8, group, 70, 2, 1100);
        p.form = form;
        p.change = [&](StoredData& b) {
          for (std::size_t k = 0; k < p.call.k; ++k)
            for (std::size_t j = 0; j < 2; ++j) put(b, k, j, static_cast<float>(1 + (k + j) % 3));
        };
        p.change_a = [&](StoredData& a) {
          for (std::size_t i = 0; i < p.call.m; ++i)
            for (std::size_t k = 0; k < p.call.k; ++k)
              a.set(a.at(k, i), static_cast<std::uint32_t>(1 + (i + k) % 100));
        };
        p.change_scales = [&](StoredData& scales) {
          for (const std::size_t i : {0, 21, 33, 69}) scales.set(scales.at(i, i % 7), scale);
        };
        check(p);
      }
}

// The same bits, launch after launch: no sum depends on which work-item comes first.
TEST(Skinny, results_of_weights_in_groups_do_not_change_from_call_to_call) {
  for (const char* form : {"", "gpu"})
    for (const auto& [group, few] :
         {std::pair<std::size_t, std::size_t>{128, 1}, {32, 1}, {64, 2}}) {
      StoredData a(int4, Order::column_major, 6016, 700, 1, Lies::aligned);
      StoredData b(float32, Order::column_major, 6016, few, 2);
      StoredData c(float32, Order::column_major, 700, few, 3);
      StoredData scales(half, Order::row_major, 700, (6016 + group - 1) / group, 4);
      Call call = weights(int4, group, 700, few, 6016).call;
      call.routine = Routine::gemm;
      call.precision = Precision::s;
      call.beta = 0;
      call[Slot::a] = a.upload();
      call[Slot::b] = b.upload();
      call[Slot::c] = c.upload();
      call[Slot::scale_a] = scales.upload();
      call[Slot::scale_a].stored = Storage::native;
      ASSERT_EQ(run(call, 1, form), Status::success);
      const auto once = c.download();
      const int times = std::string(form).empty() ? 200 : 3;
      for (int time = 0; time < times; ++time) {
        ASSERT_EQ(run(call, 1, form), Status::success);
        ASSERT_EQ(c.download(), once) << "call " << time << ", groups of " << group;
      }
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
