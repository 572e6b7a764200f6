#include "kiln/blas/batch.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "blas/call/validate.hpp"
#include "blas/routines/batch_data.hpp"
#include "kiln/blas/level1.hpp"

namespace kiln::blas::testing {
namespace {

template <class T>
class BatchedGemm : public ::testing::Test {
 public:
  struct How {
    Gaps gaps{};
    std::size_t queues = 1;
    std::string form{};
    bool poisoned = false;  ///< NaN where nothing may be read
  };
  static void check(Call call, const How& how) {
    ProductData<T> data(call, how.gaps);
    const T nan(std::numeric_limits<Real<T>>::quiet_NaN());
    if (how.poisoned && call.beta == Scalar(0))
      std::fill(data.c.all().begin(), data.c.all().end(), nan);
    if (how.poisoned && call.alpha == Scalar(0)) {
      std::fill(data.a.all().begin(), data.a.all().end(), nan);
      std::fill(data.b.all().begin(), data.b.all().end(), nan);
    }
    data.upload(call);
    ASSERT_EQ(run(call, how.queues, how.form), Status::success) << text_of(call);
    Expected<T> expected(data.c.data());
    for (std::size_t item = 0; item < call.batch; ++item)
      data.expect(call, {item, item, item}, call.alpha, call.beta, expected);
    ASSERT_EQ(expected.difference(data.c.data().download()), "")
        << text_of(call) << " batch " << call.batch << " queues " << how.queues << " form "
        << how.form;
  }
  static Call call(std::size_t m, std::size_t n, std::size_t k, std::size_t entries) {
    return batch_of_products<T>(m, n, k, entries);
  }
};
TYPED_TEST_SUITE(BatchedGemm, Precisions);

TYPED_TEST(BatchedGemm, is_right_for_all_orders_and_transposes) {
  for (const auto order : orders)
    for (const auto trans_a : transposes)
      for (const auto trans_b : transposes)
        for (const std::size_t gap : {0, 2}) {
          // By rows it is the same kernel as by columns with other transposes.
          if (order == Order::row_major && gap == 0) continue;
          auto call = gap == 0 ? this->call(19, 23, 6, 3) : this->call(5, 3, 7, 3);
          call.order = order;
          call.trans_a = trans_a;
          call.trans_b = trans_b;
          this->check(call, {.gaps = {gap, 0, 3, 1}});
        }
}

TYPED_TEST(BatchedGemm, forms_for_gpus_are_right_on_any_device) {
  for (const auto trans_a : transposes)
    for (const auto trans_b : transposes) {
      auto call = this->call(19, 10, 7, 5);
      call.order = trans_a == trans_b ? Order::row_major : Order::column_major;
      call.trans_a = trans_a;
      call.trans_b = trans_b;
      this->check(call, {.gaps = {trans_a == Transpose::none ? 1u : 0u, 0, 3, 1}, .form = "gpu"});
    }
  // Depths that local memory holds in parts, and sizes at the borders of what work-items take.
  for (const char* form : {"gpu", "gpu32", "gpu_small"})
    for (const auto& [m, n, k] :
         {std::array<std::size_t, 3>{64, 64, 70}, {33, 64, 256}, {1, 1, 1}, {65, 130, 9}}) {
      auto call = this->call(m, n, k, 2);
      call.trans_a = m == 33 ? Transpose::transpose : Transpose::none;
      this->check(call, {.form = form});
    }
}

// Vectors of every width, strips of vectors, and tiles with columns left over.
TYPED_TEST(BatchedGemm, is_right_for_all_heights_and_widths) {
  for (const std::size_t size : {1, 2, 3, 5, 7, 8, 9, 13, 17, 23, 33, 41, 64})
    this->check(this->call(size, 3, 2, 2), {});
  for (const std::size_t size : {1, 5, 13, 29, 65}) this->check(this->call(7, size, 3, 2), {});
  for (const std::size_t k : {31, 512, 513}) this->check(this->call(9, 5, k, 2), {});
  this->check(this->call(53, 47, 13, 3), {});
  auto call = this->call(130, 70, 11, 2);
  this->check(call, {});
  call.trans_a = call.trans_b = Transpose::conjugate;
  this->check(call, {});
}

TYPED_TEST(BatchedGemm, neither_beta_zero_nor_alpha_zero_reads_what_it_is_multiplied_with) {
  for (const char* form : {"", "gpu"})
    for (const std::size_t size : {9, 258}) {
      if (size > 256 && form[0] != 0) continue;
      auto call = this->call(size, 9, 7, 2);
      call.trans_a = Transpose::transpose;
      call.beta = 0;
      this->check(call, {.form = form, .poisoned = true});
      call.alpha = 0;
      this->check(call, {.form = form, .poisoned = true});
      for (const int beta : {1, 2}) {
        call.beta = beta;
        this->check(call, {.form = form, .poisoned = true});
      }
    }
}

TYPED_TEST(BatchedGemm, a_depth_of_zero_leaves_beta_c) {
  for (const char* form : {"", "gpu"})
    for (const std::size_t size : {9, 258}) this->check(this->call(size, 8, 0, 3), {.form = form});
}

TYPED_TEST(BatchedGemm, items_may_share_a_factor) {
  for (const char* form : {"", "gpu"})
    for (const std::size_t size : {11, 258}) {
      if (size > 256 && form[0] != 0) continue;
      this->check(this->call(size, 6, 5, 4), {.gaps = {0, -1, 0, 0}, .form = form});
      this->check(this->call(size, 6, 5, 4), {.gaps = {0, 0, -1, 0}, .form = form});
    }
}

TYPED_TEST(BatchedGemm, queues_share_the_items) {
  for (const std::size_t queues : {2, 3, 4})
    for (const std::size_t size : {12, 258})
      for (const std::size_t entries : {2, 7}) {
        auto call = this->call(size, 12, 9, entries);
        call.order = Order::row_major;
        this->check(call, {.gaps = {0, 0, 0, 5}, .queues = queues});
      }
}

TYPED_TEST(BatchedGemm, many_items_are_shared_by_the_cores) {
  this->check(this->call(8, 8, 8, 3001), {.gaps = {0, 0, 0, 1}});
  this->check(this->call(4, 5, 3, 257), {.form = "gpu"});
}

TYPED_TEST(BatchedGemm, items_may_lie_between_one_anothers_lines) {
  constexpr std::size_t entries = 3, n = 6;
  auto call = this->call(4, n, 5, entries);
  ProductData<TypeParam> data(call, {});
  data.upload(call);
  auto c = OperandData<TypeParam>::matrix(4 * entries, n, 4 * entries, 1, 7);
  call[Slot::c] = c.upload();
  call[Slot::c].batch_stride = 4;
  call.beta = 0;
  ASSERT_EQ(run(call), Status::success);
  Expected<TypeParam> expected(c);
  for (std::size_t item = 0; item < entries; ++item)
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        Sum sum;
        for (std::size_t k = 0; k < 5; ++k)
          sum.add(Wide(call.alpha) * data.a.element(item, Transpose::none)(i, k),
                  data.b.element(item, Transpose::none)(k, j));
        sum.terms += 2;
        expected.set(c.at(Order::column_major, item * 4 + i, j), sum);
      }
  EXPECT_EQ(expected.difference(c.download()), "");
}

// What a NaN or an infinity of one item is multiplied with becomes one; other items do not.
TYPED_TEST(BatchedGemm, values_that_are_no_numbers_stay_in_their_rows_and_items) {
  using R = Real<TypeParam>;
  for (const char* form : {"", "gpu"})
    for (const R value :
         {std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::infinity()}) {
      auto call = this->call(11, 9, 6, 3);
      call.alpha = 1;
      call.beta = 0;
      ProductData<TypeParam> data(call, {});
      data.a.all()[data.a.at(1, 10, 4)] = TypeParam(value);
      data.upload(call);
      ASSERT_EQ(run(call, 1, form), Status::success);
      const auto now = data.c.data().download();
      for (std::size_t item = 0; item < 3; ++item)
        for (std::size_t i = 0; i < 11; ++i)
          for (std::size_t j = 0; j < 9; ++j) {
            const auto real = std::real(now[data.c.at(item, i, j)]);
            EXPECT_EQ(std::isfinite(real), item != 1 || i != 10) << item << " " << i << " " << j;
          }
    }
}

// ---- Items at places of their own
template <class T>
class BatchOfPlaces : public ::testing::Test {
 public:
  static std::vector<BatchItem> items_of(const ProductData<T>& data) {
    // Places in any order; two share an A, and one has an alpha, another a beta, of 0.
    const std::size_t a[] = {3, 0, 3, 1}, b[] = {0, 2, 1, 3}, c[] = {2, 3, 0, 1};
    std::vector<BatchItem> entries;
    for (std::size_t i = 0; i < 4; ++i)
      entries.push_back({a[i] * data.a.stride(), b[i] * data.b.stride(), c[i] * data.c.stride(),
                         i == 2 ? Scalar(0) : scalar_of<T>(0.5 + static_cast<double>(i), 0.25),
                         i == 1 ? Scalar(0) : scalar_of<T>(-1, 0.5)});
    return entries;
  }
  static void check(std::size_t size, std::size_t queues, Order order = Order::column_major) {
    auto call = batch_of_products<T>(size, std::min<std::size_t>(size + 1, 31), 6, 4);
    call.order = order;
    call.trans_b = Transpose::transpose;
    ProductData<T> data(call, {1, 0, 2, 3});
    const auto entries = items_of(data);
    data.upload(call);
    call.batch = 1;
    const auto on = Machine::get().queues(queues);
    Batch batch(call, entries, on);
    std::vector<cl_event> events(queues, nullptr);
    batch.run({}, events);
    ASSERT_NE(events[0], nullptr);
    for (cl_event event : events)
      if (event != nullptr) {
        ASSERT_EQ(::clWaitForEvents(1, &event), CL_SUCCESS);
        ::clReleaseEvent(event);
      }
    Expected<T> expected(data.c.data());
    for (const BatchItem& item : entries)
      data.expect(call,
                  {item.a / data.a.stride(), item.b / data.b.stride(), item.c / data.c.stride()},
                  item.alpha, item.beta, expected);
    EXPECT_EQ(expected.difference(data.c.data().download()), "") << size << " queues " << queues;
  }
};
TYPED_TEST_SUITE(BatchOfPlaces, Precisions);

TYPED_TEST(BatchOfPlaces, is_right_for_small_and_large_items) {
  for (const std::size_t size : {1, 7, 30, 258})
    for (const std::size_t queues : {1, 2, 3}) this->check(size, queues);
}

// The kernel's first factor is then B, whose places are its own.
TYPED_TEST(BatchOfPlaces, is_right_by_rows) {
  for (const std::size_t size : {1, 7, 30, 258}) this->check(size, 1, Order::row_major);
}

TYPED_TEST(BatchOfPlaces, of_vectors_has_a_table_too) {
  using T = TypeParam;
  struct Record {
    T alpha, beta;
    cl_long x, y, none;
  };
  constexpr std::size_t count = 3, size = 400;
  // Lengths around the widths of vectors; elements side by side and apart.
  for (const std::size_t n : {1, 15, 33})
    for (const std::int64_t stride : {1, 2}) {
      const std::array<std::size_t, count> of_x{200, 7, 7}, of_y{5, 300, 100};
      std::vector<T> x(size), y(size);
      for (std::size_t i = 0; i < size; ++i) {
        x[i] = static_cast<T>(static_cast<Real<T>>(i % 11));
        y[i] = static_cast<T>(static_cast<Real<T>>(i % 5));
      }
      std::vector<T> expected = y;
      std::vector<char> table(item_bytes(precision_of<T>) * count);
      for (std::size_t item = 0; item < count; ++item) {
        const T alpha(static_cast<Real<T>>(item) - 1);
        const Record record{alpha, T(9), static_cast<cl_long>(of_x[item]),
                            static_cast<cl_long>(of_y[item]), -1};
        std::memcpy(table.data() + item * item_bytes(precision_of<T>), &record, sizeof record);
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t at = i * static_cast<std::size_t>(stride);
          expected[of_y[item] + at] += alpha * x[of_x[item] + at];
        }
      }
      const cl::Context context(Machine::get().context(), true);
      const auto buffer = [&](auto& numbers) {
        return cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                          numbers.size() * sizeof numbers[0], numbers.data());
      };
      const cl::Buffer in_x = buffer(x), in_y = buffer(y), in_table = buffer(table);
      Call call = axpy<T>(n, T(7), {in_x(), 0, stride}, {in_y(), 0, stride});
      call.by_items = true;
      call.batch = count;
      call[Slot::items] = {in_table()};
      ASSERT_EQ(run(call), Status::success);
      cl::CommandQueue(Machine::get().queues()[0], true)
          .enqueueReadBuffer(in_y, CL_TRUE, 0, size * sizeof(T), y.data());
      EXPECT_EQ(y, expected) << n << " stride " << stride;
      call.n = longest_of_table + 1;
      EXPECT_NE(run(call), Status::success);
    }
}

