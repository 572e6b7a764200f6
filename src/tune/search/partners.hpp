#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tune/search/journal.hpp"

/// Searches of one space by several machines: what a Tuner asks of its partners, and the board on
/// which they meet. tune/share has the Partners that meet on a board, tune/redis a board.
namespace kiln::tune {

/// Others who search the same space at the same time, on machines of the same kind: each
/// candidate is measured by one, and all learn what came of it. A partner that dies with a
/// candidate leaves it to the others. Results of others are not trusted for the record: the tuner
/// that ends a search measures the best again. One thread.
class Partners {
 public:
  virtual ~Partners() = default;

  enum class Claim : std::uint8_t {
    mine,    ///< to be measured here, until it is told or given back
    theirs,  ///< another measures it now
    known,   ///< a partner has told of it: it comes with the news
  };
  /// Where the partners cannot be reached everything is `mine`.
  virtual Claim take(ConfigurationId id) = 0;
  /// What came of a configuration; the first result of each counts.
  virtual void tell(ConfigurationId id, const Report& report) = 0;
  /// Results told since the last call, by any partner; every id is of the space.
  virtual std::vector<JournalEntry> news() = 0;
  /// A moment in which others may get on.
  virtual void rest() = 0;
  /// Nothing more is measured here but, perhaps, the play-off: true where no other is left, so
  /// that it is to be done here. What is still taken is given back.
  virtual bool leave() = 0;
  /// The search has come to its end, for all.
  virtual void finish(ConfigurationId winner, double seconds) = 0;
};

/// Where the tuners of one search meet: which of them measures what, and the results. What is read
/// from it is not trusted. Errors: io, timeout and refused where it cannot be reached; corrupt.
class Board {
 public:
  virtual ~Board() = default;

  /// From now on this tuner is one of the search's, for as long as it renews that.
  virtual Expected<void> join() = 0;
  virtual Expected<Partners::Claim> take(ConfigurationId id) = 0;
  /// That this one is still at work on these, and one of the search's.
  enum class Member : bool { no, yes };
  virtual Expected<void> renew(const std::vector<ConfigurationId>& held, Member member) = 0;
  virtual Expected<void> give_back(ConfigurationId id) = 0;
  /// A result; the first of a configuration stays.
  virtual Expected<void> tell(ConfigurationId id, const std::string& text) = 0;

  struct News {
    std::vector<std::string> texts;
    std::size_t next = 0;    ///< where to go on; behind `from` by texts.size()
    bool restarted = false;  ///< the board has lost what it had: these are from its beginning
  };
  /// What was told from a place on, in the order of telling; not all at once.
  virtual Expected<News> news(std::size_t from) = 0;
  /// This tuner takes part no longer; how many others still do.
  virtual Expected<std::size_t> leave() = 0;
  /// How many tuners take part, asked by one that does not; the holder of `held` counts as one
  /// more.
  virtual Expected<std::size_t> members(ConfigurationId held) = 0;
  virtual Expected<void> finish(const std::string& text) = 0;
  /// What the search came to; nothing while it goes on.
  virtual Expected<std::optional<std::string>> finished() = 0;
};

/// Makes a board in the process that talks to it.
using MakeBoard = std::function<std::unique_ptr<Board>()>;

/// How long a lease lasts that is not renewed, and how long the results of a search without tuners
/// are kept.
struct BoardTimes {
  std::chrono::milliseconds lease{15'000};
  std::chrono::milliseconds kept = std::chrono::hours(24);
};

}  // namespace kiln::tune
