#pragma once

#include <array>
#include <memory>
#include <vector>

#include "mesh/distributed/blocks.hpp"
#include "mesh/model/session.hpp"

/// A mesh while it is distributed: plain lists with global numbers, from which the states of its
/// handles are made in the end.
namespace kiln::mesh {

/// A set. What its fields hold grows from step to step.
struct SetRows {
  std::shared_ptr<SetState> state;
  std::shared_ptr<const Blocks> blocks;
  std::vector<std::size_t> maps, dats;  ///< those from it, those on it
  /// Of each element of this part's block: the part that is to own it.
  std::vector<std::int32_t> owners;
  /// Maps with vertical offsets lead to it: elements of a column stay together (columns.hpp).
  bool has_columns = false;
  /// Then, of each element of the block: so many of its column are before it, and behind it.
  std::vector<std::int32_t> depth, height;

  // After migrate():
  std::vector<std::int64_t> numbers;  ///< of what is owned here; rising
  std::vector<char> begins;  ///< of each: whether it is the first of its column; empty: no columns

  // After find_halos():
  /// An element of others.
  struct Copy {
    std::int64_t number = 0;
    std::int32_t rank = 0;
    std::uint64_t exec_maps = 0;  ///< 0: only read
    bool operator==(const Copy&) const = default;
  };
  std::vector<Copy> halo;     ///< first the exec halo, in local order
  std::size_t executed = 0;   ///< so many are the exec halo
  std::vector<char> is_core;  ///< of each owned element, as `numbers`

  // After number_locally():
  std::vector<std::int32_t> order;  ///< of owned elements: place in `numbers` by local number
  std::size_t core = 0;

  std::size_t total() const { return numbers.size() + halo.size(); }
};

/// A map.
struct MapRows {
  std::shared_ptr<MapState> state;
  std::size_t from = 0, to = 0;  ///< places of sets
  std::size_t arity = 1;
  /// After migrate(): rows of owned elements (as SetRows::numbers); after find_halos() those of the
  /// exec halo behind them. Before: of a mesh in one part, which has them in another form.
  NumberList values;

  /// Before migrate(): the rows of the block.
  const NumberList& rows() const { return values.empty() ? state->declared : values; }
};

/// A dat; its rows after migrate(): those of owned elements.
struct DatRows {
  std::shared_ptr<DatState> state;
  std::size_t set = 0;
  std::size_t row = 0;  ///< bytes of an element
  std::vector<std::byte> values;
};

struct MeshRows {
  Transport& transport;
  std::vector<SetRows> sets{};
  std::vector<MapRows> maps{};
  std::vector<DatRows> dats{};

  std::size_t place_of(const SetState* state) const;
};

/// What a Mesh declared that all parts still have, in the order of its declaration: the same on all
/// of them. It is held meanwhile. Objects may go sooner on one part than on another, with Python's
/// garbage collector say; what is gone on one part can be used by none.
struct AliveEverywhere {
  std::vector<std::shared_ptr<SetState>> sets;
  std::vector<std::shared_ptr<MapState>> maps;
  std::vector<std::shared_ptr<DatState>> dats;

  /// All parts call it. What others have no more is left out of this Mesh from then on: Maps lead
  /// nowhere, Dats are freed, Sets are not partitioned. Throws bad_input on all parts where they
  /// declared different things.
  explicit AliveEverywhere(Session& session);
};

/// Takes what a Mesh declared; all parts agree on it. Throws bad_input where they declared
/// different things, where a map leads outside its set, and for what cannot be distributed.
MeshRows take_declared(Session& session, const AliveEverywhere& alive);

/// A number that the mesh's sets and maps give, whatever the number of parts: for telling whether
/// another mesh is the same. Of maps in blocks of rows.
std::uint64_t mesh_digest(const MeshRows& mesh);

// Steps, in this order (follow.cpp, migrate.cpp, halos.cpp, numbering.cpp, settle.cpp).

/// Finds owners for all sets but the primary one, which has them.
void let_others_follow(MeshRows& mesh, std::size_t primary);
/// Brings each element with its rows of maps and dats to its owner.
void migrate(MeshRows& mesh);
/// Finds the copies that maps need, brings rows of maps for those that are executed.
void find_halos(MeshRows& mesh);
/// Orders owned elements. `adjacency`: maps that make elements of the primary set adjacent.
void number_locally(MeshRows& mesh, std::size_t primary, const std::vector<std::size_t>& adjacency,
                    int common);
/// Makes the handles' states of it, and brings copies' values.
void settle(Session& session, MeshRows& mesh);

/// Gives back what the steps before have freed: it would stay with the process otherwise, between
/// lists that are in use, and what comes next would come on top.
void give_back_memory();

/// All of it. Throws bad_input on all parts; the Mesh is as it was where the Partitioner is
/// refused.
void partition(Session& session, const AliveEverywhere& alive, const Partitioner& partitioner,
               std::span<const double> weights);

}  // namespace kiln::mesh