// Longer ones have it where they are many.
TYPED_TEST(BatchOfPlaces, of_long_vectors_has_a_table_where_they_are_many) {
  using T = TypeParam;
  struct Record {
    T alpha, beta;
    cl_long x, y, none;
  };
  constexpr std::size_t n = longest_of_table + 3;
  std::vector<T> x(n), y(many * n, T(1)), expected = y;
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(static_cast<Real<T>>(i % 7));
  std::vector<char> table(item_bytes(precision_of<T>) * many);
  for (std::size_t item = 0; item < many; ++item) {
    // In another order than in memory, all from one x.
    const std::size_t place = many - 1 - item;
    const T alpha(static_cast<Real<T>>(item));
    const Record record{alpha, T(9), 0, static_cast<cl_long>(place * n), -1};
    std::memcpy(table.data() + item * item_bytes(precision_of<T>), &record, sizeof record);
    for (std::size_t i = 0; i < n; ++i) expected[place * n + i] += alpha * x[i];
  }
  const cl::Context context(Machine::get().context(), true);
  const auto buffer = [&](auto& numbers) {
    return cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                      numbers.size() * sizeof numbers[0], numbers.data());
  };
  const cl::Buffer in_x = buffer(x), in_y = buffer(y), in_table = buffer(table);
  Call call = axpy<T>(n, T(7), {in_x(), 0, 1}, {in_y(), 0, 1});
  call.by_items = true;
  call.batch = many;
  call[Slot::items] = {in_table()};
  ASSERT_EQ(run(call), Status::success);
  cl::CommandQueue(Machine::get().queues()[0], true)
      .enqueueReadBuffer(in_y, CL_TRUE, 0, y.size() * sizeof(T), y.data());
  EXPECT_EQ(y, expected);
  call.batch = many - 1;
  EXPECT_NE(run(call), Status::success);
}

