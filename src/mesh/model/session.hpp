#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/lifetime.hpp"
#include "kernel/runtime.hpp"
#include "mesh/model/clocks.hpp"
#include "mesh/model/state.hpp"

namespace kiln::mesh {

/// Appends to a list of what others hold. Those that are gone go from it now and then.
template <class State>
void add_weak(std::vector<std::weak_ptr<State>>& list, const std::shared_ptr<State>& state) {
  if (list.size() == list.capacity())
    std::erase_if(list, [](const auto& one) { return one.expired(); });
  list.push_back(state);
}

/// Those of such a list that are still there.
template <class State>
std::vector<std::shared_ptr<State>> alive(const std::vector<std::weak_ptr<State>>& list) {
  std::vector<std::shared_ptr<State>> all;
  for (const auto& weak : list)
    if (auto state = weak.lock()) all.push_back(std::move(state));
  return all;
}

/// What several runs, or several loops, of one name did, as one: adds to what `to` has.
void add_report(LoopReport& to, const LoopReport& from);

/// Whether KILN_MPI_CHECK asks for it. Throws bad_input for a value that is neither 0 nor 1.
bool checks_halos_by_environment();

/// What a Mesh and all its handles share: the device, the Resolver, the constants. One thread at a
/// time.
///
/// Rooms after this one keep more in it, in classes derived from it: the loops
/// (loop/loop_session.hpp), the matrices' kernels (matrix/matrix_session.hpp, which is what a Mesh
/// makes). This room knows of them only what the virtual functions say, so that objects need not
/// know what a loop is.
struct Session {
  Session(const Mesh::Options& options, const Runtime& runtime);
  virtual ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Resolver& resolver() { return runtime.state().resolver(); }
  const ContextPtr& context() const { return queue.context(); }
  const DevicePtr& device() const { return queue.device(); }

  /// Makes a state that tells the Session when its last handle goes: loops that are queued and need
  /// it run first, those that were prepared with it are forgotten.
  template <class State>
  std::shared_ptr<State> keep(State given) {
    auto state = std::make_unique<State>(std::move(given));
    LiveStates::add(state.get(), typeid(State));
    std::shared_ptr<State> kept(state.release(), [](State* gone) {
      if (!gone->session->put_off(gone, [gone] { Session::end(gone); })) end(gone);
    });
    if constexpr (std::is_same_v<State, DatState>)
      if (transport != nullptr) add_declared(declared.dats, kept);
    return kept;
  }
  template <class State>
  static void end(State* gone) noexcept {
    const auto session = gone->session;
    // New values of a Global may be on their way without any loop.
    bool may_be_written = false;
    if constexpr (requires { gone->given_nan; }) may_be_written = gone->data.was_used();
    session->part_with(gone, may_be_written);
    session->forget(gone, gone->id);
    LiveStates::remove(gone);
    delete gone;
  }
  /// On a Mesh in parts a loop that is queued runs where all parts come to it, not where a handle
  /// goes on one of them: a state that it needs ends after it. Whether `end` is called then.
  bool put_off(const void* state, std::function<void()> end) noexcept;
  /// The same for a state whose owner frees its memory.
  void part_with(const void* state, bool may_be_written = false) noexcept;
  /// Throws what went wrong where the caller could not be told: a loop that ran because a handle
  /// went.
  void throw_pending();

  /// Runs the queued loops whose results a reader of `state` must see; a writer must also come
  /// after those that read it.
  enum class For { reading, writing };
  virtual void run_for(const void* state, For what) = 0;
  /// The same for a caller of a handle: throws first what is pending.
  void settle(const void* state, For what) {
    throw_pending();
    run_for(state, what);
  }
  virtual void run_all() = 0;
  /// Names of queued loops that use a state, with commas; empty: none.
  virtual std::string users_of(const void* state) const = 0;
  /// Runs what is queued and uses a state, and forgets every loop prepared with it; whether there
  /// was one: then the device may still be at work on it.
  virtual bool forget_loops(const void* state) = 0;

  // Of distributed meshes; called by all parts in the same order.

  /// A Global that has this part's share only gets the value of all parts, and others of the Mesh
  /// with it.
  virtual void bring_together(GlobalState& global) = 0;
  /// A Global got a new value: there is nothing to be brought together.
  virtual void forget_share(GlobalState& global) = 0;
  /// Brings all stale copies of others' elements; the Dat is on a Set in parts.
  virtual void exchange_all(DatState& dat) = 0;
  /// All Globals get the value of all parts; then all that was made for the parts as they are goes:
  /// loops, which run first where they are queued, lists and memory of exchanges.
  virtual void forget_parts() = 0;

  /// For Mesh::timeline(), with Options::timeline: what is no kernel.
  virtual void record(TimelineSpan span) = 0;

