#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>

#include "blas/routines/small_product.hpp"
#include "blas/routines/stored_product.hpp"
#include "kernel/resolver/resolver.hpp"

// Batches of products of halves, bfloat16 and bytes: on NVIDIA devices those of short numbers are
// a kernel of their own (templates/small_halves.cl), elsewhere what runs for each item.
namespace kiln::blas::testing {
namespace {

using enum Storage;

/// How the matrices of an operand lie.
struct HalfLayout {
  std::size_t offset = 0;  ///< elements
  std::size_t gap = 0;     ///< between the lines
  int apart = 0;           ///< elements between the items; -1: all share one matrix
};
std::ostream& operator<<(std::ostream& to, const HalfLayout& layout) {
  return to << layout.offset << " before the first, " << layout.gap << " between lines, "
            << layout.apart << " between items";
}

/// A matrix for each item of a batch. All that is not an element of one of them is NaN where the
/// kind has one: no product may read it.
class StoredItems {
 public:
  StoredItems(Storage kind, Order order, std::size_t rows, std::size_t columns, std::size_t entries,
              const HalfLayout& layout, unsigned seed)
      : order_(order),
        offset_(layout.offset),
        ld_((order == Order::column_major ? rows : columns) + layout.gap),
        stride_(layout.apart < 0 ? 0
                                 : ld_ * (order == Order::column_major ? columns : rows) +
                                       static_cast<std::size_t>(layout.apart)),
        // One line that holds all.
        data_(kind, Order::column_major,
              offset_ + (entries - 1) * stride_ +
                  ld_ * (order == Order::column_major ? columns : rows) + 7,
              1, seed * 12),
        is_element_(data_.size()) {
    for (std::size_t item = 0; item < entries; ++item)
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) is_element_[at(item, i, j)] = true;
    fill(false);
  }
  /// Makes NaN of all elements, or of all that are none.
  void fill(bool elements) {
    if (is_whole_number(data_.kind())) return;
    for (std::size_t i = 0; i < data_.size(); ++i)
      if (is_element_[i] == elements) data_.set(i, data_.kind() == native ? 0x7fc00000 : 0x7fff);
  }
  std::size_t at(std::size_t item, std::size_t i, std::size_t j) const {
    return offset_ + item * stride_ + (order_ == Order::column_major ? j * ld_ + i : i * ld_ + j);
  }
  double element(std::size_t item, std::size_t i, std::size_t j) const {
    return data_.number(at(item, i, j));
  }
  Operand upload() {
    Operand operand = data_.upload();
    operand.offset = offset_;
    operand.stride = static_cast<std::int64_t>(ld_);
    operand.batch_stride = static_cast<std::int64_t>(stride_);
    return operand;
  }
  StoredData& data() { return data_; }

