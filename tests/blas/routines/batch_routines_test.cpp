// Batches of what is no gemm: those that are one launch against exact results, the others against
// the same calls one by one.
#include "blas/routines/batch_data.hpp"
#include "blas/routines/vectors.hpp"
#include "kiln/blas/batch.hpp"
#include "kiln/blas/explain.hpp"
#include "kiln/blas/level3.hpp"
#include "kiln/blas/plan.hpp"

namespace kiln::blas::testing {
namespace {

constexpr std::size_t batch_items = 3;

/// Vectors of n elements in one buffer, 4 elements between them.
template <class T>
struct VectorItems {
  VectorItems(std::size_t n, int inc, unsigned seed)
      : n_(n),
        inc_(inc),
        stride_((n - 1) * static_cast<std::size_t>(std::abs(inc)) + 5),
        data(OperandData<T>::vector(batch_items * stride_, 1, 2, seed)) {}
  std::size_t at(std::size_t item, std::size_t i) const {
    const auto step = static_cast<std::size_t>(std::abs(inc_));
    return data.offset() + item * stride_ + (inc_ < 0 ? n_ - 1 - i : i) * step;
  }
  Operand upload() {
    Operand operand = data.upload();
    operand.stride = inc_;
    operand.batch_stride = static_cast<std::int64_t>(stride_);
    return operand;
  }

  std::size_t n_;
  int inc_;
  std::size_t stride_;
  OperandData<T> data;
};

template <class T>
class BatchedRoutines : public ::testing::Test {
 public:
  static void check_axpy(std::size_t n, int inc_x, int inc_y, const std::string& form) {
    VectorItems<T> x(n, inc_x, 1), y(n, inc_y, 2);
    Call call = vector_call<T>(Routine::axpy, n);
    call.batch = batch_items;
    call.alpha = scalar_of<T>(0.75, -0.5);
    call[Slot::x] = x.upload();
    call[Slot::y] = y.upload();
    ASSERT_EQ(run(call, 1, form), Status::success);
    Expected<T> expected(y.data);
    for (std::size_t item = 0; item < batch_items; ++item)
      for (std::size_t i = 0; i < n; ++i) {
        Sum sum;
        sum.add(call.alpha, x.data.all()[x.at(item, i)]);
        sum.add(y.data.all()[y.at(item, i)]);
        expected.set(y.at(item, i), sum);
      }
    EXPECT_EQ(expected.difference(y.data.download()), "") << n << " " << inc_x << " " << inc_y;
  }

  static void check_gemv(std::size_t m, std::size_t n, Order order, Transpose trans, int inc_x,
                         int inc_y, const std::string& form = "") {
    const bool as_is = trans == Transpose::none;
    ItemsData<T> a(order, m, n, batch_items, 1, 2, 3);
    VectorItems<T> x(as_is ? n : m, inc_x, 1), y(as_is ? m : n, inc_y, 2);
    Call call = batch_of_products<T>(m, n, 0, batch_items);
    call.routine = Routine::gemv;
    call.order = order;
    call.trans_a = trans;
    call[Slot::a] = a.upload();
    call[Slot::x] = x.upload();
    call[Slot::y] = y.upload();
    ASSERT_EQ(run(call, 1, form), Status::success);
    Expected<T> expected(y.data);
    for (std::size_t item = 0; item < batch_items; ++item) {
      const auto element = a.element(item, trans);
      for (std::size_t i = 0; i < y.n_; ++i) {
        Sum sum;
        sum.add(call.beta, y.data.all()[y.at(item, i)]);
        for (std::size_t k = 0; k < x.n_; ++k)
          sum.add(Wide(call.alpha) * element(i, k), x.data.all()[x.at(item, k)]);
        sum.terms += 2;
        expected.set(y.at(item, i), sum);
      }
    }
    EXPECT_EQ(expected.difference(y.data.download()), "")
        << text_of(call) << " inc " << inc_x << " " << inc_y << " " << form;
  }

