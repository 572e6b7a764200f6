// A mesh that is cut again until all ranks take as long for a step, where a GPU is next to cores:
// mpirun -np 2 build/balance_on_ranks
// Shows kiln/mpi/balance.hpp.
#include <cstdint>
#include <cstdio>
#include <kiln/mesh.hpp>
#include <kiln/mpi.hpp>
#include <kiln/mpi/balance.hpp>
#include <vector>

using namespace kiln::mesh;

int main(int count, char** words) {
  const kiln::mpi::Environment mpi(count, words);
  mpi.run([&] {
    const auto runtime = kiln::mpi::runtime_for_rank(mpi.comm());
    Mesh::Options options;
    options.timing = true;  // what the loops take is what the cuts are made by
    Mesh mesh(runtime, kiln::mpi::transport(mpi.comm()), options);
    const std::int64_t own = 1000, all = own * mpi.size(), first = own * mpi.rank();
    std::vector<std::int64_t> ends;
    for (std::int64_t at = first; at < first + own; ++at)
      ends.insert(ends.end(), {at, (at + 1) % all});
    const auto rows = static_cast<std::size_t>(own);
    const Set nodes = mesh.set("nodes", rows), edges = mesh.set("edges", rows);
    const Map ring = mesh.map("ring", edges, nodes, 2, ends);
    const Dat met = mesh.dat<double>("met", nodes, 1);
    const Kernel meet("void meet(double* a, double* b) { *a += 1; *b += 1; }", "meet");
    // How fast the devices copy is a first guess.
    mesh.partition(kiln::mpi::scotch(nodes, {ring}), kiln::mpi::speeds(mpi.comm(), runtime));
    kiln::mpi::Balancing balancing(mpi.comm(), mesh, nodes);
    constexpr int steps = 100;
    for (int step = 1; step <= steps; ++step) {
      par_loop(meet, edges, arg(met, ring[0], INC), arg(met, ring[1], INC));
      if (step % 10 != 0 || balancing.is_done()) continue;
      if (const auto shares = balancing.next())
        mesh.partition(kiln::mpi::scotch(nodes, {ring}), *shares);
    }
    const Global sum = mesh.global<double>("sum", 0);
    par_loop(Kernel("void add(double* met, double* sum) { *sum += *met; }", "add"), nodes,
             arg(met, READ), arg(sum, INC));
    const double total = sum.value<double>();
    if (mpi.rank() == 0)
      std::printf("%d steps, a node was met %g times\n", steps, total / static_cast<double>(all));
  });
}
