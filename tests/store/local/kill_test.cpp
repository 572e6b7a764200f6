// Writers are killed at random points (200 times; KILN_KILL_ROUNDS for more): what they were told
// is stored is there afterwards, and nothing else comes back.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <random>

#include "base/clock.hpp"
#include "store/support.hpp"

namespace kiln {
namespace {

using namespace testing;

constexpr int kept_entries = 12;

/// What writer number `step` does follows from that number alone.
std::size_t size_at(int step) {
  static constexpr std::size_t sizes[] = {0, 300, 7000, 9000, 60'000};
  return sizes[step * 7 % 5];
}
int entry_at(int step) { return step * 5 % kept_entries; }

std::optional<Entry> next_count(const std::optional<Entry>& present) {
  std::int64_t count = present ? load_le<std::int64_t>(present->content.data()) : 0;
  Bytes next;
  append_le(next, count + 1);
  return Entry{next, {}};
}

/// Puts without end; writes a number down the pipe once its step is acknowledged.
[[noreturn]] void write_until_killed(const std::string& folder, int first_step, int pipe) {
  LocalStore store(folder);
  const Sample counter(1000);
  for (int step = first_step;; ++step) {
    const Sample sample(entry_at(step));
    Metadata metadata;
    metadata.schema = static_cast<std::uint32_t>(step);
    const auto content = content_of(entry_at(step), step, size_at(step));
    if (!store.put(Kind::artifact, sample.key, sample.canonical, content, metadata)) ::_exit(1);
    if (!store.update(Kind::record, counter.key, counter.canonical, next_count)) ::_exit(2);
    if (::write(pipe, &step, sizeof step) != sizeof step) ::_exit(3);
  }
}

/// Adds to a counter of its own along with the victims, and tells how often that was acknowledged.
struct Bystander {
  std::atomic<bool> stop{false};
  std::atomic<std::int64_t> acknowledged{0};
};

pid_t start_bystander(const std::string& folder, SharedPage<Bystander>& shared) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  LocalStore store(folder);
  const Sample counter(2000);
  while (!shared->stop)
    if (store.update(Kind::record, counter.key, counter.canonical, next_count))
      ++shared->acknowledged;
  ::_exit(0);
}

struct Round {
  int last_acknowledged;  ///< step
  int acknowledgements = 0;
};

Round kill_one(const std::string& folder, int first_step, std::minstd_rand& random) {
  int pipe[2];
  EXPECT_EQ(::pipe(pipe), 0);
  const pid_t pid = ::fork();
  if (pid == 0) write_until_killed(folder, first_step, pipe[1]);
  ::close(pipe[1]);
  Round round{first_step - 1};
  const auto read_one = [&] {
    int step = 0;
    if (::read(pipe[0], &step, sizeof step) != sizeof step) return false;
    round.last_acknowledged = step;
    ++round.acknowledgements;
    return true;
  };
  for (int wanted = static_cast<int>(random() % 8); wanted > 0 && read_one(); --wanted) {
  }
  // Somewhere within the next few operations.
  const auto until = now_ns() + static_cast<std::int64_t>(random() % 800) * 1000;
  while (now_ns() < until) {
  }
  ::kill(pid, SIGKILL);
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the writer failed with code " << WEXITSTATUS(status);
  while (read_one()) {
  }
  ::close(pipe[0]);
  return round;
}

/// The last acknowledged step of each entry, or -1.
using Acknowledged = std::array<int, kept_entries>;

/// Empty, or what a fresh reader finds wrong. `in_flight` may have been stored or not.
std::string read_all(const std::string& folder, const Acknowledged& acknowledged, int in_flight) {
  LocalStore store(folder);
  for (int entry = 0; entry < kept_entries; ++entry) {
    const Sample sample(entry);
    const auto answer = store.get(Kind::artifact, sample.key, sample.canonical);
    const int known = acknowledged[static_cast<std::size_t>(entry)];
    if (!answer.entry) {
      if (known >= 0) return fmt::format("entry {} of step {}: {}", entry, known, answer.reason);
      continue;
    }
    const int step = static_cast<int>(answer.entry->metadata.schema);
    if (step != known && step != in_flight)
      return fmt::format("entry {}: step {}, but {} was acknowledged", entry, step, known);
    if (answer.entry->content != content_of(entry, step, size_at(step)))
      return fmt::format("entry {}: wrong content of step {}", entry, step);
  }
  return "";
}

std::int64_t read_count(const std::string& folder, int number) {
  LocalStore store(folder);
  const Sample counter(number);
  const auto answer = store.get(Kind::record, counter.key, counter.canonical);
  return answer.entry ? load_le<std::int64_t>(answer.entry->content.data()) : -1;
}

TEST(StoreKill, nothing_acknowledged_is_lost_when_writers_are_killed) {
  const TestFolder folder;
  const int rounds = number_from_environment("KILN_KILL_ROUNDS", 200);
  const auto seed = static_cast<unsigned>(number_from_environment(
      "KILN_TEST_SEED", static_cast<int>(std::random_device{}() & 0x7fffffff)));
  SCOPED_TRACE(fmt::format("KILN_TEST_SEED={}", seed));
  std::minstd_rand random(seed);
  SharedPage<Bystander> bystander;
  const pid_t other = start_bystander(folder.store(), bystander);

  Acknowledged acknowledged;
  acknowledged.fill(-1);
  int step = 0;
  std::int64_t counted = 0, kills_in_flight = 0;
  std::string wrong;
  for (int round = 0; round < rounds && wrong.empty() && !HasFailure(); ++round) {
    const auto done = kill_one(folder.store(), step, random);
    for (int i = step; i <= done.last_acknowledged; ++i)
      acknowledged[static_cast<std::size_t>(entry_at(i))] = i;
    counted += done.acknowledgements;
    step = done.last_acknowledged + 1;
    const int in_flight = step;
    wrong = read_all(folder.store(), acknowledged, in_flight);
    // What was in flight may have been stored: from here on that is what must stay.
    LocalStore store(folder.store());
    const Sample sample(entry_at(in_flight));
    const auto now = store.get(Kind::artifact, sample.key, sample.canonical);
    if (now.entry && static_cast<int>(now.entry->metadata.schema) == in_flight) {
      acknowledged[static_cast<std::size_t>(entry_at(in_flight))] = in_flight;
      ++step;
      ++kills_in_flight;
    }
    const auto count = read_count(folder.store(), 1000);
    if (count >= 0) {
      EXPECT_GE(count, counted);
      EXPECT_LE(count, counted + 1);
      counted = count;
    }
  }
  bystander->stop = true;
  int status = 0;
  ::waitpid(other, &status, 0);
  EXPECT_EQ(wrong, "");
  EXPECT_EQ(status, 0);
  EXPECT_GT(step, 0);
  EXPECT_EQ(read_count(folder.store(), 2000), bystander->acknowledged);
  RecordProperty("acknowledged", std::to_string(step));
  RecordProperty("killed_in_flight", std::to_string(kills_in_flight));
  fmt::print("{} kills, {} acknowledged steps, {} kills between storing and acknowledging\n",
             rounds, step, kills_in_flight);
}

}  // namespace
}  // namespace kiln
