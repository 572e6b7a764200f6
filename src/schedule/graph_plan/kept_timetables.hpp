#pragma once

#include <optional>

#include "kernel/resolver/resolver.hpp"
#include "schedule/graph/problem.hpp"

namespace kiln::graph {

/// Timetables in the store, so that a graph which was planned once is not searched and tried again.
/// They are found by what they depend on: the graph, the devices, and the classes of the times.
class KeptTimetables {
 public:
  explicit KeptTimetables(Resolver& resolver) : resolver_(resolver) {}

  /// Canonical bytes of a problem's graph and devices; its times go in by their classes, so that a
  /// time which differs by its noise gives the same. `what`: what is planned for, beyond that.
  static Bytes identity_of(const Problem& problem, ByteView what);

  struct Kept {
    Timetable timetable;
    double tried_ns = 0;  ///< what its runs took when it was planned; 0: none was made
  };
  /// With the problem's times. Nothing where none is kept, or where it does not fit.
  std::optional<Kept> find(const Bytes& identity, const Problem& problem) const;
  /// Which of two graphs was faster, as a yes or no.
  std::optional<bool> find_choice(const Bytes& identity) const;
  void keep_choice(const Bytes& identity, bool choice);
  void keep(const Bytes& identity, const Problem& problem, const Kept& kept);

 private:
  Resolver& resolver_;
};

}  // namespace kiln::graph
