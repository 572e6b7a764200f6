// A time step over a mesh as a graph: heat flows along the edges of a ring of nodes. Three loops
// and a function of the host are planned once; each run of the plan makes one step, without a look
// at what waits for what.
// Shows kiln/mesh/graph.hpp.
#include <cmath>
#include <cstdio>
#include <kiln/mesh.hpp>
#include <kiln/mesh/graph.hpp>
#include <vector>

int main() {
  try {
    using namespace kiln::mesh;
    const kiln::Runtime runtime;
    Mesh mesh(runtime);
    const std::size_t n = 4096;
    const Set nodes = mesh.set("nodes", n), edges = mesh.set("edges", n);
    std::vector<std::int32_t> ends;
    std::vector<double> start(n);
    for (std::size_t i = 0; i < n; ++i) {
      ends.insert(ends.end(),
                  {static_cast<std::int32_t>(i), static_cast<std::int32_t>((i + 1) % n)});
      start[i] = i < n / 2 ? 1 : 0;
    }
    const Map ring = mesh.map("ring", edges, nodes, 2, ends);
    const Dat heat = mesh.dat<double>("heat", nodes, 1, std::span<const double>(start));
    const Dat flow = mesh.dat<double>("flow", nodes, 1);
    Global change = mesh.global("change", 0.0);
    const Kernel clear("void clear(double* flow) { *flow = 0; }", "clear");
    const Kernel exchange(
        "void exchange(double* to_a, double* to_b, double* a, double* b) {"
        "  const double d = 0.25 * (*b - *a); *to_a += d; *to_b -= d; }",
        "exchange");
    const Kernel update(
        "void update(double* heat, double* flow, double* change) {"
        "  *heat += *flow; *change += *flow * *flow; }",
        "update");

    kiln::Graph graph(runtime);
    std::vector<double> changes;
    par_loop(graph, clear, nodes, arg(flow, WRITE));
    par_loop(graph, exchange, edges, arg(flow, ring[0], INC), arg(flow, ring[1], INC),
             arg(heat, ring[0], READ), arg(heat, ring[1], READ));
    par_loop(graph, update, nodes, arg(heat, RW), arg(flow, READ), arg(change, INC));
    const Arg seen[] = {arg(change, RW)};
    add_host(graph,
             [&] {
               changes.push_back(std::sqrt(change.value<double>()));
               change.set(0.0);
             },
             seen, {.label = "note the change"});

    kiln::GraphPlan plan = graph.plan();
    for (int step = 0; step < 100; ++step) plan.run();

    double total = 0;
    for (const double value : heat.read<double>()) total += value;
    const bool right = changes.size() == 100 && changes.back() < 0.2 * changes.front() &&
                       std::abs(total - static_cast<double>(n) / 2) < 1e-9 * static_cast<double>(n);
    std::printf("%zu tasks a step; change %.4f, after 100 steps %.4f; heat %s\n",
                plan.report().tasks.size(), changes.front(), changes.back(),
                right ? "is kept" : "was lost");
    return right ? 0 : 1;
  } catch (const kiln::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kiln::exit_code(error.code());
  }
}
