#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <typeindex>
#include <vector>

#include "kiln/mesh/distribution.hpp"
#include "kiln/mesh/mesh.hpp"
#include "mesh/model/number_list.hpp"
#include "mesh/model/residence.hpp"

/// What the handles of include/kiln/mesh stand for. Each knows its Session, which it keeps alive,
/// and has a number that no other has in this process: by these, loops that were prepared are found
/// again.
namespace kiln::mesh {

struct Blocks;
struct Session;
struct SubsetState;
class MatrixKernels;
struct HaloClass;
struct MatrixWork;
using SessionPtr = std::shared_ptr<Session>;

/// A number that was never given before. Thread-safe.
std::uint64_t next_identity();

/// Which states there are in this process. A loop's arguments hold plain pointers to them, and may
/// outlive the handles that kept them. Thread-safe.
class LiveStates {
 public:
  static void add(const void* state, std::type_index type);
  static void remove(const void* state) noexcept;

  /// Holds the lock while several states are looked up.
  class Lookup {
   public:
    Lookup();
    /// Whether there is one of this type at the address. (Another of the type may have got it.)
    template <class State>
    bool has(const State* state) const {
      return has(state, typeid(State));
    }

   private:
    static bool has(const void* state, std::type_index type);
    std::unique_lock<std::mutex> lock_;
  };
};

struct SetState {
  SessionPtr session;
  std::string name;
  std::array<std::size_t, 4> sizes{};
  std::uint64_t id = next_identity();
  std::shared_ptr<HaloExchange> exchange;
  std::shared_ptr<const SetPart> part{};   ///< of a distributed Mesh, once partitioned
  unsigned maps = 0;                       ///< declared from it so far
  std::shared_ptr<const Blocks> blocks{};  ///< of Mesh::partition(): the rows that parts declared
  std::vector<std::weak_ptr<SubsetState>> subsets{};  ///< those that are held, and others
  std::uint64_t declaration = 0;  ///< of a Mesh with a Transport: its number, as on all parts

  bool has_subsets() const {
    return std::ranges::any_of(subsets, [](const auto& one) { return !one.expired(); });
  }
};

struct SubsetState {
  SessionPtr session;
  Set superset;
  std::vector<std::int32_t> indices;   ///< rising
  std::array<std::size_t, 4> sizes{};  ///< how many of them are core, owned, …
  std::uint64_t id = next_identity();
  Residence device;  ///< the same
};

struct MapState {
  SessionPtr session;
  std::string name;
  Set from, to;
  std::size_t arity = 1;
  std::vector<std::int32_t> offsets;
  std::uint64_t id = next_identity();
  std::uint64_t version = 0;
  Residence values;
  std::optional<Residence> device_offsets;
  unsigned number = 0;  ///< among the maps from its set, in the order of their declaration
  /// Of a distributed Mesh before partition(): numbers in the whole set.
  NumberList declared{};
  std::uint64_t declaration = 0;  ///< as SetState's
  /// Of the extruded set that it was declared from; 0: from a plain one.
  std::size_t layers = 0;
  /// Mesh::partition() left it out, and it leads nowhere; why, in words.
  const char* left_out = nullptr;

  /// Its bit in SetPart::exec_maps; maps beyond the 64th share the last one.
  std::uint64_t exec_bit() const { return std::uint64_t{1} << std::min(number, 63u); }
  std::span<const std::int32_t> view() {
    return {reinterpret_cast<const std::int32_t*>(values.initial().data()),
            values.form().elements * arity};
  }
};

struct DatState {
  SessionPtr session;
  std::string name;
  DataSet on;
  std::uint64_t id = next_identity();
  Residence data;
  bool is_halo_stale = false;  ///< as far as loops have run; some of it may be fresh:
  /// Halo classes that were brought since its last change.
  std::vector<std::shared_ptr<const HaloClass>> fresh_classes{};
  bool is_poisoned = false;       ///< Options::check: its stale elements were made to show
  std::uint64_t declaration = 0;  ///< as SetState's
  bool is_left_out = false;       ///< as MapState's: it was freed

  /// A part without copies of its own may own what others copy: it takes part in exchanges.
  bool has_halo() const;
  /// Whether its Set is a part of several, with a Transport between them.
  bool is_in_parts() const;
  /// It was changed: others' copies of its elements, and its own copies of theirs, are old.
  void halo_changed() {
    is_halo_stale = has_halo();
    fresh_classes.clear();
    is_poisoned = false;
  }
  void halo_is_fresh() {
    is_halo_stale = false;
    fresh_classes.clear();
  }
  /// Whether its halo is stale and its Set has a HaloExchange, which can bring it up to date.
  bool needs_exchange() const;
  /// The two halves of bringing the halo up to date; the Set has a HaloExchange. Between them
  /// kernels may use the other elements. Throws what the HaloExchange throws, and kiln::Error.
  void begin_exchange(const Queue& queue);
  void end_exchange(const Queue& queue);
  /// Both, where it needs them; of a Set in parts its whole halo comes by the Transport.
  void refresh_halo(const Queue& queue);

