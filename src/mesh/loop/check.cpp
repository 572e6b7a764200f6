// A call of a loop: held against its objects, and described as what its code depends on.
#include "mesh/loop/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "mesh/loop/loop_plan.hpp"
#include "mesh/model/session.hpp"

namespace kiln::mesh {
namespace {

const DatState& dat_of(const Arg& arg) { return *static_cast<const DatState*>(arg.data); }
const GlobalState& global_of(const Arg& arg) { return *static_cast<const GlobalState*>(arg.data); }
const MatState& mat_of(const Arg& arg) { return *static_cast<const MatState*>(arg.data); }

class Checker {
 public:
  Checker(const Session* session, const Kernel& kernel, const Iteration* over)
      : session_(session), kernel_(kernel), over_(over) {}

  /// Only what may have changed since the call was first checked.
  void check_extrema(std::span<const Arg> arguments) {
    for (const Arg& arg : arguments) {
      if (arg.access == Access::min || arg.access == Access::max) {
        what_ = "global " + global_of(arg).name;
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
      switch (arg.kind) {
        case Arg::Kind::dat:
          what_ = "dat " + dat_of(arg).name;
          check_dat(arg);
          break;
        case Arg::Kind::global:
          what_ = "global " + global_of(arg).name;
          check_global(arg);
          break;
        case Arg::Kind::mat:
          what_ = "mat " + mat_of(arg).name;
          check_mat(arg);
          break;
      }
      ++number_;
    }
    what_.clear();
    if (extents_[0] == 0 && extents_[1] != 0)
      fail("iteration index 1 without 0, expected index(0) to be the first");
    check_globals(arguments);
    check_order(arguments);
  }

 private:
  template <class... Parts>
  [[noreturn]] void fail(fmt::format_string<Parts...> text, Parts&&... parts) const {
    const std::string where =
        what_.empty() ? "" : fmt::format(", argument {} ({})", number_, what_);
    throw Error(Errc::bad_input, fmt::format("loop {}{}: {}", kernel_.name(), where,
                                             fmt::format(text, std::forward<Parts>(parts)...)));
  }
  static bool is_alive(const LiveStates::Lookup& live, const Arg& arg) {
    switch (arg.kind) {
      case Arg::Kind::dat:
        return live.has(&dat_of(arg));
      case Arg::Kind::global:
        return live.has(&global_of(arg));
      case Arg::Kind::mat:
        break;
    }
    return live.has(&mat_of(arg));
  }
  void check_session(const SessionPtr& session) const {
    if (session.get() != session_) fail("belongs to another Mesh");
  }

  void check_map(const MapState& map, const Set& leads_to, int component, int index) {
    check_session(map.session);
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
      if (const auto wrong =
              check_columns(const_cast<MapState&>(map), LoopOver::of(*over_), component);
          !wrong.empty())
        fail("{}", wrong);
  }

  void check_dat(const Arg& arg) {
    const auto& dat = dat_of(arg);
    check_session(dat.session);
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

  /// What is left by one way of use cannot be added to what is left by another.
  void check_globals(std::span<const Arg> arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) {
        const Arg &one = arguments[i], &other = arguments[k];
        const bool both_reduce = one.access != Access::read && other.access != Access::read;
        if (one.kind != Arg::Kind::global || other.data != one.data || !both_reduce ||
            other.access == one.access)
          continue;
        number_ = i;
        what_ = "global " + global_of(one).name;
        fail("access {}, but argument {} is the same with {}, expected one way of use",
             name_of(one.access), k, name_of(other.access));
      }
  }

  /// Elements run in any order, several at once: what one argument changes no other may use, where
  /// one of them goes through a Map. (Those that go through Maps and all change what they find in
  /// the same way are kept apart by colours.) Nor may two change an element's own values, unless
  /// both add: each has a copy.
  void check_order(std::span<const Arg> arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) {
        const Arg &one = arguments[i], &other = arguments[k];
        if (one.kind != Arg::Kind::dat || other.kind != Arg::Kind::dat || one.data != other.data)
          continue;
        number_ = i;
        what_ = "dat " + dat_of(one).name;
        check_pair(one, other, k);
      }
  }

  void check_pair(const Arg& one, const Arg& other, std::size_t number) {
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
    if (both_mapped && alike) return;
    if (both_direct && alike && one.access == Access::inc) return;
    const std::string found =
        fmt::format("{}, but argument {} is the same with {}", way(one), number, way(other));
    if (both_direct) fail("{}: one would undo what the other leaves, expected one argument", found);
    fail("{}: elements run in any order, and one would change what another uses, expected two Dats",
         found);
  }

