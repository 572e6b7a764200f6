#pragma once

#include <string>
#include <vector>

#include "kiln/mesh.hpp"
#include "kiln/mpi.hpp"
#include "mesh/model/session.hpp"

/// Measurements that several ranks make together. All functions are collective.
namespace kiln::bench::ranks {

/// What a rank has.
struct Rank {
  Rank(const mpi::Environment& environment, bool staged);
  const mpi::Environment& mpi;
  bool staged;
  std::shared_ptr<mesh::Transport> transport;
  Runtime runtime;
  mesh::Mesh mesh;

  std::vector<double> all(double mine) const;  ///< each rank's number, by rank
  double slowest(double mine) const;
  void meet() const { all(0); }
  void say(const std::string& line) const;  ///< by rank 0
};

/// OP2's airfoil on a mesh made here, of 3 ALONG OUT cells.
struct AirfoilCase {
  int along = 0, out = 0;
  std::size_t steps = 0;  ///< of a round
  bool all_ways = false;  ///< in each of the ways that halos may go
};
void airfoil(Rank& rank, const AirfoilCase& of);

/// A halo of so many bytes between two ranks, both ways at once.
struct ExchangeCase {
  std::size_t bytes = 0, rounds = 0;
};
void exchange(Rank& rank, const ExchangeCase& of);

}  // namespace kiln::bench::ranks
