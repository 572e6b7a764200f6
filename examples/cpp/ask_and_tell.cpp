// Finds how many elements a work-item should add up, by times that the program takes itself: Kiln
// says what is measured next, and knows nothing of what is measured.
// Shows kiln/tune/stepwise_search.hpp.
#include <cstdio>
#include <kiln/kernel.hpp>
#include <kiln/tune/stepwise_search.hpp>
#include <limits>

constexpr const char* source = R"(
kernel void sums(global const float* x, global float* parts) {
  float sum = 0;
  for (int k = 0; k < EACH; ++k) sum += x[get_global_id(0) + k * get_global_size(0)];
  parts[get_global_id(0)] = sum;
}
)";

int main() try {
  constexpr std::size_t n = 1 << 16;
  const kiln::Runtime runtime;
  kiln::Array<float> x = runtime.array<float>(n), parts = runtime.array<float>(n);
  for (float& element : x.write()) element = 1;

  const std::vector<int> each = {1, 2, 4, 8, 16}, group = {16, 32, 64};
  kiln::tune::StepwiseSearch search(
      {{"EACH", {each.begin(), each.end()}}, {"GROUP", {group.begin(), group.end()}}},
      {"EACH * GROUP <= 512"}, {.seed = 1});
  double best = std::numeric_limits<double>::infinity();
  kiln::tune::StepwiseSearch::Positions winner;
  for (int evaluation = 0; evaluation < 8; ++evaluation) {
    const auto id = search.ask();
    if (!id) break;
    const auto at = search.positions(*id);
    const std::size_t count = n / static_cast<std::size_t>(each[at[0]]);
    kiln::KernelCall call =
        runtime.kernel(kiln::Source::text(source), "sums",
                       {.macros = {{"EACH", std::to_string(each[at[0]])}}})(x, parts);
    const kiln::Range range{{count}, {static_cast<std::size_t>(group[at[1]])}};
    call.enqueue(range).wait();
    // On the device's clock; a step of it at least.
    const double seconds = 1e-9 * static_cast<double>(1 + call.enqueue(range).nanoseconds());
    search.tell(*id, seconds);
    if (seconds < best) {
      best = seconds;
      winner = at;
    }
    if (parts.read()[0] != static_cast<float>(each[at[0]])) return 1;
  }
  std::printf("EACH=%d GROUP=%d\n", each[winner[0]], group[winner[1]]);
  std::printf("8 of %zu configurations measured\n", static_cast<std::size_t>(search.size()));
  return 0;
} catch (const kiln::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return kiln::exit_code(error.code());
}