  Mesh::Options options;
  const Runtime runtime;
  Queue queue;  ///< in order, in the context of the Runtime's first device
  std::vector<std::shared_ptr<ConstState>> constants;  ///< by name, rising
  std::shared_ptr<Transport> transport;                ///< null: not distributed
  /// Of a part of a mesh from now on. On a device with memory of its own the queue takes no times
  /// then, unless they are asked for or it is the application's: an H200 takes 9 us longer for the
  /// events by which an exchange meets loops that have times.
  void set_transport(std::shared_ptr<Transport> of_parts);
  /// A second queue, in order, for transfers and what belongs to them while loops compute; made
  /// when it is first asked for.
  const Queue& transfers();
  /// For tests: halos go by kernels and transfers even where the device works in the host's memory.
  bool stages_halos = false;
  bool has_staged_halos() const { return stages_halos || !device()->host_memory; }
  ClockReading first_clocks;  ///< Options::timeline: when the Mesh was made
  /// Copies are held against what they copy before they are read (KILN_MPI_CHECK).
  bool checks_halos = checks_halos_by_environment();
  bool is_distributed() const { return transport != nullptr && transport->size() > 1; }

  /// On a Mesh with a Transport: what Mesh::partition() is to distribute, in the order of its
  /// declaration. Dats that are made afterwards, too, since it may be called again.
  struct Declared {
    std::vector<std::weak_ptr<SetState>> sets;
    std::vector<std::weak_ptr<MapState>> maps;
    std::vector<std::weak_ptr<DatState>> dats;
    std::vector<std::weak_ptr<MapState>> above;  ///< Map::above(), which hold as long as the cut
    std::uint64_t count = 0;                     ///< of all, those that are gone with them
  };
  Declared declared;
  template <class State>
  void add_declared(std::vector<std::weak_ptr<State>>& list, const std::shared_ptr<State>& state) {
    state->declaration = ++declared.count;
    add_weak(list, state);
  }
  bool is_partitioned = false;    ///< Mesh::partition() was called
  bool is_broken = false;         ///< it failed when the data were on their way
  std::uint64_t mesh_digest = 0;  ///< of what it distributed
  bool takes_declarations() const { return transport != nullptr && !is_partitioned; }

  /// Something other than a loop was enqueued: memory that goes may still be in use.
  void launched() { is_launched_ = true; }

 protected:
  /// A state goes: whatever else is known of it, by its address or its number, goes, too.
  virtual void forget(const void* state, std::uint64_t id) = 0;

  /// Ends what was put off and is not needed any more.
  void end_put_off() noexcept;

 private:
  struct PutOff {
    const void* state = nullptr;
    std::function<void()> end;
  };
  std::vector<PutOff> put_off_;
  bool is_launched_ = false;
  std::optional<Queue> transfers_;
  std::exception_ptr pending_;
};

/// While it lives the loops' queue takes times, another one where need be: for what is measured.
class TakesTimes {
 public:
  explicit TakesTimes(Session& session);
  ~TakesTimes();
  TakesTimes(const TakesTimes&) = delete;
  TakesTimes& operator=(const TakesTimes&) = delete;

 private:
  Session& session_;
  const Queue before_;
};

/// A Mesh's Session. Throws bad_input where the Mesh was moved from.
inline const SessionPtr& not_moved(const SessionPtr& session) {
  held(session, "Mesh");
  return session;
}

/// Numbers for the device, `dim` for each element; the host's copies lie where devices work in
/// place.
Residence resident(std::span<const std::int32_t> values, std::size_t dim = 1);

/// Loops and messages name what they are about. Throws bad_input for an empty name.
void check_name(const char* what, const std::string& name);
/// What a Dat must be like to go with something else.
struct DatFit {
  const Session* session = nullptr;
  const Set& set;
  std::size_t dim = 1;
  std::optional<ScalarType> type{};  ///< none: any
};
/// Throws bad_input that begins with `what` and a name: "mat K: dat x has 2 components, expected
/// 1".
void check_fits(const DatState& dat, const DatFit& fit, const char* what,
                const std::string& name = "");
/// What needs local elements does not go before Mesh::partition(), on more than one part. Throws
/// bad_input: "set cells: not partitioned yet, expected Mesh::partition() before a loop".
void check_partitioned(const SetState& set, std::string_view before);
/// A Map that was gone on another part when the mesh was cut leads nowhere. Throws bad_input.
void check_not_left_out(const MapState& map);
void leave_out(MapState& map, const char* why);
/// What is wrong with a Map of a mesh in parts for columns of so many layers, in words; empty:
/// nothing. Mesh::partition() brings what its own extruded set's layers reach.
std::string wrong_layers(const MapState& map, std::size_t layers);
/// Handles of two Meshes do not go together. Throws bad_input.
void check_owner(const SessionPtr& owner, const char* what, const std::string& name,
                 const Set& set);

}  // namespace kiln::mesh
