#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "kiln/mesh/distribution.hpp"
#include "kiln/mesh/mesh.hpp"
#include "mesh/io/mesh_io.hpp"

namespace kiln::cli {

/// How large parts are.
enum class Balance { equal, by_speed };

/// The ranks that this process is one of, where a launcher has started several: kiln-mesh-mpi
/// (src/cli/mesh_ranks) has them over MPI, kiln-mesh has none. The first one prints.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Calls a sub-command's body; an exception ends all ranks.
  virtual int run(const std::function<int()>& body) = 0;
  /// This rank's rows of a mesh: sets have as many elements as there are rows here, maps numbers of
  /// the whole set.
  virtual mesh::MeshFile rows_of_file(const std::string& path) = 0;
  virtual mesh::MeshFile rows_of(const mesh::MeshFile& whole) = 0;
  /// The number that the first row of a set here has in the whole mesh.
  virtual std::int64_t first_row(const std::string& set) const = 0;
  virtual std::size_t sum(std::size_t mine) = 0;
  /// A part of a distributed Mesh, on a device of its own (the options' one among them).
  virtual mesh::Mesh mesh(const mesh::Mesh::Options& options) = 0;
  /// Cuts a Mesh so that few elements of `primary` that `adjacency` joins are in different parts.
  /// `balance`: parts are as large as their devices are fast.
  virtual void partition(mesh::Mesh& mesh, const mesh::Set& primary, const mesh::Map& adjacency,
                         Balance balance) = 0;
  /// To be called after as many steps each time: cuts the Mesh again where its loops took longer on
  /// some ranks (mpi::Balancing). False: it is not to be called any more. Goes before the Mesh.
  virtual std::function<bool()> rebalancing(mesh::Mesh& mesh, const mesh::Set& primary,
                                            const mesh::Map& adjacency) = 0;
};

/// Null: this process is alone.
Ranks* ranks();

/// All ranks' count, or this process'.
std::size_t of_all_ranks(std::size_t mine);
/// The number in its file of an element of this process' rows.
std::int64_t number_in_file(const std::string& set, std::int64_t row);
/// The Mesh of an application.
mesh::Mesh application_mesh_of(const mesh::Mesh::Options& options);
/// Nothing where this process is alone.
void partition_over_ranks(mesh::Mesh& mesh, const mesh::Set& primary, const mesh::Map& adjacency,
                          Balance balance);

/// Parts whose sizes follow what the application's loops take on their devices: at first a small
/// loop told. Nothing but where there are ranks, and `Balance::by_speed`. The Mesh takes times
/// (Options::timing).
class Rebalance {
 public:
  Rebalance(mesh::Mesh& mesh, const mesh::Set& primary, const mesh::Map& adjacency,
            Balance balance);
  /// After each step, between loops.
  void after_step();

 private:
  std::function<bool()> call_;  ///< null: nothing is to be done
  int steps_ = 0;
};

}  // namespace kiln::cli
