// Searches that several processes make together, by a real server.
#include "tune/share/shared_search.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/log.hpp"
#include "store/redis/redis_process.hpp"
#include "tune/fake_tunable.hpp"
#include "tune/search/tuner.hpp"
#include "tune/strategy/strategy.hpp"

namespace kiln::tune::testing {
namespace {

using kiln::testing::RedisProcess;
using std::chrono::milliseconds;
namespace fs = std::filesystem;

/// What every process of a test writes to: "PID ID" for each candidate that it took.
class Takes {
 public:
  explicit Takes(fs::path path) : path_(std::move(path)) {}
  void add(const std::string& line) const {
    const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const std::string text = line + "\n";
    EXPECT_EQ(::write(file, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(file);
  }
  std::vector<std::pair<pid_t, ConfigurationId>> all() const {
    std::istringstream in(read_text(path_).value_or(""));
    std::vector<std::pair<pid_t, ConfigurationId>> takes;
    pid_t pid = 0;
    for (ConfigurationId id = 0; in >> pid >> id;) takes.emplace_back(pid, id);
    return takes;
  }
  std::set<pid_t> processes() const {
    std::set<pid_t> found;
    for (const auto& [pid, id] : all()) found.insert(pid);
    return found;
  }

 private:
  fs::path path_;
};

/// Partners whose steps a test hears of.
class Watched : public Partners {
 public:
  Watched(Partners& partners, const Takes& takes) : partners_(partners), takes_(takes) {}
  std::function<void(ConfigurationId)> on_mine = [](ConfigurationId) {};
  std::function<void()> on_rest = [] {};

  Claim take(ConfigurationId id) override {
    const Claim claim = partners_.take(id);
    if (claim == Claim::mine) {
      takes_.add(std::to_string(::getpid()) + " " + std::to_string(id));
      on_mine(id);
    }
    return claim;
  }
  void tell(ConfigurationId id, const Report& report) override { partners_.tell(id, report); }
  std::vector<JournalEntry> news() override { return partners_.news(); }
  void rest() override {
    on_rest();
    partners_.rest();
  }
  bool leave() override { return partners_.leave(); }
  void finish(ConfigurationId winner, double seconds) override {
    partners_.finish(winner, seconds);
  }

 private:
  Partners& partners_;
  const Takes& takes_;
};

class SharedSearchTest : public ::testing::Test {
 protected:
  static constexpr milliseconds lease{600};

  void SetUp() override {
    KILN_NEEDS_REDIS();
    server_ = std::make_unique<RedisProcess>();
  }
  Journal::Subject subject() const {
    return {tunable_.identity(), "a device", "exhaustive", 1, Journal::text_of(tunable_.space())};
  }
  std::string key(const std::string& name) const {
    return "kiln-tune:1:" + SharedSearch::name_of(subject()) + ":" + name;
  }
  MakeBoard board(milliseconds held = lease) const {
    StoreSettings settings;
    settings.shared = server_->url();
    return value_or_throw(
        shared_board(settings, SharedSearch::name_of(subject()), {held, std::chrono::hours(1)}));
  }
  /// The same line of the log, so many times.
  void push(int count, const std::string& text) const {
    server_->command({"EVAL", "for i = 1, ARGV[1] do redis.call('RPUSH', KEYS[1], ARGV[2]) end",
                      "1", key("log"), std::to_string(count), text});
  }
  using Prepare = std::function<void(Watched&)>;
  Expected<TunerResult> search(
      const std::string& journal_name, const Prepare& prepare,
      const Tuner::Listener& listener = [](const TunerState&) { return true; }) const {
    auto shared = value_or_throw(SharedSearch::open(
        board(), tunable_.space(), {lease / 4, milliseconds(1'000'000), milliseconds(60'000)}));
    Watched watched(*shared, takes_);
    prepare(watched);
    auto journal = value_or_throw(Journal::open(folder_.path() / journal_name, subject(),
                                                tunable_.space(), Journal::Existing::set_aside));
    const auto strategy = value_or_throw(make_strategy("exhaustive", tunable_.space(), 1));
    Worker worker([] { return std::make_unique<FakeBench>(); },
                  {milliseconds(20'000), milliseconds(2'000), milliseconds(20'000)});
    TunerOptions options;
    options.partners = &watched;
    Tuner tuner(tunable_, worker, *strategy, journal, options);
    return tuner.run(listener);
  }
  /// The same in a process: its exit code is 0 where it ended the search with the right winner, 1
  /// where it left that to others.
  pid_t start(const std::string& journal_name, const Prepare& prepare) const {
    const pid_t child = ::fork();
    if (child != 0) return child;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    int code = 3;
    try {
      const auto result = search(journal_name, prepare);
      if (result && result->left_to_others) code = 1;
      if (result && result->winner && result->winner->id == 20) code = 0;
    } catch (const std::exception&) {
      code = 4;
    }
    ::_exit(code);
  }
  static int code_of(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  static void await(const std::function<bool()>& condition) {
    while (!condition()) ::sched_yield();
  }
  /// Configurations that were taken more than once.
  std::vector<ConfigurationId> taken_twice() const {
    std::map<ConfigurationId, int> counts;
    for (const auto& [pid, id] : takes_.all()) ++counts[id];
    std::vector<ConfigurationId> twice;
    for (const auto& [id, count] : counts)
      if (count > 1) twice.push_back(id);
    return twice;
  }
  /// Neither process goes on before both have a candidate.
  Prepare meeting() const {
    return [this](Watched& watched) {
      watched.on_mine = [this](ConfigurationId) {
        await([&] { return takes_.processes().size() == 2; });
      };
    };
  }

  FakeTunable tunable_;
  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-share"));
  Takes takes_{fs::path(folder_.path()) / "takes"};
  std::unique_ptr<RedisProcess> server_;
};

TEST_F(SharedSearchTest, two_processes_measure_each_candidate_once_and_one_ends_the_search) {
  const pid_t a = start("a", meeting()), b = start("b", meeting());
  std::vector<int> codes{code_of(a), code_of(b)};
  std::sort(codes.begin(), codes.end());
  EXPECT_EQ(codes, (std::vector<int>{0, 1})) << "one ended it, the other left";
  EXPECT_EQ(taken_twice(), std::vector<ConfigurationId>());
  EXPECT_EQ(takes_.all().size(), 40u);
  EXPECT_EQ(takes_.processes().size(), 2u);
  // Both know all: the journals are as those of a search alone.
  for (const char* name : {"a", "b"}) {
    const auto journal = Journal::open(folder_.path() / name, subject(), tunable_.space());
    ASSERT_TRUE(journal) << journal.error().message();
    EXPECT_EQ(journal->entries().size(), 40u) << name;
  }
  auto shared = value_or_throw(SharedSearch::open(board(), tunable_.space()));
  const auto ended = shared->finished();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->id, 20u);
}

TEST_F(SharedSearchTest, what_a_killed_process_had_is_measured_by_another) {
  // Its third candidate is never measured.
  const pid_t dies = start("dies", [this](Watched& watched) {
    watched.on_mine = [this, count = 0](ConfigurationId) mutable {
      if (++count < 3) return;
      takes_.add("0 0");
      for (;;) ::pause();
    };
  });
  await([&] { return takes_.processes().contains(0); });
  ::kill(dies, SIGKILL);
  ::waitpid(dies, nullptr, 0);
  const ConfigurationId lost = takes_.all()[2].second;
  EXPECT_EQ(code_of(start("lives", [](Watched&) {})), 0);
  EXPECT_EQ(taken_twice(), std::vector<ConfigurationId>({0, lost})) << "0 is the test's own mark";
  EXPECT_EQ(takes_.all().size(), 3u + 1 + 38)
      << "the dead one's, the mark, and all that it had not told";
}

TEST_F(SharedSearchTest, what_takes_long_stays_with_who_measures_it) {
  const pid_t slow = start("slow", [this](Watched& watched) {
    watched.on_mine = [this, count = 0](ConfigurationId) mutable {
      if (++count == 2) await([&] { return takes_.processes().contains(0); });
    };
  });
  await([&] { return takes_.all().size() == 2; });
  const ConfigurationId held = takes_.all()[1].second;
  // The other waits for it longer than three leases.
  const pid_t quick = start("quick", [this](Watched& watched) {
    watched.on_rest = [this, since = std::optional<std::chrono::steady_clock::time_point>(),
                       said = false]() mutable {
      if (!since) since = std::chrono::steady_clock::now();
      if (said || std::chrono::steady_clock::now() - *since < 3 * lease) return;
      said = true;
      takes_.add("0 1000");
    };
  });
  std::vector<int> codes{code_of(slow), code_of(quick)};
  std::sort(codes.begin(), codes.end());
  EXPECT_EQ(codes, (std::vector<int>{0, 1}));
  EXPECT_EQ(taken_twice(), std::vector<ConfigurationId>()) << held;
}

TEST_F(SharedSearchTest, who_comes_late_learns_what_the_others_know) {
  EXPECT_EQ(code_of(start("first", [](Watched&) {})), 0);
  server_->command({"DEL", key("final")});
  const auto result = search("second", [](Watched&) {});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(takes_.processes().size(), 1u) << "nothing is left to measure";
  EXPECT_EQ(result->state.evaluated, 40u);
  EXPECT_EQ(result->winner->id, 20u) << "measured again, for the play-off";
}

TEST_F(SharedSearchTest, who_leaves_when_it_has_been_ended_leaves_it_so) {
  auto ends = value_or_throw(SharedSearch::open(board(), tunable_.space()));
  auto late = value_or_throw(SharedSearch::open(board(), tunable_.space()));
  EXPECT_EQ(ends->take(1), Partners::Claim::mine);
  EXPECT_EQ(late->take(2), Partners::Claim::mine);
  EXPECT_FALSE(ends->leave()) << "another is there";
  EXPECT_TRUE(late->leave());
  EXPECT_FALSE(ends->leave()) << "another makes the play-off";
  late->finish(20, 0.25);
  EXPECT_FALSE(ends->leave()) << "another has made it";
  ASSERT_TRUE(ends->finished());
  EXPECT_EQ(ends->finished()->outcome.time, 0.25);
}

TEST_F(SharedSearchTest, who_only_waits_is_none_of_the_search) {
  auto waits = value_or_throw(SharedSearch::open(board(), tunable_.space()));
  auto also = value_or_throw(SharedSearch::open(board(), tunable_.space()));
  EXPECT_FALSE(waits->is_gone_on_with()) << "no tuner has begun";
  auto works = value_or_throw(SharedSearch::open(board(std::chrono::hours(1)), tunable_.space()));
  EXPECT_EQ(works->take(1), Partners::Claim::mine);
  EXPECT_TRUE(waits->is_gone_on_with());
  EXPECT_TRUE(also->is_gone_on_with());
  EXPECT_TRUE(works->leave()) << "who waits keeps no tuner from ending it";
  EXPECT_TRUE(waits->is_gone_on_with()) << "it makes the play-off";
  works->finish(20, 0.25);
  EXPECT_FALSE(waits->is_gone_on_with());
  EXPECT_TRUE(waits->finished());
}

TEST_F(SharedSearchTest, who_waits_for_one_that_died_or_has_no_server_waits_for_nobody) {
  auto waits = value_or_throw(SharedSearch::open(board(), tunable_.space()));
  {
    auto dies = value_or_throw(SharedSearch::open(board(), tunable_.space()));
    EXPECT_EQ(dies->take(1), Partners::Claim::mine);
  }
  await([&] { return !waits->is_gone_on_with(); });
  EXPECT_EQ(waits->take(2), Partners::Claim::mine);
  server_->kill();
  EXPECT_FALSE(waits->is_gone_on_with());
}

TEST_F(SharedSearchTest, goes_on_alone_with_one_warning_where_the_server_stops) {
  std::vector<std::string> warnings;
  set_log_sink([&](LogLevel level, std::string_view text) {
    if (level == LogLevel::warning) warnings.emplace_back(text);
  });
  const auto result = search(
      "alone", [](Watched&) {},
      [&](const TunerState& state) {
        if (state.evaluated == 10) server_->kill();
        return true;
      });
  set_log_sink({});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_FALSE(result->left_to_others);
  EXPECT_EQ(result->winner->id, 20u);
  EXPECT_EQ(result->state.evaluated, 40u);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], ::testing::HasSubstr("this one goes on alone"));
}

TEST_F(SharedSearchTest, believes_nothing_of_what_strangers_write) {
  // A result without a sender, one of a search of other things, and things that are no results.
  server_->command({"HSET", key("results"), "5", "1", "-1", "x", "38", "1"});
  for (const std::string& text :
       {std::string(), std::string("x"), std::string("[]"), std::string("null"),
        std::string(R"({"id":-1,"seconds":1})"), std::string(R"({"id":40,"seconds":1})"),
        std::string(R"({"id":1e300,"seconds":1})"), std::string(R"({"id":2,"seconds":-1})"),
        std::string(R"({"id":2,"seconds":1e-300})"), std::string(R"({"id":2,"seconds":"fast"})"),
        std::string(R"({"id":2,"failure":7})"), std::string(100'000, '['),
        std::string("\xff\xfe\n{\"id\":2,\"seconds\":1e-3}")})
    server_->command({"RPUSH", key("log"), text});
  // A lie: 39 is slow.
  server_->command({"RPUSH", key("log"), R"({"id":39,"seconds":0.0001})"});
  server_->command({"SET", key("final"), R"({"id":77,"seconds":1})"});
  EXPECT_FALSE(value_or_throw(SharedSearch::open(board(), tunable_.space()))->finished());
  const auto result = search("mine", [](Watched&) {});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->winner->id, 20u) << "what goes on record was measured here";
  EXPECT_EQ(result->state.evaluated, 40u);
}

TEST_F(SharedSearchTest, news_come_past_what_is_too_long) {
  server_->command({"RPUSH", key("log"), std::string(5 << 20, 'x')});
  push(1500, "junk");
  server_->command({"RPUSH", key("log"), std::string(9'000, 'x')});
  server_->command({"RPUSH", key("log"), R"({"id":7,"seconds":0.5})"});
  std::vector<std::string> warnings;
  set_log_sink([&](LogLevel level, std::string_view text) {
    if (level == LogLevel::warning) warnings.emplace_back(text);
  });
  auto shared = value_or_throw(SharedSearch::open(board(), tunable_.space()));
  const auto news = shared->news();
  set_log_sink({});
  EXPECT_EQ(warnings, std::vector<std::string>());
  ASSERT_EQ(news.size(), 1u);
  EXPECT_EQ(news.front().id, 7u);
}

TEST_F(SharedSearchTest, junk_is_read_a_few_pages_at_a_time) {
  push(2000, "a\nb");
  server_->command({"RPUSH", key("log"), R"({"id":7,"seconds":0.5})"});
  auto shared = value_or_throw(SharedSearch::open(board(), tunable_.space()));
  EXPECT_TRUE(shared->news().empty()) << "the rest is for the next time";
  EXPECT_EQ(shared->news().size(), 1u);
}

TEST_F(SharedSearchTest, says_once_which_question_is_never_answered) {
  server_->command({"SET", key("log"), "nonsense"});
  std::vector<std::string> lines;
  set_log_sink([&](LogLevel, std::string_view text) { lines.emplace_back(text); });
  auto shared = value_or_throw(SharedSearch::open(board(), tunable_.space()));
  for (ConfigurationId id = 0; id < 5; ++id) {
    EXPECT_EQ(shared->take(id), Partners::Claim::mine);
    EXPECT_TRUE(shared->news().empty());
  }
  set_log_sink({});
  EXPECT_EQ(lines.size(), 1u) << lines.back();
}

TEST_F(SharedSearchTest, keys_of_another_type_are_a_server_that_is_not_there) {
  for (const char* name : {"log", "results", "members"})
    server_->command({"SET", key(name), "nonsense"});
  const auto result = search("alone", [](Watched&) {});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->winner->id, 20u);
  EXPECT_EQ(result->state.evaluated, 40u);
}

TEST_F(SharedSearchTest, what_was_told_while_the_server_was_away_is_told_when_it_is_back) {
  auto shared = value_or_throw(SharedSearch::open(board(), tunable_.space()));
  EXPECT_EQ(shared->take(7), Partners::Claim::mine);
  server_->kill();
  shared->tell(7, {Outcome::of_time(0.5), ""});
  server_->restart();
  auto other = value_or_throw(SharedSearch::open(board(), tunable_.space()));
  // The messenger tries again after a pause of its own.
  std::vector<JournalEntry> news;
  await([&] {
    (void)shared->news();
    news = other->news();
    return !news.empty();
  });
  EXPECT_EQ(news.front().id, 7u);
  EXPECT_EQ(news.front().report.outcome.time, 0.5);
  EXPECT_EQ(other->take(7), Partners::Claim::known);
}

TEST(SharedResult, goes_there_and_back) {
  const FakeTunable tunable;
  for (const Report& report : {Report{Outcome::of_time(0.25), ""},
                               Report{Outcome::of(Failure::crash), "died (SIGSEGV)"}}) {
    const auto back = result_of(text_of_result(3, report), tunable.space());
    ASSERT_TRUE(back);
    EXPECT_EQ(back->id, 3u);
    EXPECT_EQ(back->report.outcome.time, report.outcome.time);
    EXPECT_EQ(back->report.outcome.failure, report.outcome.failure);
    EXPECT_EQ(back->report.message, report.message);
  }
  EXPECT_FALSE(result_of(text_of_result(40, {Outcome::of_time(1), ""}), tunable.space()));
}

TEST(SharedBoard, needs_an_address) {
  StoreSettings settings;
  EXPECT_THAT(shared_board(settings, "0").error().message(),
              ::testing::HasSubstr("expected --shared-store URL"));
  settings.shared = "http://x";
  EXPECT_EQ(shared_board(settings, "0").error().code(), Errc::bad_input);
}

}  // namespace
}  // namespace kiln::tune::testing
