#pragma once

#include <map>
#include <vector>

#include "schedule/graph_work/work.hpp"

namespace kiln::graph {

/// Which works write all of the memory that they are given to write, as runs have shown: such
/// memory needs no zeros first. Kept in the store. One thread at a time.
class WholeWrites {
 public:
  explicit WholeWrites(Resolver& resolver) : resolver_(resolver) {}

  /// Whether a use with Access::out is known to be written whole.
  bool hold(const Work& work, std::size_t use);
  /// Whether a run would show what is not known of a work.
  bool lacks(const Work& work);
  /// Takes in what a run has shown, by use.
  void learn(const Work& work, const std::vector<bool>& writes_all);

 private:
  struct Known {
    bool is_known = false;
    std::vector<bool> writes_all;  ///< by use
  };
  Known& known(const Work& work);

  Resolver& resolver_;
  std::map<Bytes, Known> all_;        ///< by identity
  std::map<const Work*, Known*> of_;  ///< so that each work's identity is made once
};

}  // namespace kiln::graph
