// Finds the fastest block sizes of a matrix product on the first device, and runs with them. The
// second time they are on record, and nothing is searched.
//   tune_kernel KERNEL.cl [SECONDS]
// Shows kiln/tune.hpp, kiln/tune/outcome.hpp.
#include <cstdio>
#include <cstdlib>
#include <kiln/tune.hpp>
#include <vector>

int main(int argc, char** argv) try {
  if (argc < 2) return std::fputs("usage: tune_kernel KERNEL.cl [SECONDS]\n", stderr), 2;
  constexpr int n = 256;
  std::vector<float> a(n * n, 0.5f), b(n * n, 2.0f), c(n * n);
  const kiln::Runtime runtime;

  const kiln::tune::KernelProblem multiply{
      .source = kiln::Source::file(argv[1]),
      .name = "multiply",
      .global = "[N // WPT, N]",
      .local = "[TS // WPT, TS]",
      .arguments = {kiln::in(a), kiln::in(b), kiln::out(c), n},
      .parameters = {{"TS", {4, 8, 16, 32}}, {"WPT", {1, 2, 4, 8}}},
      .constraints = {"TS % WPT == 0"},
      .constants = {{"N", n}},
      .reference = {{"TS", 8}, {"WPT", 1}},  // its result must be everybody's
  };
  auto best = kiln::tune::on_record(runtime, multiply);
  if (!best) {
    const auto found = kiln::tune::kernel(
        runtime, multiply, {.budget = std::chrono::seconds(argc > 2 ? std::atoi(argv[2]) : 20)});
    // Of a CPU that has other work these times say little: a long kernel loses the processor more
    // often than a short one.
    std::printf("%zu of %zu configurations measured, %zu failed; %.3f ms, before %.3f ms\n",
                found.evaluated, static_cast<std::size_t>(found.space), found.failed,
                found.seconds * 1e3, found.reference * 1e3);
    for (const auto& one : found.configurations)
      if (one.failure != kiln::tune::Failure::none)
        std::printf("failed (%s): %s\n", name_of(one.failure), one.message.c_str());
    best = kiln::tune::on_record(runtime, multiply);
  }

  const auto kernel =
      runtime.kernel(multiply.source, multiply.name, {.macros = kiln::tune::macros(best->values)});
  kernel(kiln::in(a), kiln::in(b), kiln::out(c), n).run(best->range);
  std::printf("c[7] = %g, with", c[7]);
  for (const auto& [name, value] : best->values)
    std::printf(" %s=%lld", name.c_str(), static_cast<long long>(value));
  std::printf("\n");
  return 0;
} catch (const kiln::Error& error) {
  std::fprintf(stderr, "tune_kernel: %s\n", error.what());
  return 1;
}
