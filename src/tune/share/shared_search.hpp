#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "store/default_store.hpp"
#include "tune/search/partners.hpp"
#include "tune/worker/child.hpp"

// A search that several machines share: how they find one another, and what they tell.
namespace kiln::tune {

/// A child process that talks to a Board for a tuner, and renews what the tuner holds while it
/// measures: the tuner's own process forks those that measure, so it may start no threads, and a
/// network that hangs costs it nothing. Ends with its parent, whose leases expire then. What was
/// told while the board could not be reached is told when it is back. One thread.
class Messenger {
 public:
  struct Limits {
    std::chrono::milliseconds renewal{5'000};   ///< a third of a lease
    std::chrono::milliseconds held{1'800'000};  ///< a candidate is not renewed for longer
    std::chrono::milliseconds answer{60'000};   ///< after which the messenger is given up
  };

  /// Forks. Errors: io.
  static Expected<Messenger> start(const MakeBoard& make, const Limits& limits);

  enum class Ask : char {
    take = 't',      ///< "m", "t" or "k": mine, theirs, known
    tell = 'r',      ///< a result, with its text
    news = 'n',      ///< texts, a line each, without line feeds of their own
    leave = 'l',     ///< "0" where this one is to end the search
    members = 'm',   ///< how many others are at it, or at its end
    finish = 'f',    ///< with its text
    finished = 'd',  ///< "+" and the text, or nothing
  };
  /// Errors: io, with the reason, where the board cannot be reached; device where the messenger is
  /// gone, for ever.
  Expected<std::string> ask(Ask what, ConfigurationId id = 0, std::string_view text = {});

 private:
  Messenger(Child child, const Limits& limits) : child_(std::move(child)), limits_(limits) {}

  Child child_;
  Limits limits_;
};

/// A board on the server of the fleet's store, for the search of this name (letters and digits).
/// Errors: bad_input for an absent or malformed URL; unsupported in a build without Redis.
Expected<MakeBoard> shared_board(const StoreSettings& settings, const std::string& search,
                                 const BoardTimes& times = {});

/// The Partners of a search that meet on a Board. Where they cannot be reached, a line in the log
/// says so once, and the search goes on alone; what it has measured is told when they are back.
class SharedSearch final : public Partners {
 public:
  /// What makes searches one: hexadecimal letters for BoardTimes' keys.
  static std::string name_of(const Journal::Subject& subject);

  /// `space` outlives it. Forks a messenger. Errors: io.
  static Expected<std::unique_ptr<SharedSearch>> open(const MakeBoard& make,
                                                      const SearchSpace& space,
                                                      const Messenger::Limits& limits = {});

  Claim take(ConfigurationId id) override;
  void tell(ConfigurationId id, const Report& report) override;
  std::vector<JournalEntry> news() override;
  void rest() override;
  bool leave() override;
  void finish(ConfigurationId winner, double seconds) override;

  /// What the search came to, where another has ended it.
  std::optional<Trial> finished();
  /// Whether others are at the search, or make its play-off. Asking is not taking part.
  /// False where they cannot be reached.
  bool is_gone_on_with();

 private:
  SharedSearch(Messenger messenger, const SearchSpace& space)
      : messenger_(std::move(messenger)), space_(space) {}
  /// Nothing where they cannot be reached.
  std::optional<std::string> ask(Messenger::Ask what, ConfigurationId id = 0,
                                 std::string_view text = {});

  Messenger messenger_;
  const SearchSpace& space_;
  std::set<Messenger::Ask> failing_;  ///< questions whose last one was not answered
};

/// A result as others read it, and back: nothing for what is none, or of a configuration that the
/// space has not, or no time that any kernel takes.
std::string text_of_result(ConfigurationId id, const Report& report);
std::optional<JournalEntry> result_of(std::string_view text, const SearchSpace& space);

}  // namespace kiln::tune