 private:
  Order order_;
  std::size_t offset_, ld_, stride_;
  StoredData data_;
  std::vector<bool> is_element_;
};

struct Batched {
  std::size_t m = 1, n = 1, k = 1, entries = 3;
  std::array<Storage, 3> kinds{half, half, half};
  std::array<HalfLayout, 3> layouts{};
  Order order = Order::column_major;
  Transpose trans_a = Transpose::none, trans_b = Transpose::none;
  double alpha = -0.75, beta = 1.25;
  std::size_t queues = 1;
};

void check(const Batched& p) {
  Call call;
  call.routine = Routine::gemm;
  call.precision = Precision::s;
  call.order = p.order;
  call.trans_a = p.trans_a;
  call.trans_b = p.trans_b;
  call.m = p.m;
  call.n = p.n;
  call.k = p.k;
  call.batch = p.entries;
  call.alpha = p.alpha;
  call.beta = p.beta;
  const bool turned_a = p.trans_a != Transpose::none, turned_b = p.trans_b != Transpose::none;
  StoredItems a(p.kinds[0], p.order, turned_a ? p.k : p.m, turned_a ? p.m : p.k, p.entries,
                p.layouts[0], 1);
  StoredItems b(p.kinds[1], p.order, turned_b ? p.n : p.k, turned_b ? p.k : p.n, p.entries,
                p.layouts[1], 2);
  StoredItems c(p.kinds[2], p.order, p.m, p.n, p.entries, p.layouts[2], 3);
  if (p.alpha == 0) {
    a.fill(true);
    b.fill(true);
  }
  if (p.beta == 0) c.fill(true);
  call[Slot::a] = a.upload();
  call[Slot::b] = b.upload();
  call[Slot::c] = c.upload();
  ASSERT_EQ(run(call, p.queues), Status::success) << text_of(call);

  ExpectedStored expected(c.data());
  for (std::size_t item = 0; item < p.entries; ++item)
    for (std::size_t i = 0; i < p.m; ++i)
      for (std::size_t j = 0; j < p.n; ++j) {
        double sum = 0, magnitude = 0;
        const auto add = [&](double term) {
          sum += term;
          magnitude += std::abs(term);
        };
        for (std::size_t k = 0; k < p.k && p.alpha != 0; ++k)
          add(p.alpha * (turned_a ? a.element(item, k, i) : a.element(item, i, k)) *
              (turned_b ? b.element(item, j, k) : b.element(item, k, j)));
        if (p.beta != 0) add(p.beta * c.element(item, i, j));
        expected.set(c.at(item, i, j), sum, (static_cast<double>(p.k) + 6) * unit * magnitude);
      }
  EXPECT_EQ(expected.difference(), "")
      << text_of(call) << " batch " << p.entries << " kinds " << static_cast<int>(p.kinds[0])
      << static_cast<int>(p.kinds[2]) << " offsets " << p.layouts[0].offset << " gaps "
      << p.layouts[0].gap << " apart " << p.layouts[0].apart << " queues " << p.queues;
}

std::array<HalfLayout, 3> all(const HalfLayout& layout) { return {layout, layout, layout}; }

constexpr std::array<Storage, 3> all_half{half, half, half},
    all_bfloat16{bfloat16, bfloat16, bfloat16};

TEST(BatchedHalves, are_right_for_all_orders_and_transposes) {
  constexpr std::array<std::array<std::size_t, 3>, 3> sizes{
      {{19, 23, 6}, {32, 16, 24}, {40, 24, 72}}};
  std::size_t count = 0;
  for (const auto order : orders)
    for (const auto trans_a : transposes)
      for (const auto trans_b : transposes) {
        const auto& [m, n, k] = sizes[count % sizes.size()];
        check({.m = m,
               .n = n,
               .k = k,
               .kinds = count++ % 2 == 0 ? all_half : all_bfloat16,
               .order = order,
               .trans_a = trans_a,
               .trans_b = trans_b});
      }
}

// Sizes around those of the tiles of warps and of what is in local memory at a time.
class BatchedHalvesOfSize : public ::testing::TestWithParam<std::size_t> {};

// Each size is a kernel to compile on GPUs: all three dimensions at once, and one of them alone.
TEST_P(BatchedHalvesOfSize, are_right) {
  const std::size_t size = GetParam();
  const auto trans_a = size % 3 == 0 ? Transpose::transpose : Transpose::none;
  const auto trans_b = size % 2 == 0 ? Transpose::transpose : Transpose::none;
  check({.m = size, .n = size, .k = size, .entries = 2, .trans_a = trans_b, .trans_b = trans_a});
  std::array<std::size_t, 3> sizes{10, 13, 18};
  sizes[size / 2 % 3] = size;
  check({.m = sizes[0], .n = sizes[1], .k = sizes[2], .trans_a = trans_a, .trans_b = trans_b});
}

INSTANTIATE_TEST_SUITE_P(In, BatchedHalvesOfSize,
                         ::testing::Values(1, 2, 3, 5, 7, 8, 9, 13, 15, 16, 17, 23, 31, 32, 33, 47,
                                           48, 63, 64, 65, 97, 128));

TEST(BatchedHalves, beyond_the_largest_size_go_other_ways) {
  for (const auto& [m, n, k] :
       {std::array<std::size_t, 3>{129, 9, 17}, {8, 131, 16}, {24, 16, 130}, {64, 64, 513}})
    check({.m = m, .n = n, .k = k, .entries = 2});
}

// Lines, items and first elements that begin at multiples of 16, 8, 4 or 2 bytes.
class BatchedHalvesThatLie : public ::testing::TestWithParam<HalfLayout> {};

TEST_P(BatchedHalvesThatLie, anyhow_are_right) {
  const HalfLayout& layout = GetParam();
  for (const auto order : orders)
    for (const auto trans : {Transpose::none, Transpose::transpose}) {
      const bool is_odd = (order == Order::row_major) == (trans == Transpose::none);
      const std::size_t size = is_odd ? 21 : 40;
      check({.m = size,
             .n = size + layout.gap + 8,
             .k = is_odd ? 19u : 24u,
             .kinds = order == Order::row_major ? all_half : all_bfloat16,
             .layouts = all(layout),
             .order = order,
             .trans_a = trans,
             .trans_b = trans});
    }
}

INSTANTIATE_TEST_SUITE_P(In, BatchedHalvesThatLie,
                         ::testing::Values(HalfLayout{1, 0, 0}, HalfLayout{8, 8, 8},
                                           HalfLayout{4, 0, 0}, HalfLayout{2, 0, 0},
                                           HalfLayout{0, 4, 0}, HalfLayout{0, 6, 2},
                                           HalfLayout{0, 1, 0}, HalfLayout{3, 5, 7},
                                           HalfLayout{0, 0, 4}, HalfLayout{0, 0, 1}));

TEST(BatchedHalves, of_which_one_operand_lies_otherwise_are_right) {
  for (const std::size_t operand : {0, 1, 2}) {
    Batched p{.m = 48, .n = 32, .k = 40};
    p.layouts[operand] = {1, 3, 1};
    check(p);
    p.layouts[operand] = {2, 2, 4};
    check(p);
  }
}

TEST(BatchedHalves, neither_beta_zero_nor_alpha_zero_reads_what_it_is_multiplied_with) {
  for (const auto& kinds : {all_half, all_bfloat16, std::array{half, half, native}})
    for (const std::size_t size : {16, 23, 129})
      for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, {0.0, 0.0}, {0.0, 1.0}, {0.0, 0.5}})
        check({.m = size, .n = 17, .k = 20, .kinds = kinds, .alpha = alpha, .beta = beta});
}

