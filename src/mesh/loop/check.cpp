// A call of a loop, held against its objects.
#include <fmt/format.h>

#include <algorithm>

#include "mesh/loop/arguments.hpp"
#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

class Checker {
 public:
  Checker(const Session* session, const Kernel& kernel, const Iteration* over)
      : session_(session), kernel_(kernel), over_(over) {}

  /// Only what may have changed since the call was first checked.
  void check_extrema(std::span<const Arg> arguments) {
    for (const Arg& arg : arguments) {
      if (is_extremum(arg)) {
        what_ = label_of(arg);
        check_numbers(global_of(arg));
      }
      ++number_;
    }
  }

  void check_alive(std::span<const Arg> arguments) {
    const LiveStates::Lookup live;
    for (const Arg& arg : arguments) {
      what_ = "data";
      if (arg.data == nullptr) fail("is absent");
      if (!is_alive(live, arg)) fail("is gone, expected it to be kept until the loop was called");
      for (const MapState* map : {arg.map, arg.column_map}) {
        what_ = "map";
        if (map != nullptr && !live.has(map))
          fail("is gone, expected it to be kept until the loop was called");
      }
      ++number_;
    }
    what_.clear();
    number_ = 0;
  }

  void check(std::span<const Arg> arguments) {
    if (arguments.empty()) fail("no arguments, expected 1 or more");
    check_alive(arguments);
    for (const Arg& arg : arguments) {
      what_ = label_of(arg);
      if (data_session(arg).get() != session_) fail("belongs to another Mesh");
      if (arg.kind == Arg::Kind::dat)
        check_dat(arg);
      else if (arg.kind == Arg::Kind::global)
        check_global(arg);
      else
        check_mat(arg);
      ++number_;
    }
    what_.clear();
    if (extents_[0] == 0 && extents_[1] != 0)
      fail("iteration index 1 without 0, expected index(0) to be the first");
    for (std::size_t i = 0; i < arguments.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        if (arguments[i].data == arguments[k].data) check_together(arguments, i, k);
  }

 private:
  template <class... Parts>
  [[noreturn]] void fail(fmt::format_string<Parts...> text, Parts&&... parts) const {
    const std::string where =
        what_.empty() ? "" : fmt::format(", argument {} ({})", number_, what_);
    refuse("loop {}{}: {}", kernel_.name(), where,
           fmt::format(text, std::forward<Parts>(parts)...));
  }
  static const SessionPtr& data_session(const Arg& arg) {
    return arg.kind == Arg::Kind::dat      ? dat_of(arg).session
           : arg.kind == Arg::Kind::global ? global_of(arg).session
                                           : mat_of(arg).session;
  }

  void check_map(MapState& map, const Set& leads_to, int component, int index) {
    if (map.session.get() != session_) fail("belongs to another Mesh");
    if (map.left_out != nullptr) fail("map {} {}", map.name, map.left_out);
    if (!(map.from == over_->set()))
      fail("map {} leads from set {}, expected {}, which the loop is over", map.name,
           map.from.name(), over_->set().name());
    if (!(map.to == leads_to))
      fail("map {} leads to set {}, expected {}", map.name, map.to.name(), leads_to.name());
    if (component != MapUse::none && (component < 0 || component >= static_cast<int>(map.arity)))
      fail("component {} of map {}, expected 0 to {}", component, map.name, map.arity - 1);
    if (index != MapUse::none) {
      if (index < 0 || index > 1) fail("iteration index {}, expected 0 or 1", index);
      auto& extent = extents_[static_cast<std::size_t>(index)];
      if (extent != 0 && extent != map.arity)
        fail("iteration index {} has {} values here (map {}) and {} before", index, map.arity,
             map.name, extent);
      extent = map.arity;
    }
    if (over_->layers() > 0 && map.offsets.empty())
      fail("map {} has no vertical offsets, which loops over extruded sets need", map.name);
    if (over_->layers() > 0)
      if (const auto wrong = wrong_layers(map, over_->layers()); !wrong.empty()) fail("{}", wrong);
    if (over_->layers() > 0)
      if (const auto wrong = check_columns(map, LoopOver::of(*over_), component); !wrong.empty())
        fail("{}", wrong);
  }

  void check_dat(const Arg& arg) {
    const auto& dat = dat_of(arg);
    if (dat.is_left_out) fail("was gone on another part when the mesh was partitioned");
    if (dat.data.is_free()) fail("was freed");
    if (arg.access > Access::inc)
      fail("access {}, expected READ, WRITE, RW or INC; MIN and MAX are for Globals",
           name_of(arg.access));
    if (arg.map != nullptr) return check_map(*arg.map, dat.on.set(), arg.component, arg.index);
    if (arg.is_flat) fail("flatten() without a map");
    if (!(dat.on.set() == over_->set()))
      fail("is on set {} and used without a map, expected set {}, which the loop is over",
           dat.on.set().name(), over_->set().name());
  }

  /// Two arguments of the same data.
  void check_together(std::span<const Arg> arguments, std::size_t place, std::size_t earlier) {
    const Arg &one = arguments[place], &other = arguments[earlier];
    number_ = place;
    what_ = label_of(one);
    if (one.kind == Arg::Kind::dat) return check_order(one, other, earlier);
    // Two ways of reducing into one Global have no common result.
    if (one.kind == Arg::Kind::global && one.access != Access::read &&
        other.access != Access::read && one.access != other.access)
      fail("access {}, but argument {} is the same with {}, expected one way of use",
           name_of(one.access), earlier, name_of(other.access));
  }

  /// Elements run in any order, several at once: what one argument changes no other may use, where
  /// one of them goes through a Map. (Those that go through Maps and all change what they find in
  /// the same way are kept apart by colours.) Nor may two change an element's own values, unless
  /// both add: each has a copy.
  void check_order(const Arg& one, const Arg& other, std::size_t earlier) const {
    const auto way = [](const Arg& arg) {
      return arg.map == nullptr
                 ? std::string(name_of(arg.access))
                 : fmt::format("{} through map {}", name_of(arg.access), arg.map->name);
    };
    const bool one_reads = one.access == Access::read, other_reads = other.access == Access::read;
    const bool both_direct = one.map == nullptr && other.map == nullptr;
    const bool both_mapped = one.map != nullptr && other.map != nullptr;
    if (both_direct ? one_reads || other_reads : one_reads && other_reads) return;
    const bool alike = one.access == other.access;
    if (alike && (both_mapped || (both_direct && one.access == Access::inc))) return;
    const std::string found =
        fmt::format("{}, but argument {} is the same with {}", way(one), earlier, way(other));
    if (both_direct) fail("{}: one would undo what the other leaves, expected one argument", found);
    fail("{}: elements run in any order, and one would change what another uses, expected two Dats",
         found);
  }

  void check_global(const Arg& arg) {
    const auto& global = global_of(arg);
    if (arg.access == Access::write || arg.access == Access::rw)
      fail("access {}, expected READ, INC, MIN or MAX", name_of(arg.access));
    if (is_extremum(arg)) check_numbers(global);
  }

  /// A NaN that is there already would decide every comparison or none.
  void check_numbers(const GlobalState& global) const {
    if (global.given_nan >= 0) fail("component {} is NaN before MIN or MAX", global.given_nan);
  }

  void check_mat(const Arg& arg) {
    const auto& mat = mat_of(arg);
    if (arg.access != Access::inc && arg.access != Access::write)
      fail("access {}, expected INC or WRITE", name_of(arg.access));
    if (arg.map == nullptr || arg.column_map == nullptr) fail("expected a row and a column map");
    if (arg.is_flat) fail("flatten(), which matrices have not");
    const auto& sparsity = *Handles::state(mat.sparsity);
    check_map(*arg.map, sparsity.row_set, arg.component, arg.index);
    check_map(*arg.column_map, sparsity.column_set, MapUse::none, arg.column_index);
    check_entries(sparsity, *arg.map, *arg.column_map);
  }

  /// Every entry that the loop reaches must be there, which is known of these Maps alone.
  void check_entries(const SparsityState& sparsity, const MapState& rows,
                     const MapState& columns) const {
    const std::size_t layers = over_->layers() > 0 ? over_->layers() - 1 : 1;
    const bool known =
        std::any_of(sparsity.pairs.begin(), sparsity.pairs.end(), [&](const MapPairName& pair) {
          return pair.rows == rows.id && pair.rows_version == rows.version &&
                 pair.columns == columns.id && pair.columns_version == columns.version &&
                 pair.layers >= layers;
        });
    if (!known)
      fail(
          "its sparsity was not made of maps {} and {} as they are now{}, expected one that was: "
          "it may lack entries",
          rows.name, columns.name,
          layers > 1 ? fmt::format(" with {} cells above each other", layers) : "");
  }

  const Session* session_;
  const Kernel& kernel_;
  const Iteration* over_;  ///< null for check_extrema
  std::size_t number_ = 0;
  std::string what_;
  std::array<std::size_t, 2> extents_{};
};

}  // namespace

void check_alive(const Kernel& kernel, std::span<const Arg> arguments) {
  Checker(nullptr, kernel, nullptr).check_alive(arguments);
}

void check_call(const Session& session, const Kernel& kernel, const Iteration& over,
                std::span<const Arg> arguments) {
  if (session.is_distributed())
    check_partitioned(*Handles::state(over.set()), "loop " + kernel.name());
  Checker(&session, kernel, &over).check(arguments);
}

void check_extrema(const Kernel& kernel, std::span<const Arg> arguments) {
  Checker(nullptr, kernel, nullptr).check_extrema(arguments);
}

}  // namespace kiln::mesh
