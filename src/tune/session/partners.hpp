#pragma once

#include <vector>

#include "tune/session/journal.hpp"

namespace kiln::tune {

/// Others who search the same space at the same time, on machines of the same kind: each
/// candidate is measured by one, and all learn what came of it. A partner that dies with a
/// candidate leaves it to the others. Nobody's word is taken for what goes on record: who ends a
/// search measures the best again. One thread.
class Partners {
 public:
  virtual ~Partners() = default;

  enum class Claim : std::uint8_t {
    mine,    ///< to be measured here, until it is told or given back
    theirs,  ///< another measures it now
    known,   ///< somebody has told of it: it comes with the news
  };
  /// Where nobody can be reached everything is `mine`.
  virtual Claim take(ConfigurationId id) = 0;
  /// What came of one; whoever told of a configuration first is believed.
  virtual void tell(ConfigurationId id, const Report& report) = 0;
  /// What was told since the last call, by anybody; every id is of the space.
  virtual std::vector<JournalEntry> news() = 0;
  /// A moment in which others may get on.
  virtual void rest() = 0;
  /// Nothing more is measured here but, perhaps, the play-off: true where no other is left, so
  /// that it is to be done here. What is still taken is given back.
  virtual bool leave() = 0;
  /// The search has come to its end, for all.
  virtual void finish(ConfigurationId winner, double seconds) = 0;
};

}  // namespace kiln::tune
