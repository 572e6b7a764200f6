#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "kernel/resolver/resolver.hpp"
#include "schedule/job.hpp"
#include "schedule/split.hpp"

/// What runs have shown about splitting a Job: at which cuts its parts do not conflict, and which
/// buffers need only their slices. Kept in the store.
namespace kiln {

/// Which buffers (by argument) may be transferred in slices, and at which cuts (work-groups of
/// dimension 0) that was shown. Empty: none.
struct Slices {
  std::set<std::size_t> cuts;
  std::vector<bool> sliced;
  bool holds(std::size_t argument) const { return argument < sliced.size() && sliced[argument]; }
  /// Whether both ends of a part were among the cuts.
  bool cover(const Part& part, std::size_t groups) const {
    const auto shown = [&](std::size_t at) { return at == 0 || at == groups || cuts.contains(at); };
    return shown(part.begin) && shown(part.end);
  }
};

/// Tries, for these parts of a Job and on this queue's device, which of the buffers that may be
/// sliced need only their slices: each part runs with what lies outside a slice replaced by other
/// values, and must neither read (its result is unchanged) nor write (they stay) any of it.
/// `job` is not changed; its inputs should be random, since equal values would show nothing.
Slices prove_slices(Resolver& resolver, const Queue& queue, const Job& job,
                    const std::vector<Part>& parts);

/// What runs have shown about splitting one Job: its program (by content, for any device),
/// geometry, scalars and buffer sizes. Kept in the store, so that the next process knows.
struct Proof {
  std::string conflict;  ///< where two parts disagreed; empty where none did
  /// Merged runs showed no conflict at cuts (work-groups of dimension 0) that are multiples of
  /// this; 0: nothing is shown.
  std::size_t conflict_free_step = 0;
  Slices slices;  ///< shown by prove_slices
};

Proof load_proof(Resolver& resolver, const Job& job);
/// Adds a proof to what the store has: a conflict wins over its absence, cuts are added, and a
/// buffer stays sliced only while every proof says so.
void add_proof(Resolver& resolver, const Job& job, const Proof& proof);

}  // namespace kiln