TYPED_TEST(BatchOfPlaces, a_table_is_read_by_the_forms_for_gpus) {
  auto call = batch_of_products<TypeParam>(10, 9, 8, 4);
  ProductData<TypeParam> data(call, {});
  const auto entries = this->items_of(data);
  data.upload(call);
  struct Record {
    TypeParam alpha, beta;
    cl_long a, b, c;
  };
  std::vector<char> table(item_bytes(call.precision) * (entries.size() + 1));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& item = entries[i];
    const auto number = [](const Scalar& value) {
      if constexpr (std::is_same_v<TypeParam, Real<TypeParam>>)
        return static_cast<TypeParam>(value.real());
      else
        return TypeParam(value);
    };
    const Record record{number(item.alpha), number(item.beta), static_cast<cl_long>(item.a),
                        static_cast<cl_long>(item.b), static_cast<cl_long>(item.c)};
    // Behind a record that is none of the batch's.
    std::memcpy(table.data() + (i + 1) * item_bytes(call.precision), &record, sizeof record);
  }
  const cl::Buffer buffer(cl::Context(Machine::get().context(), true),
                          CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, table.size(), table.data());
  call.by_items = true;
  call[Slot::items] = {buffer(), 1};
  ASSERT_EQ(run(call, 1, "gpu"), Status::success);
  Expected<TypeParam> expected(data.c.data());
  for (const BatchItem& item : entries)
    data.expect(call,
                {item.a / data.a.stride(), item.b / data.b.stride(), item.c / data.c.stride()},
                item.alpha, item.beta, expected);
  EXPECT_EQ(expected.difference(data.c.data().download()), "");
  call[Slot::items].offset = 2;
  EXPECT_EQ(run(call), Status::small_items);
  call[Slot::items] = {};
  EXPECT_EQ(run(call), Status::small_items);
  call.m = 257;
  EXPECT_NE(run(call), Status::success);
}

}  // namespace
}  // namespace kiln::blas::testing
