// Several threads in the C interface at once, each with a queue of its own on one context.
#include <barrier>
#include <thread>

#include "blas/clblas/computer.hpp"

namespace clblas_test {
namespace {

/// The calls of one thread. All numbers are whole and small, so that results are exact, and they
/// depend on the thread: what one thread gets of another's shows.
class Caller {
 public:
  Caller(const Computer& computer, int thread)
      : computer_(computer),
        thread_(thread),
        queue_(computer.context(), computer.queue().getInfo<CL_QUEUE_DEVICE>()) {}

  /// One call of each routine for vectors of n elements and n x n matrices; the names of those that
  /// went wrong.
  std::string call_all(size_t n) {
    const auto x = numbers(n, 1), y = numbers(n, 2);
    const auto a = numbers(n * n, 3), b = numbers(n * n, 4), lower = std::vector<float>(n * n, 1);
    const auto x_memory = computer_.buffer(x), y_memory = computer_.buffer(y);
    const auto a_memory = computer_.buffer(a), b_memory = computer_.buffer(b);
    const auto lower_memory = computer_.buffer(lower), sums = computer_.buffer(sums_of(x));
    const auto c = computer_.zeros(n * n * sizeof(float)), dot = computer_.zeros(sizeof(float));
    const auto scratch = computer_.zeros(2 * n * sizeof(float));
    cl_command_queue queue = queue_();
    // All are enqueued before the first result is asked for.
    const auto gemm =
        clblasSgemm(clblasRowMajor, clblasNoTrans, clblasNoTrans, n, n, n, 1, a_memory(), 0, n,
                    b_memory(), 0, n, 0, c(), 0, n, 1, &queue, 0, nullptr, nullptr);
    const auto sdot = clblasSdot(n, dot(), 0, x_memory(), 0, 1, y_memory(), 0, 1, scratch(), 1,
                                 &queue, 0, nullptr, nullptr);
    const auto trsv =
        clblasStrsv(clblasRowMajor, clblasLower, clblasNoTrans, clblasNonUnit, n, lower_memory(), 0,
                    n, sums(), 0, 1, 1, &queue, 0, nullptr, nullptr);
    std::string wrong;
    if (gemm != clblasSuccess || read(c, n * n) != product_of(a, b, n)) wrong += " gemm";
    if (sdot != clblasSuccess || read(dot, 1) != std::vector<float>{dot_of(x, y)}) wrong += " dot";
    if (trsv != clblasSuccess || read(sums, n) != x) wrong += " trsv";
    return wrong;
  }

 private:
  std::vector<float> numbers(size_t count, int salt) const {
    std::vector<float> all(count);
    for (size_t i = 0; i < count; ++i)
      all[i] = static_cast<float>((static_cast<int>(i) * (7 + thread_) + salt) % 11 - 5);
    return all;
  }
  /// What a lower triangle of ones makes of x.
  static std::vector<float> sums_of(std::vector<float> x) {
    for (size_t i = 1; i < x.size(); ++i) x[i] += x[i - 1];
    return x;
  }
  static float dot_of(const std::vector<float>& x, const std::vector<float>& y) {
    float sum = 0;
    for (size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
  }
  static std::vector<float> product_of(const std::vector<float>& a, const std::vector<float>& b,
                                       size_t n) {
    std::vector<float> c(n * n);
    for (size_t i = 0; i < n; ++i)
      for (size_t k = 0; k < n; ++k)
        for (size_t j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
    return c;
  }
  std::vector<float> read(const cl::Buffer& from, size_t count) const {
    std::vector<float> to(count);
    queue_.enqueueReadBuffer(from, CL_TRUE, 0, count * sizeof(float), to.data());
    return to;
  }

  const Computer& computer_;
  int thread_;
  cl::CommandQueue queue_;
};

/// What went wrong in each thread where thread t calls for sizes_of(t), all of them beginning at
/// once.
template <class SizesOf>
std::vector<std::string> call_in_threads(const SizesOf& sizes_of) {
  constexpr int count = 4;
  const Computer computer;
  std::barrier start(count);
  std::vector<std::string> wrong(count);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < count; ++thread)
    threads.emplace_back([&, thread] {
      Caller caller(computer, thread);
      start.arrive_and_wait();
      for (const size_t n : sizes_of(thread))
        if (const auto of = caller.call_all(n); !of.empty())
          wrong[static_cast<size_t>(thread)] += of + " " + std::to_string(n);
    });
  for (auto& thread : threads) thread.join();
  return wrong;
}

TEST(Threads, with_queues_of_their_own_call_with_the_same_sizes) {
  const auto wrong = call_in_threads([](int) {
    std::vector<size_t> sizes(12, 70);
    sizes.insert(sizes.end(), 12, 33);
    return sizes;
  });
  EXPECT_EQ(wrong, std::vector<std::string>(wrong.size()));
}

TEST(Threads, with_queues_of_their_own_call_with_other_sizes) {
  const auto wrong = call_in_threads([](int thread) {
    std::vector<size_t> sizes;
    for (size_t i = 0; i < 16; ++i)
      sizes.push_back(5 + (i * 13 + static_cast<size_t>(thread)) % 90);
    return sizes;
  });
  EXPECT_EQ(wrong, std::vector<std::string>(wrong.size()));
}

}  // namespace
}  // namespace clblas_test