TEST(BatchedHalves, a_depth_of_zero_leaves_beta_c) {
  for (const double beta : {0.0, 1.0, -0.5})
    for (const std::size_t size : {16, 23}) check({.m = size, .n = 9, .k = 0, .beta = beta});
}

TEST(BatchedHalves, results_may_be_of_other_kinds) {
  for (const Storage factor : {half, bfloat16})
    for (const Storage result : {native, half, bfloat16})
      for (const double beta : {0.0, 1.25})
        for (const HalfLayout& layout : {HalfLayout{}, HalfLayout{1, 3, 1}})
          check({.m = 33,
                 .n = 20,
                 .k = 40,
                 .kinds = {factor, factor, result},
                 .layouts = all(layout),
                 .beta = beta});
  // Others than these, and factors of two kinds, go other ways.
  check({.m = 17, .n = 20, .k = 9, .kinds = {half, bfloat16, half}});
  check({.m = 17, .n = 20, .k = 9, .kinds = {half, half, e5m2}});
  check({.m = 17, .n = 20, .k = 9, .kinds = {native, half, half}});
  check({.m = 17, .n = 20, .k = 9, .kinds = {int8, int8, int32}, .alpha = 1, .beta = 2});
}

TEST(BatchedHalves, items_may_share_a_factor) {
  for (const std::size_t operand : {0, 1}) {
    Batched p{.m = 24, .n = 33, .k = 17, .entries = 5};
    p.layouts[operand].apart = -1;
    check(p);
  }
}

