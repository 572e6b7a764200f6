#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "mesh/halo/parts.hpp"
#include "mesh/loop/loop_plan.hpp"
#include "mesh/model/loop_shape.hpp"

namespace kiln::mesh {

struct LoopSession;

/// Elements, or with a subset places in its list, that are launched together.
struct LoopRange {
  std::size_t begin = 0, end = 0;
  bool is_core = false;  ///< needs nothing from others
  bool counts = true;    ///< for reductions: redundantly computed elements do not
  /// Where core and others are coloured together: how many are core.
  std::size_t first_late = 0;
};

/// What a loop executes of its set, and reads of others' elements, whatever its form.
struct LoopParts {
  std::vector<LoopRange> ranges;  ///< none is empty
  std::size_t redundant = 0;      ///< elements of others among these
  std::size_t core = 0;           ///< elements of the set before this one need nothing of others
  // Of a distributed Mesh.
  bool is_distributed = false;
  /// It changes Dats, and of each element of the set only what is the element's own.
  bool writes_own = false;
  Parts* all = nullptr;
  /// Which built-in functions of its kernel all parts call on vectors, as of its first call.
  std::optional<std::uint64_t> lanes;
  std::unique_ptr<Exchange> exchange;  ///< null: it reads nothing of others
  Exchange::Where exchange_goes = Exchange::Where::with_loops;
  std::vector<std::pair<GlobalState*, Access>> globals;
  std::vector<DatState*> checked_reads;  ///< with Options::check: Dats that it reads
};

/// The core and what follows it without a gap as one range, the others as they are: for launches
/// that are not one for each range anyway.
std::vector<LoopRange> with_core_joined(std::span<const LoopRange> ranges);

/// Elements that others own are computed here, too, where a loop changes what they reach.
bool needs_exec_halo(const LoopShape& shape);

/// Of a checked call. On a distributed Mesh all parts call it for the same loop at its first call,
/// and wait for each other: throws bad_input on all of them where it is not the same.
LoopParts parts_of(LoopSession& session, const Kernel& kernel, const LoopShape& shape,
                   const LoopOver& over, std::span<const Arg> arguments);

}  // namespace kiln::mesh
