// A graph on one device by a hand-written loop of OpenCL calls (graph/plain_loop.hpp).
//
//   graph_opencl "FAMILY NUMBERS…" RUNS [DEVICE]     prints times in milliseconds as JSON
#include <cstdio>

#include "graph/plain_loop.hpp"

int main(int count, char** words) try {
  using namespace graph_families;
  if (count < 3) return 2;
  const Graph graph = make(words[1]);
  const int runs = std::atoi(words[2]);
  const Machine machine(count > 3 ? std::strtoul(words[3], nullptr, 10) : 0);
  PlainLoop(graph, machine).run();  // has the driver compile
  PlainLoop loop(graph, machine);
  const double first = loop.run();
  const auto digest = loop.result_digest();
  std::printf(
      "{\"graph\": \"%s\", \"side\": \"opencl\", \"tasks\": %zu, \"first_ms\": %.4f, \"ms\": [",
      words[1], graph.tasks.size(), first);
  for (int run = 0; run < runs; ++run) {
    loop.reset();
    std::printf("%s%.4f", run > 0 ? ", " : "", loop.run());
  }
  std::printf("], \"digest\": \"%016llx\"}\n", static_cast<unsigned long long>(digest));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "graph_opencl: %s\n", error.what());
  return 1;
}