  /// Where arithmetic with this Dat puts scalars and results, by purpose and type; made when they
  /// are first needed.
  enum class Purpose : std::uint8_t { scalar, sum, most };
  std::map<std::pair<Purpose, ScalarType>, Global> scratch{};
};

struct GlobalState {
  SessionPtr session;
  std::string name;
  std::uint64_t id = next_identity();
  Residence data;
  bool is_extremum = false;  ///< MIN or MAX wrote it: what is no number is an error
  /// The first component that was given as NaN, or -1. Kept apart from the values: these may be on
  /// their way to the device, or be written there, when a loop is checked.
  std::ptrdiff_t given_nan = -1;
  /// Of a distributed Mesh: what the values are, those of all parts or this part's share, which is
  /// still to be added to the others', or the least or greatest of them to be taken.
  enum class Share : std::uint8_t { whole, sum, least, greatest } share = Share::whole;
};

/// Held by its Mesh: constants outlive their handles.
struct ConstState {
  std::weak_ptr<Session> session;
  std::string name;
  ScalarType type = ScalarType::f64;
  std::size_t dim = 1;
  std::uint64_t version = 1;  ///< grows with every change
  Residence data;
};

/// Compressed rows of blocks, whatever their size; shared by all Sparsities of the same Maps.
struct SparsityPattern {
  Residence rowptr, colidx;
  /// Of the sets that its Maps lead to, once asked for: SparsityState::interior_rows().
  std::optional<std::size_t> interior_rows{};
};

/// Two Maps, as they were, with the layers of an extruded set (1: none), by which loops may reach a
/// matrix. By number: a Sparsity keeps no Map alive.
struct MapPairName {
  std::uint64_t rows = 0, rows_version = 0, columns = 0, columns_version = 0;
  std::size_t layers = 1;
  auto operator<=>(const MapPairName&) const = default;
};

struct SparsityState {
  SessionPtr session;
  Set row_set, column_set;
  std::size_t row_dim = 1, column_dim = 1;
  std::vector<MapPairName> pairs;  ///< rising
  std::shared_ptr<SparsityPattern> pattern;
  std::uint64_t id = next_identity();
  std::shared_ptr<const HaloClass>
      halo_columns{};  ///< that products read of others, once asked for

  Residence& rowptr() const { return pattern->rowptr; }
  Residence& colidx() const { return pattern->colidx; }
  /// So many owned rows, from the first on, have columns that are owned: products of theirs need no
  /// halo. Found by a look at these rows' columns, once.
  std::size_t interior_rows() const;
  static std::span<const std::int32_t> view(Residence& part) {
    return {reinterpret_cast<const std::int32_t*>(part.initial().data()), part.form().elements};
  }
};

struct MatState {
  SessionPtr session;
  std::string name;
  Sparsity sparsity;
  std::uint64_t id = next_identity();
  Residence values;
  // The Session's, once used:
  std::array<MatrixKernels*, 4> kernels{};  ///< by layouts of vectors
  std::uint64_t tunings = 0;                ///< Session::matrix_tunings when these were found
  std::array<MatrixWork*, 6> work{};        ///< by MatrixOperation
};

struct KernelState {
  KernelState(std::string function, std::string text)
      : name(std::move(function)), code(std::move(text)) {}
  std::string name, code;
  mutable std::mutex mutex;
  mutable std::vector<int> pointer_depths;  ///< of the function's parameters, once asked for
  /// The kernels that call this one with fused arguments, by how these are made up.
  mutable std::map<std::vector<std::int64_t>, Kernel> fused;
};

/// From a handle to what it stands for.
struct Handles {
  template <class Handle>
  static auto& state(const Handle& handle) {
    return handle.state_;
  }
  static const SessionPtr& session(const Mesh& mesh) { return mesh.session_; }
  template <class Handle, class State>
  static Handle make(std::shared_ptr<State> state) {
    return Handle(std::move(state));
  }
  /// A handle to a new state, kept by its Session (Session::keep).
  template <class Handle, class State>
  static Handle keep(State state) {
    const auto session = state.session;
    return Handle(session->keep(std::move(state)));
  }
};

}  // namespace kiln::mesh
