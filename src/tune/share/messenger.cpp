// The process that talks to a board.
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <utility>

#include "base/expected.hpp"
#include "base/log.hpp"
#include "tune/share/shared_search.hpp"

namespace kiln::tune {
namespace {

using Ask = Messenger::Ask;
using Clock = std::chrono::steady_clock;

/// A message of either way, in bytes.
constexpr std::size_t most_message_bytes = 96 << 10;
/// No tuner writes a longer text.
constexpr std::size_t most_question_text = 8 << 10;
/// Results that wait for the board, and those that a board which lost them gets again.
constexpr std::size_t most_told = 100'000;

/// Pages of news that are looked at for one question: strangers may write more junk than can be
/// read while a tuner waits.
constexpr std::size_t most_pages = 4;

/// Not the number of any configuration: held by the tuner that makes the play-off.
constexpr ConfigurationId the_end = ~ConfigurationId{0};

/// What a Messenger asks its process: as it lies in memory, since both are one program, then the
/// text.
struct Question {
  Ask what{};
  ConfigurationId id = 0;
};

/// What the process does: answers for the board, and remembers what the board has yet to be told.
class BoardServer {
 public:
  BoardServer(std::unique_ptr<Board> board, const Messenger::Limits& limits)
      : board_(std::move(board)), limits_(limits) {}

  void serve(int channel) {
    auto renewal = Clock::now() + limits_.renewal;
    for (;;) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(renewal - Clock::now());
      pollfd wait{channel, POLLIN, 0};
      const int ready = ::poll(&wait, 1, static_cast<int>(std::max<long>(0, left.count())));
      if (ready < 0 && errno != EINTR) return;
      if (Clock::now() >= renewal) {
        renew();
        renewal = Clock::now() + limits_.renewal;
      }
      if (ready <= 0) continue;
      Question question;
      std::string text;
      if (receive_all(channel, &question, sizeof question) != Received::whole ||
          receive_text(channel, text, most_message_bytes) != Received::whole)
        return;
      const auto answer = expected_from([&] { return answer_to(question, text); });
      if (!send_text(channel, answer ? "+" + *answer : "-" + answer.error().message(),
                     most_message_bytes))
        return;
    }
  }

 private:
  /// Throws Error where the board cannot be reached.
  std::string answer_to(const Question& question, const std::string& text) {
    if (question.what == Ask::tell) {
      held_.erase(question.id);
      if (told_.size() < most_told) told_.emplace_back(question.id, text);
    }
    for (; sent_ < told_.size(); ++sent_)
      value_or_throw(board_->tell(told_[sent_].first, told_[sent_].second));
    // A tuner that only asks whether the search has ended, or goes on, does not take part in it.
    if (!joined_ && question.what != Ask::finished && question.what != Ask::members) {
      value_or_throw(board_->join());
      joined_ = true;
    }
    switch (question.what) {
      case Ask::take:
        return take(question.id);
      case Ask::tell:
        return "";
      case Ask::news:
        return news();
      case Ask::leave:
        return leave();
      case Ask::members:
        return std::to_string(value_or_throw(board_->members(the_end)));
      case Ask::finish:
        held_.erase(the_end);
        value_or_throw(board_->finish(text));
        value_or_throw(board_->give_back(the_end));
        return "";
      case Ask::finished: {
        const auto found = value_or_throw(board_->finished());
        return found && found->size() <= most_question_text ? "+" + *found : "";
      }
    }
    throw Error(Errc::internal, "an unknown question");
  }

  std::string take(ConfigurationId id) {
    const auto claim = value_or_throw(board_->take(id));
    if (claim != Partners::Claim::mine) return claim == Partners::Claim::theirs ? "t" : "k";
    held_[id] = Clock::now();
    return "m";
  }

  std::string news() {
    std::string text;
    std::size_t pages = 0;
    while (text.size() + most_question_text < most_message_bytes) {
      if (pending_.empty()) {
        if (pages++ == most_pages) break;
        auto more = board_->news(next_);
        if (!more && !text.empty()) break;
        const auto page = value_or_throw(std::move(more));
        next_ = page.next;
        // What it has lost, it gets again.
        if (page.restarted) sent_ = 0;
        pending_.assign(page.texts.rbegin(), page.texts.rend());
        if (pending_.empty()) break;
      }
      const std::string& one = pending_.back();
      if (!one.empty() && one.size() < most_question_text && one.find('\n') == one.npos)
        text += one + '\n';
      pending_.pop_back();
    }
    return text;
  }

  std::string leave() {
    for (const auto& [id, since] : held_) value_or_throw(board_->give_back(id));
    held_.clear();
    const auto others = value_or_throw(board_->leave());
    left_ = true;
    if (others > 0) return std::to_string(others);
    // The last one ends the search; of several that come to their end together, one.
    return take(the_end) == "t" ? "1" : "0";
  }

  void renew() {
    std::erase_if(held_, [&](const auto& one) { return Clock::now() - one.second > limits_.held; });
    std::vector<ConfigurationId> held;
    for (const auto& one : held_) held.push_back(one.first);
    const bool is_member = joined_ && !left_;
    (void)board_->renew(held, is_member ? Board::Member::yes : Board::Member::no);
  }

  std::unique_ptr<Board> board_;
  Messenger::Limits limits_;
  std::map<ConfigurationId, Clock::time_point> held_;
  std::vector<std::pair<ConfigurationId, std::string>> told_;
  std::size_t sent_ = 0, next_ = 0;
  std::vector<std::string> pending_;  ///< news that are not passed on yet, the last one first
  bool joined_ = false, left_ = false;
};

/// The child: answers until the other end of the channel is closed. An answer is "+" and what was
/// asked for, or "-" and why the board cannot be reached.
void serve_board(const MakeBoard& make, int channel, const Messenger::Limits& limits) {
  // The parent says once that the board is gone; this process would only repeat it.
  set_log_sink({});
  try {
    BoardServer(make(), limits).serve(channel);
  } catch (const std::exception&) {
    // The parent sees the end of the channel.
  }
}

}  // namespace

Expected<Messenger> Messenger::start(const MakeBoard& make, const Limits& limits) {
  Child child;
  const auto serve = [&](int channel) { serve_board(make, channel, limits); };
  if (auto started = child.start(serve); !started) return tl::unexpected(started.error());
  return Messenger(std::move(child), limits);
}

Expected<std::string> Messenger::ask(Ask what, ConfigurationId id, std::string_view text) {
  const auto gone = [&](const char* how) {
    child_.stop();
    return fail(Errc::device, std::string("the process that talks to them ") + how);
  };
  if (!child_.is_running()) return fail(Errc::device, "the process that talks to them is gone");
  const Question head{what, id};
  if (!send_all(child_.channel(), &head, sizeof head) ||
      !send_text(child_.channel(), text, most_message_bytes))
    return gone("died");
  std::string answer;
  const auto received =
      receive_text(child_.channel(), answer, most_message_bytes, Clock::now() + limits_.answer);
  if (received != Received::whole) return gone(received == Received::late ? "hangs" : "died");
  if (answer.front() == '-') return fail(Errc::io, answer.substr(1));
  return answer.substr(1);
}

}  // namespace kiln::tune
