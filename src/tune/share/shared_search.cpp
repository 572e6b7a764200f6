#include "tune/share/shared_search.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/data/digest.hpp"
#include "base/data/text.hpp"
#include "base/log.hpp"
#include "store/layer/shared_layer.hpp"

#if KILN_WITH_REDIS
#include "tune/redis/redis_board.hpp"
#endif

namespace kiln::tune {
namespace {

using Json = nlohmann::ordered_json;
using Ask = Messenger::Ask;

constexpr std::size_t most_shared_text = 4 << 10;
constexpr std::size_t most_message_shown = 1 << 10;
/// Between questions to others who are at work on the last candidates.
constexpr int rest_ms = 100;
/// Seconds that no launch takes.
constexpr double too_short = 1e-9, too_long = 1e6;

}  // namespace

std::string text_of_result(ConfigurationId id, const Report& report) {
  return dumped(
      json_of_result(id, {}, report.outcome, report.message.substr(0, most_message_shown)));
}

std::optional<JournalEntry> result_of(std::string_view text, const SearchSpace& space) {
  if (text.size() > most_shared_text) return std::nullopt;
  auto line = journal_line_of(parsed_line(text));
  if (!line || line->id >= space.size()) return std::nullopt;
  Report& report = line->report;
  if (report.outcome.ok() && !(report.outcome.time > too_short && report.outcome.time < too_long))
    return std::nullopt;
  report.message = one_line(report.message.substr(0, most_message_shown));
  return line;
}

std::string SharedSearch::name_of(const Journal::Subject& subject) {
  const std::string what = fmt::format("kiln shared search 1\n{}\n{}\n{}", subject.identity,
                                       subject.device, subject.space);
  return blake2b(as_bytes(what)).hex();
}

Expected<std::unique_ptr<SharedSearch>> SharedSearch::open(const MakeBoard& make,
                                                           const SearchSpace& space,
                                                           const Messenger::Limits& limits) {
  auto messenger = Messenger::start(make, limits);
  if (!messenger) return tl::unexpected(messenger.error());
  return std::unique_ptr<SharedSearch>(new SharedSearch(*std::move(messenger), space));
}

std::optional<std::string> SharedSearch::ask(Ask what, ConfigurationId id, std::string_view text) {
  auto answer = messenger_.ask(what, id, text);
  // One kind of question may fail for ever while the others are answered: that is said once.
  if (answer) {
    if (failing_.erase(what) > 0 && failing_.empty())
      log(LogLevel::info, "the other tuners can be reached again");
    return *std::move(answer);
  }
  if (failing_.empty())
    log(LogLevel::warning,
        fmt::format("the other tuners cannot be reached: {}; this one goes on alone",
                    one_line(answer.error().message())));
  failing_.insert(what);
  return std::nullopt;
}

Partners::Claim SharedSearch::take(ConfigurationId id) {
  const auto answer = ask(Ask::take, id);
  if (!answer || *answer == "m") return Claim::mine;
  return *answer == "k" ? Claim::known : Claim::theirs;
}

void SharedSearch::tell(ConfigurationId id, const Report& report) {
  (void)ask(Ask::tell, id, text_of_result(id, report));
}

std::vector<JournalEntry> SharedSearch::news() {
  std::vector<JournalEntry> news;
  // A page at a time; what strangers go on adding is for the next time.
  for (std::size_t page = 0; page < 64; ++page) {
    const auto answer = ask(Ask::news);
    if (!answer || answer->empty()) return news;
    for (std::size_t begin = 0; begin < answer->size();) {
      const auto end = std::min(answer->find('\n', begin), answer->size());
      if (auto one = result_of(std::string_view(*answer).substr(begin, end - begin), space_))
        news.push_back(*std::move(one));
      begin = end + 1;
    }
  }
  return news;
}

void SharedSearch::rest() { ::poll(nullptr, 0, rest_ms); }

bool SharedSearch::leave() {
  const auto answer = ask(Ask::leave);
  if (!answer) return true;
  // Another may have ended it since this one looked.
  return *answer == "0" && !finished();
}

void SharedSearch::finish(ConfigurationId winner, double seconds) {
  (void)ask(Ask::finish, 0, text_of_result(winner, {Outcome::of_time(seconds), ""}));
}

bool SharedSearch::is_gone_on_with() {
  const auto answer = ask(Ask::members);
  return answer && *answer != "0";
}

std::optional<Trial> SharedSearch::finished() {
  const auto answer = ask(Ask::finished);
  if (!answer || answer->empty()) return std::nullopt;
  const auto result = result_of(std::string_view(*answer).substr(1), space_);
  if (!result || !result->report.outcome.ok()) return std::nullopt;
  return Trial{result->id, result->report.outcome};
}

Expected<MakeBoard> shared_board(const StoreSettings& settings,
                                 [[maybe_unused]] const std::string& search,
                                 [[maybe_unused]] const BoardTimes& times) {
  if (settings.shared.empty())
    return fail(Errc::bad_input, "--share: found no shared store, expected --shared-store URL");
  const auto url = parse_shared_url(settings.shared);
  if (!url) return tl::unexpected(url.error());
#if KILN_WITH_REDIS
  return MakeBoard([url = *url, search, times, timeout = settings.shared_timeout] {
    return std::make_unique<RedisBoard>(url, search, times, timeout);
  });
#else
  return fail(Errc::unsupported, "this build has no shared store: it was made without hiredis");
#endif
}

}  // namespace kiln::tune
