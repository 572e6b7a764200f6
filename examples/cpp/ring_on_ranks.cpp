// A loop over a mesh in parts, one on each rank: mpirun -np 4 build/ring_on_ranks ring.h5
// Shows kiln/mpi.hpp, kiln/mpi/environment.hpp, kiln/mpi/file.hpp, kiln/mpi/partition.hpp,
// kiln/mpi/runtime.hpp, kiln/mpi/transport.hpp, kiln/mesh/distribution.hpp.
#include <cstdint>
#include <cstdio>
#include <kiln/mesh.hpp>
#include <kiln/mpi.hpp>
#include <vector>

using namespace kiln::mesh;

int main(int count, char** words) {
  const kiln::mpi::Environment mpi(count, words);
  // What one rank throws ends all of them.
  mpi.run([&] {
    Mesh mesh(kiln::mpi::runtime_for_rank(mpi.comm()), kiln::mpi::transport(mpi.comm()));
    // Each rank declares its rows of the whole ring; maps have numbers of the whole.
    const std::int64_t own = 100, all = own * mpi.size(), first = own * mpi.rank();
    std::vector<std::int64_t> ends;
    std::vector<double> values;
    for (std::int64_t at = first; at < first + own; ++at) {
      ends.insert(ends.end(), {at, (at + 1) % all});
      values.push_back(static_cast<double>(at % 2));
    }
    const auto rows = static_cast<std::size_t>(own);
    const Set nodes = mesh.set("nodes", rows), edges = mesh.set("edges", rows);
    const Map ring = mesh.map("ring", edges, nodes, 2, ends);
    const Dat x = mesh.dat<double>("x", nodes, 1, std::span<const double>(values));
    const Dat mean = mesh.dat<double>("mean", nodes, 1);
    const Global sum = mesh.global<double>("sum", 0);
    // Then they are cut, and each part gets what it needs of others.
    mesh.partition(kiln::mpi::scotch(nodes, {ring}));
    par_loop(Kernel("void gather(double* to_a, double* to_b, double* a, double* b) {"
                    "  *to_a += 0.5 * *b; *to_b += 0.5 * *a; }",
                    "gather"),
             edges, arg(mean, ring[0], INC), arg(mean, ring[1], INC), arg(x, ring[0], READ),
             arg(x, ring[1], READ));
    par_loop(Kernel("void add(double* mean, double* sum) { *sum += *mean; }", "add"), nodes,
             arg(mean, READ), arg(sum, INC));
    const double total = sum.value<double>();  // of all ranks, on each of them
    if (mpi.rank() == 0)
      std::printf("%lld nodes, the sum is %g\n", static_cast<long long>(all), total);
    if (count > 1) kiln::mpi::write_hdf5(mesh, words[1], {ring}, {x, mean});
  });
}
