#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/default_store.hpp"
#include "tune/session/partners.hpp"

namespace kiln::tune {

/// Where the tuners of one search meet: who measures what, what came of it. All that is read from
/// it is from strangers. Errors: io, timeout and refused where it cannot be reached; corrupt.
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
  /// This one is none of the search's any more; how many are left.
  virtual Expected<std::size_t> leave() = 0;
  /// How many others are at the search, for who is none of it; who holds `held` counts as one more.
  virtual Expected<std::size_t> members(ConfigurationId held) = 0;
  virtual Expected<void> finish(const std::string& text) = 0;
  /// What the search came to; nothing while it goes on.
  virtual Expected<std::optional<std::string>> finished() = 0;
};

/// Makes a board in the process that talks to it.
using MakeBoard = std::function<std::unique_ptr<Board>()>;

/// How long something lasts that nobody renews, and what is kept of a search that nobody is at.
struct BoardTimes {
  std::chrono::milliseconds lease{15'000};
  std::chrono::milliseconds kept = std::chrono::hours(24);
};

/// A board on the server of the fleet's store, for the search of this name (letters and digits).
/// Errors: bad_input for no URL or one that is none; unsupported in a build without Redis.
Expected<MakeBoard> shared_board(const StoreSettings& settings, const std::string& search,
                                 const BoardTimes& times = {});

}  // namespace kiln::tune