  /// Runs a call's items in a batch, on some queues, and one by one: the results are the same.
  static void check_like_single_calls(Call call, std::vector<OperandData<T>>& operands,
                                      const std::vector<Slot>& slots, std::size_t queues) {
    const auto upload = [&] {
      for (std::size_t i = 0; i < slots.size(); ++i) {
        const Operand made = operands[i].upload();
        call[slots[i]].memory = made.memory;
        call[slots[i]].offset = made.offset;
      }
    };
    const auto contents = [&] {
      std::vector<std::vector<T>> all;
      for (const auto& operand : operands) all.push_back(operand.download());
      return all;
    };
    upload();
    ASSERT_EQ(run(call, queues), Status::success) << text_of(call);
    const auto together = contents();
    upload();
    Call single = call;
    single.batch = 1;
    for (std::size_t item = 0; item < call.batch; ++item) {
      ASSERT_EQ(run(single), Status::success);
      for (const Slot slot : slots)
        single[slot].offset += static_cast<std::size_t>(call[slot].batch_stride);
    }
    EXPECT_EQ(together, contents()) << text_of(call) << " queues " << queues;
  }
};
TYPED_TEST_SUITE(BatchedRoutines, Precisions);

TYPED_TEST(BatchedRoutines, axpy_is_right_for_all_increments) {
  for (const std::size_t n : {1, 7, 33, 5000})
    for (const auto& [inc_x, inc_y] : {std::pair{1, 1}, {-1, -1}, {1, -1}, {2, -3}})
      this->check_axpy(n, inc_x, inc_y, "");
}

TYPED_TEST(BatchedRoutines, gemv_is_right_for_all_orders_transposes_and_increments) {
  for (const auto order : orders)
    for (const auto trans : transposes) {
      this->check_gemv(9, 14, order, trans, 1, 1);
      this->check_gemv(9, 14, order, trans, -2, 1);
      this->check_gemv(6, 5, order, trans, 1, -3);
    }
  this->check_gemv(9, 14, Order::row_major, Transpose::conjugate, 2, -1, "gpu");
  this->check_gemv(270, 14, Order::row_major, Transpose::none, 2, 1);
}

TYPED_TEST(BatchedRoutines, others_do_the_same_as_single_calls) {
  using Data = OperandData<TypeParam>;
  constexpr std::size_t n = 20;
  for (const std::size_t queues : {1, 2}) {
    std::vector<Data> operands;
    operands.push_back(Data::vector(batch_items * n * n + 9, 1, 1, 1));
    operands.push_back(Data::vector(batch_items * n * n + 9, 1, 2, 2));
    const auto call_of = [&](Routine routine, std::vector<std::pair<Slot, std::int64_t>> slots) {
      Call call = batch_of_products<TypeParam>(n, n, n, batch_items);
      call.routine = routine;
      for (const auto& [slot, stride] : slots) {
        call[slot].stride = stride;
        call[slot].batch_stride = n * n + 1;
      }
      return call;
    };
    // A triangle whose diagonal outweighs the rest.
    for (std::size_t item = 0; item < batch_items; ++item)
      for (std::size_t i = 0; i < n; ++i)
        operands[0].all()[1 + item * (n * n + 1) + i * (n + 1)] = TypeParam(n);
    this->check_like_single_calls(call_of(Routine::trsm, {{Slot::a, n}, {Slot::b, n}}), operands,
                                  {Slot::a, Slot::b}, queues);
    this->check_like_single_calls(call_of(Routine::syrk, {{Slot::a, n}, {Slot::c, n}}), operands,
                                  {Slot::a, Slot::c}, queues);
    this->check_like_single_calls(call_of(Routine::trsv, {{Slot::a, n}, {Slot::x, 1}}), operands,
                                  {Slot::a, Slot::x}, queues);
    Call dot = call_of(Routine::dot, {{Slot::x, 2}, {Slot::y, -1}});
    dot[Slot::z].batch_stride = 3;
    operands.push_back(Data::vector(batch_items * 3, 1, 1, 3));
    this->check_like_single_calls(dot, operands, {Slot::x, Slot::y, Slot::z}, queues);
  }
}

// ---- What a batch comes to
TEST(BatchSteps, are_one_launch_for_small_items_and_one_an_item_for_others) {
  const auto explained = [](const Call& call, std::size_t queues) {
    return explain(call, Machine::get().queues(queues));
  };
  const auto product = [](std::size_t n) {
    return batched(gemm<float>(Order::column_major, Transpose::none, Transpose::none, n, n, n, 1,
                               {nullptr, 0, n}, {nullptr, 0, n}, 0, {nullptr, 0, n}),
                   100, {.a = 80'000, .b = 80'000, .c = 80'000});
  };
  const Sequence small = explained(product(23), 1);
  ASSERT_EQ(small.steps.size(), 1u);
  EXPECT_EQ(small.steps[0].family, "blas.small_product");
  EXPECT_EQ(small.steps[0].times, 1u);
  EXPECT_EQ(small.workspace_bytes, 0u);
  // GPUs go through the items of a large product in one launch.
  if (Machine::get().device().type != Device::Type::cpu) return;
  const Sequence large = explained(product(270), 1);
  ASSERT_EQ(large.steps.size(), 1u);
  EXPECT_EQ(large.steps[0].times, 100u);
  EXPECT_NE(text_of(large).find(", 100 times"), std::string::npos);
  const Sequence shared = explained(product(270), 4);
  ASSERT_EQ(shared.steps.size(), 4u);
  for (unsigned queue = 0; queue < 4; ++queue) {
    EXPECT_EQ(shared.steps[queue].queue, queue);
    EXPECT_EQ(shared.steps[queue].times, 25u);
    EXPECT_DOUBLE_EQ(shared.steps[queue].share, 0.25);
  }
}

TEST(BatchSteps, are_prepared_once_by_a_plan) {
  auto call = batch_of_products<float>(12, 11, 10, 7);
  ProductData<float> data(call, {0, 0, 0, 1});
  data.upload(call);
  call.beta = 0;
  Plan plan(call, Machine::get().queues());
  plan.repeat();
  ASSERT_EQ(::clFinish(Machine::get().queues()[0]), CL_SUCCESS);
  Expected<float> expected(data.c.data());
  for (std::size_t item = 0; item < call.batch; ++item)
    data.expect(call, {item, item, item}, call.alpha, 0, expected);
  EXPECT_EQ(expected.difference(data.c.data().download()), "");
  call.batch = 6;
  try {
    plan.run(call);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("the batch is 6, the plan's is 7"), std::string::npos)
        << error.what();
  }
}

// An out-of-order queue has no order but that of events.
TEST(BatchSteps, keep_their_order_on_queues_that_keep_none) {
  cl_int status = CL_SUCCESS;
  cl_device_id device = queue_fact<cl_device_id>(Machine::get().queues()[0], CL_QUEUE_DEVICE);
  const cl_command_queue made = ::clCreateCommandQueue(
      Machine::get().context(), device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  const cl::CommandQueue queue(made);
  auto call = batch_of_products<double>(260, 7, 9, 20);
  ProductData<double> data(call, {0, 0, 0, 1});
  data.upload(call);
  // What it waits for is a user event that comes later.
  const cl_event gate = ::clCreateUserEvent(Machine::get().context(), &status);
  cl_event done = nullptr;
  ASSERT_EQ(run_in(Machine::get().library(), call, {{&made, 1}, {&gate, 1}, &done}),
            Status::success);
  ASSERT_EQ(::clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  ASSERT_EQ(::clWaitForEvents(1, &done), CL_SUCCESS);
  Expected<double> expected(data.c.data());
  for (std::size_t item = 0; item < call.batch; ++item)
    data.expect(call, {item, item, item}, call.alpha, call.beta, expected);
  EXPECT_EQ(expected.difference(data.c.data().download()), "");
  ::clReleaseEvent(done);
  ::clReleaseEvent(gate);
}

}  // namespace
}  // namespace kiln::blas::testing
