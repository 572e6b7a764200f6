#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kiln/mesh/mesh.hpp"
#include "kiln/mpi/environment.hpp"

namespace kiln::mpi {

/// How much of a mesh each rank is to have so that all take as long for a step, where their devices
/// are unlike (a GPU, and the cores next to it): by what the application's own loops take there.
/// speeds() says how to begin; this measures, and says how the mesh is to be cut instead, a few
/// times. A rank takes some time for a step whatever its part is, for the launches, and some for
/// each element; cuts of several sizes tell one from the other. A rank whose launches alone take
/// longer than others need for everything gets nothing.
///
///     mpi::Balancing balancing(comm, mesh, cells);
///     for (int step = 1; step <= steps; ++step) {
///       …
///       if (step % 10 != 0 || balancing.is_done()) continue;
///       if (const auto shares = balancing.next())
///         mesh.partition(mpi::scotch(cells, {edge_cells}), *shares);
///     }
///
/// Not thread-safe; collective.
class KILN_API Balancing {
 public:
  /// Of a Mesh that outlives it, takes times (Mesh::Options::timing), and whose set `primary` is
  /// what partitions cut.
  Balancing(const Communicator& comm, mesh::Mesh& mesh, mesh::Set primary);
  Balancing(const Balancing&) = delete;
  Balancing& operator=(const Balancing&) = delete;
  ~Balancing();

  /// Between loops, each time after as many steps as the last time; waits for the loops. The shares
  /// that Mesh::partition() is to be called with now, some of them 0; nothing where that would gain
  /// less than 5 %. The first call, and the first one after such shares, begins to measure only: a
  /// first step makes plans. In between neither Mesh::clear_report() nor anything but steps.
  /// Throws Error as Mesh::finish().
  std::optional<std::vector<double>> next();
  /// Nothing is to be gained any more, or the mesh was cut four times; if a cut was better than the
  /// last one, next() has asked for it again.
  bool is_done() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kiln::mpi