  void check_global(const Arg& arg) {
    const auto& global = global_of(arg);
    check_session(global.session);
    if (arg.access == Access::write || arg.access == Access::rw)
      fail("access {}, expected READ, INC, MIN or MAX", name_of(arg.access));
    if (arg.access == Access::min || arg.access == Access::max) check_numbers(global);
  }

  /// A NaN that is there already would decide every comparison or none.
  void check_numbers(const GlobalState& global) const {
    if (global.given_nan >= 0) fail("component {} is NaN before MIN or MAX", global.given_nan);
  }

  void check_mat(const Arg& arg) {
    const auto& mat = mat_of(arg);
    check_session(mat.session);
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

/// Numbers things by first occurrence.
template <class Thing>
class Numbered {
 public:
  int operator()(const Thing& thing) {
    const auto at = std::find(seen_.begin(), seen_.end(), thing);
    if (at != seen_.end()) return static_cast<int>(at - seen_.begin());
    seen_.push_back(thing);
    return static_cast<int>(seen_.size()) - 1;
  }

 private:
  std::vector<Thing> seen_;
};

}  // namespace

void check_alive(const Kernel& kernel, std::span<const Arg> arguments) {
  Checker(nullptr, kernel, nullptr).check_alive(arguments);
}

void check_call(const Session& session, const Kernel& kernel, const Iteration& over,
                std::span<const Arg> arguments) {
  Checker(&session, kernel, &over).check(arguments);
}

void check_extrema(const Kernel& kernel, std::span<const Arg> arguments) {
  Checker(nullptr, kernel, nullptr).check_extrema(arguments);
}

std::vector<ConstShape> constants_of(const Session& session) {
  std::vector<ConstShape> shapes;
  for (const auto& constant : session.constants)
    shapes.push_back(
        {constant->name, constant->type, static_cast<int>(constant->dim), constant->dim == 1});
  return shapes;
}

LoopShape describe(const Session& session, const Kernel& kernel, const Iteration& over,
                   std::span<const Arg> arguments) {
  LoopShape shape;
  shape.kernel = kernel.name();
  shape.source = value_or_throw(from_text(kernel.code(), kernel.name()));
  shape.subset = over.subset() != nullptr;
  shape.extruded = over.layers() > 0;
  Numbered<const void*> dats, globals, mats, maps;
  Numbered<std::pair<const void*, const void*>> pairs;
  std::array<int, 2> extents{};
  for (const Arg& arg : arguments) {
    ArgShape& made = shape.arguments.emplace_back();
    made.access = arg.access;
    made.flatten = arg.is_flat;
    if (arg.map != nullptr) {
      made.map = maps(arg.map);
      made.arity = static_cast<int>(arg.map->arity);
      made.component = std::max(arg.component, -1);
      made.index = std::max(arg.index, -1);
      made.via = arg.index >= 0       ? ArgShape::Via::index
                 : arg.component >= 0 ? ArgShape::Via::component
                                      : ArgShape::Via::all;
      if (arg.index >= 0) extents[static_cast<std::size_t>(arg.index)] = made.arity;
    }
    switch (arg.kind) {
      case Arg::Kind::dat: {
        const auto& form = static_cast<const DatState*>(arg.data)->data.form();
        made.kind = ArgShape::Kind::dat;
        made.type = form.type;
        made.dim = static_cast<int>(form.dim);
        made.soa = form.layout == DataLayout::soa && form.dim > 1;
        made.data = dats(arg.data);
        if (arg.map != nullptr) made.pair = pairs({arg.data, arg.map});
        break;
      }
      case Arg::Kind::global: {
        const auto& form = static_cast<const GlobalState*>(arg.data)->data.form();
        made.kind = ArgShape::Kind::global;
        made.type = form.type;
        made.dim = static_cast<int>(form.dim);
        made.data = globals(arg.data);
        break;
      }
      case Arg::Kind::mat: {
        const auto& mat = *static_cast<const MatState*>(arg.data);
        made.kind = ArgShape::Kind::mat;
        made.type = mat.values.form().type;
        made.dim = static_cast<int>(mat.sparsity.row_dim());
        made.column_dim = static_cast<int>(mat.sparsity.column_dim());
        made.data = mats(arg.data);
        made.column_map = maps(arg.column_map);
        made.column_arity = static_cast<int>(arg.column_map->arity);
        made.column_index = std::max(arg.column_index, -1);
        if (arg.column_index >= 0)
          extents[static_cast<std::size_t>(arg.column_index)] = made.column_arity;
        break;
      }
    }
  }
  for (const int extent : extents)
    if (extent > 0) shape.extents.push_back(extent);
  shape.constants = constants_of(session);
  return shape;
}

}  // namespace kiln::mesh
