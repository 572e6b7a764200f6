// explain(): the solution sequence as data and as text.
#include "blas/api/library.hpp"
#include "blas/api/product.hpp"

namespace kiln::blas::testing {
namespace {

/// A context whose programs were not resolved.
struct Fresh {
  ContextPtr context = kiln::Context::create({value_or_throw(select_devices("cpu")).front()});
  Queue queue{context, context->devices().front()};
  cl_command_queue handle = queue.cl()();
};

Call product_of(std::size_t size) {
  return blas::gemm(Order::column_major, Transpose::none, Transpose::none, size, size, size, 1.0f,
                    {nullptr, 0, size}, {nullptr, 0, size}, 0, {nullptr, 0, size});
}

TEST(ApiExplain, shows_the_kernels_of_a_product_without_memory) {
  const auto sequence = explain(product_of(500), Machine::get().queues());
  ASSERT_FALSE(sequence.steps.empty());
  const auto& last = sequence.steps.back();
  EXPECT_EQ(last.family, "blas.gemm");
  EXPECT_EQ(last.device, Machine::get().device().name);
  EXPECT_EQ(last.parameters_from, "default");
  EXPECT_FALSE(last.parameters.empty());
  EXPECT_EQ(last.key.size(), 64u);
  EXPECT_EQ(last.global.size(), last.local.size());
  EXPECT_EQ(last.share, 1);
}

TEST(ApiExplain, shares_of_a_kernel_add_up_over_the_queues) {
  const auto sequence = explain(product_of(512), Machine::get().queues(2));
  std::array<double, 2> shares{};
  for (const auto& step : sequence.steps)
    if (step.kernel == sequence.steps.back().kernel) shares[step.queue] = step.share;
  EXPECT_GT(shares[0], 0);
  EXPECT_GT(shares[1], 0);
  EXPECT_NEAR(shares[0] + shares[1], 1, 1e-12);
}

std::array<double, 2> shares_in(const Sequence& sequence, const std::string& kernel) {
  std::array<double, 2> shares{};
  for (const auto& step : sequence.steps)
    if (step.kernel == kernel) shares[step.queue] = step.share;
  return shares;
}

TEST(ApiExplain, a_share_is_the_part_of_the_result_and_not_of_the_work_items) {
  // Cut at multiples of 64: 192 of 320 columns.
  const auto shares = shares_in(explain(product_of(320), Machine::get().queues(2)), "product");
  EXPECT_DOUBLE_EQ(shares[0], 0.6);
  EXPECT_DOUBLE_EQ(shares[1], 0.4);
}

TEST(ApiExplain, a_share_of_a_triangle_is_its_area) {
  for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
    Call call = product_of(512);
    call.routine = Routine::syrk;
    call.uplo = uplo;
    const auto shares = shares_in(explain(call, Machine::get().queues(2)), "product");
    // 128 columns of the lower triangle's long end, 384 of the upper one's short end.
    const double all = 512 * 513 / 2,
                 first = uplo == Uplo::lower ? 128 * (1024 - 127) / 2 : 384 * 385 / 2;
    EXPECT_DOUBLE_EQ(shares[0], first / all);
    EXPECT_DOUBLE_EQ(shares[1], 1 - first / all);
  }
}

TEST(ApiExplain, a_solve_is_shared_by_right_hand_sides) {
  Call call = product_of(320);
  call.routine = Routine::trsm;
  const auto sequence = explain(call, Machine::get().queues(2));
  ASSERT_FALSE(sequence.steps.empty());
  for (const auto& step : sequence.steps)
    EXPECT_DOUBLE_EQ(step.share, step.queue == 0 ? 0.6 : 0.4) << step.kernel;
}

TEST(ApiExplain, shares_of_a_matrix_times_a_vector_add_up_and_what_one_queue_does_is_whole) {
  for (const Routine routine : {Routine::gemv, Routine::ger, Routine::trmv, Routine::symv}) {
    Call call;
    call.routine = routine;
    call.m = call.n = 1000;
    call[Slot::a].stride = 1000;
    call[Slot::x].stride = call[Slot::y].stride = 1;
    const auto sequence = explain(call, Machine::get().queues(2));
    std::map<std::string, std::map<unsigned, double>> shares;
    for (const auto& step : sequence.steps) shares[step.kernel][step.queue] = step.share;
    bool is_shared = false;
    for (const auto& [kernel, of] : shares) {
      double all = 0;
      for (const auto& [queue, share] : of) all += share;
      EXPECT_NEAR(all, 1, 1e-12) << name_of(routine) << " " << kernel;
      if (of.size() == 2) is_shared = of.at(0) > 0.4 && of.at(0) < 0.6;
    }
    EXPECT_TRUE(is_shared) << name_of(routine);
  }
}

TEST(ApiExplain, refuses_operands_that_no_buffer_of_the_device_holds) {
  Call call = product_of(std::size_t{1} << 62);
  EXPECT_EQ(error_of([&] { (void)explain(call, Machine::get().queues()); }),
            "bad_input: sgemm: A takes 2^64 or more bytes, more than any memory has");
  call = product_of(std::size_t{1} << 30);
  EXPECT_EQ(error_of([&] { (void)explain(call, Machine::get().queues()); }),
            "bad_input: sgemm: A takes 4611686018427387904 bytes, found memory for " +
                std::to_string(Machine::get().device().max_allocation) + " in one buffer");
}

TEST(ApiExplain, says_that_a_program_was_compiled_and_then_that_it_is_in_memory) {
  Resolver resolver(nullptr, CompilePolicy::here);
  Library library(resolver);
  const Fresh fresh;
  const auto call = blas::copy<float>(77, {nullptr}, {nullptr});
  const auto first = explain(library, call, {&fresh.handle, 1});
  const auto second = explain(library, call, {&fresh.handle, 1});
  ASSERT_EQ(first.steps.size(), 1u);
  EXPECT_EQ(first.steps[0].found_in, "compile");
  EXPECT_EQ(second.steps[0].found_in, "memory");
  EXPECT_GT(first.steps[0].find_ns, 0);
  EXPECT_EQ(first.steps[0].key, second.steps[0].key);
  EXPECT_EQ(first.steps[0].parameters_from, "");
}

TEST(ApiExplain, is_a_text_for_people) {
  const std::string text = text_of(explain(product_of(512), Machine::get().queues(2)));
  EXPECT_NE(text.find("queue 1"), std::string::npos) << text;
  EXPECT_NE(text.find("blas.gemm"), std::string::npos) << text;
  EXPECT_NE(text.find("(default)"), std::string::npos) << text;
  EXPECT_NE(text.find("bytes of device memory"), std::string::npos) << text;
}

TEST(ApiExplain, refuses_what_run_refuses) {
  Call call = product_of(500);
  call[Slot::c].stride = 499;
  EXPECT_EQ(error_of([&] { (void)explain(call, Machine::get().queues()); }),
            "bad_input: sgemm: the leading dimension of C is too small");
  call = product_of(500);
  const Numbers few(8, 0);
  call[Slot::a].memory = few.memory();
  EXPECT_EQ(error_of([&] { (void)explain(call, Machine::get().queues()); }),
            "bad_input: sgemm: the buffer of matrix A is shorter than its sizes, offset and "
            "stride say");
  EXPECT_EQ(error_of([&] { (void)explain(call, Machine::get().queues(0)); }),
            "bad_input: missing queue: a call needs at least one");
}

}  // namespace
}  // namespace kiln::blas::testing