TEST(BatchedHalves, of_many_items_and_of_one) {
  check({.m = 8, .n = 8, .k = 8, .entries = 1003});
  check({.m = 64, .n = 64, .k = 64, .entries = 301});
  check({.m = 5, .n = 3, .k = 2, .entries = 1001});
  for (const std::size_t entries : {1, 2, 3, 5})
    check({.m = 9, .n = 16, .k = 24, .entries = entries, .queues = 1});
}

TEST(BatchedHalves, queues_share_the_items) {
  for (const std::size_t queues : {2, 3})
    for (const std::size_t entries : {2, 7})
      check({.m = 20, .n = 24, .k = 16, .entries = entries, .queues = queues});
}

TEST(BatchedHalves, values_that_are_no_numbers_stay_in_their_rows_and_items) {
  for (const Storage kind : {half, bfloat16})
    for (const bool is_nan : {true, false}) {
      StoredItems a(kind, Order::column_major, 11, 6, 3, {}, 1),
          b(kind, Order::column_major, 6, 9, 3, {}, 2),
          c(kind, Order::column_major, 11, 9, 3, {}, 3);
      a.data().set(a.at(1, 10, 4), is_nan ? 0x7fff : kind == half ? 0x7c00 : 0x7f80);
      Call call;
      call.routine = Routine::gemm;
      call.precision = Precision::s;
      call.m = 11;
      call.n = 9;
      call.k = 6;
      call.batch = 3;
      call[Slot::a] = a.upload();
      call[Slot::b] = b.upload();
      call[Slot::c] = c.upload();
      ASSERT_EQ(run(call), Status::success);
      const auto now = c.data().download();
      for (std::size_t item = 0; item < 3; ++item)
        for (std::size_t i = 0; i < 11; ++i)
          for (std::size_t j = 0; j < 9; ++j) {
            const double value = meaning_of(kind, StoredData::bits_at(kind, now, c.at(item, i, j)));
            EXPECT_EQ(std::isfinite(value), item != 1 || i != 10) << item << " " << i << " " << j;
          }
    }
}

TEST(BatchedHalves, have_a_kernel_of_their_own_where_there_are_matrix_units) {
  const auto takes = [](const char* form, auto change) {
    Resolver resolver(nullptr, CompilePolicy::here);
    Call call;
    call.routine = Routine::gemm;
    call.m = call.n = call.k = 64;
    for (const Slot slot : {Slot::a, Slot::b, Slot::c}) call[slot].stored = half;
    change(call);
    const SequenceBuilder builder(call, nullptr, {Machine::get().device_pointer()}, resolver, form);
    return takes_small_halves(builder, 0);
  };
  const auto as_is = [](Call&) {};
  for (const char* form : {"sm80", "sm90", "sm90a"}) EXPECT_TRUE(takes(form, as_is)) << form;
  for (const char* form : {"cpu", "gpu", "gpu32", "gpu_small"})
    EXPECT_FALSE(takes(form, as_is)) << form;
  EXPECT_TRUE(takes("sm80", [](Call& call) { call[Slot::c].stored = bfloat16; }));
  EXPECT_TRUE(takes("sm80", [](Call& call) { call[Slot::c].stored = native; }));
  EXPECT_FALSE(takes("sm80", [](Call& call) { call[Slot::c].stored = e5m2; }));
  EXPECT_FALSE(takes("sm80", [](Call& call) { call[Slot::b].stored = bfloat16; }));
  EXPECT_FALSE(takes("sm80", [](Call& call) { call[Slot::a].stored = native; }));
  for (std::size_t Call::*const size : {&Call::m, &Call::n, &Call::k})
    EXPECT_FALSE(takes("sm80", [&](Call& call) { call.*size = 129; }));
}

// A result beyond the largest half is infinite, and small ones keep their bits.
TEST(BatchedHalves, results_are_rounded_once_also_at_the_ends_of_their_range) {
  for (const double alpha : {6e4, 1e-6, 2e-8})
    check({.m = 17, .n = 16, .k = 24, .alpha = alpha, .beta = 0});
}

}  // namespace
}  // namespace kiln::blas::testing
