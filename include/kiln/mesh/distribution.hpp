#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kiln/mesh/data.hpp"

/// A mesh in parts, one a process: how the parts talk, who owns what, and how to cut a mesh. There
/// is no MPI here: kiln/mpi.hpp has it, and any other Transport will do.
namespace kiln::mesh {

/// Messages between the parts of a distributed mesh. All functions are called on the thread that
/// uses the Mesh, by all parts in the same order. `what` says in words what is waited for ("halo of
/// q, adt before res_calc"): for who diagnoses a part that never comes. What they throw goes to who
/// asked for the loop's results.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual int rank() const = 0;  ///< of this part, 0 to size() - 1
  virtual int size() const = 0;  ///< parts

  struct Message {
    int rank = 0;  ///< from whom, or to whom
    std::span<std::byte> bytes;
  };
  /// Begins to receive and to send, and does not wait. At most one message in each direction
  /// between two parts; what is sent to a part has the size that it receives. The memory is used
  /// until finish().
  virtual void start(std::span<const Message> receives, std::span<const Message> sends,
                     std::string_view what) = 0;
  /// Waits until what start() began is received and sent.
  virtual void finish(std::string_view what) = 0;

  /// All parts' bytes, by rank; each gives as many. Waits.
  virtual void gather(std::span<const std::byte> mine, std::span<std::byte> all,
                      std::string_view what) = 0;

  struct Packet {
    int rank = 0;
    std::vector<std::byte> bytes;
  };
  /// Brings packets of any size to some parts, at most one to each, and returns those for this one,
  /// by rank. A part knows only whom it sends to. No memory of the size of all parts. Waits.
  virtual std::vector<Packet> deliver(std::vector<Packet> packets, std::string_view what) = 0;
};

/// A neighbour's share of a halo. `exports` of one part and `imports` of the other name the same
/// elements in the same order.
struct HaloNeighbour {
  int rank = 0;
  std::vector<std::int32_t> exports;  ///< owned elements here, of which it has copies
  std::vector<std::int32_t> imports;  ///< copies here of elements that it owns
  bool operator==(const HaloNeighbour&) const = default;
};

/// A part of a distributed set. Local order: core elements, from which no map leads to a halo
/// (after Mesh::partition() those of them that no other part copies); the other owned ones; the
/// exec halo: elements of others from which a map leads to owned ones; the rest of the halo, which
/// is only read.
struct SetPart {
  std::int64_t global_size = 0;        ///< of all parts together
  std::array<std::size_t, 4> sizes{};  ///< up to the end of each of these: core, owned, exec, all
  std::vector<std::int64_t> numbers;   ///< of each local element in the whole set, from 0 on
  std::vector<HaloNeighbour> neighbours;  ///< rising by rank; all of the halo
  /// For each element of the exec halo: bit m is set where map m leads from it to an owned element;
  /// m counts the maps from this set in the order of their declaration. Equal ones lie together.
  std::vector<std::uint64_t> exec_maps;
};

/// What a partitioner sees of the mesh: the primary set as the vertices of a graph, in blocks of
/// rows by rank.
struct PartitionInput {
  Transport& transport;
  std::int64_t first = 0;                ///< number of this part's first vertex
  std::span<const std::int64_t> starts;  ///< of the neighbours of each vertex; one more at the end
  std::span<const std::int64_t> neighbours;  ///< by number; rising; both directions; not itself
  std::span<const double> coordinates;  ///< (vertices, dim) of the primary set, where asked for
  std::size_t dim = 0;
  /// Of the parts: shares that sum up to 1, of which some may be 0; empty: equal.
  std::span<const double> weights;
  /// Frees `starts` and `neighbours`, for a partitioner that has made its own of them; null: they
  /// stay.
  std::function<void()> release{};
};

/// A way to cut a mesh: mpi::scotch(), mpi::metis(), rcb(), owners().
struct Partitioner {
  std::string name;  ///< for messages: "scotch"
  Set primary;       ///< the set that is cut; all others follow it
  /// Maps that make two elements of the primary set adjacent: a map that leads to it, where an
  /// element has both as targets (edges to cells); or one that leads from it, where both have a
  /// target in common, if there are none of the first kind (cells to nodes: `common` targets).
  std::vector<Map> adjacency;
  int common = 2;
  /// A Dat's values of the primary set's elements as coordinates, or through a map that leads from
  /// the primary set the mean of its targets'; null: none are needed.
  std::function<std::pair<std::vector<double>, std::size_t>()> coordinates{};
  /// The part of each of this rank's vertices. Called on all parts.
  std::function<std::vector<std::int32_t>(const PartitionInput&)> cut;
};

/// Owners given by hand: for each of this rank's elements of the set, a rank.
KILN_API Partitioner owners(const Set& primary, std::vector<std::int32_t> parts);

/// Recursive coordinate bisection: the longest side of the box round the elements is halved, and so
/// on; of any number of parts, with sizes as their weights say to within one element. The same
/// parts for the same mesh, whatever its blocks of rows. `coordinates`: floats or doubles on the
/// set, or on the one that `through` leads to, whose targets' mean counts. Throws bad_input for
/// another Dat or Map; partition() for a coordinate that is not finite.
KILN_API Partitioner rcb(const Set& primary, const Dat& coordinates);
KILN_API Partitioner rcb(const Set& primary, const Dat& coordinates, const Map& through);

/// What Mesh::save_partition() wrote, of a mesh with the same sets and maps into as many parts,
/// whatever its blocks of rows. partition() throws not_found, io, corrupt, and bad_input for a file
/// of another kind, of another mesh, or of another number of parts.
KILN_API Partitioner saved_partition(const Set& primary, std::filesystem::path path);

}  // namespace kiln::mesh
