// A store as a fleet fills it: a million Keys over 2,000 distinct contents of 50 kB.
#include <fmt/format.h>

#include <random>

#include "base/clock.hpp"
#include "frame/statistics.hpp"
#include "spec/sandbox.hpp"
#include "store/bars.hpp"
#include "store/local/local_store.hpp"

namespace kiln::bench {

namespace {

constexpr int kKeys = 1'000'000, kContents = 2'000, kLookUps = 50'000;
constexpr std::size_t kContentBytes = 50'000;

/// What a program's Request looks like: about as many bytes, and different for each number.
Bytes canonical_of(int number) {
  CanonicalWriter writer("program");
  writer.text("family", "bench").integer("number", number);
  writer.text("options", "-cl-std=CL1.2 -DTILE=16").text("device", std::string(200, 'd'));
  return writer.view();
}

Bytes content_of(int number) {
  Bytes content(kContentBytes);
  std::minstd_rand random(static_cast<unsigned>(number) + 1);
  for (auto& byte : content) byte = static_cast<std::byte>(random() >> 16);
  return content;
}

/// The store, filled once a process: past the one-at-a-time interface, which would write each
/// content five hundred times.
class BigStore {
 public:
  BigStore() {
    std::vector<RowHead> heads;
    {
      LocalStore store(folder());
      for (int i = 0; i < kContents; ++i) {
        const Bytes canonical = canonical_of(i), content = content_of(i);
        value_or_throw(store.put(Kind::artifact, key_of(canonical), canonical, content,
                                 {1, "bench", "device", 0.5}));
        heads.push_back({{Kind::artifact, {}, {1, "bench", "device", 0.5}, content.size(), 1},
                         xxh3(content),
                         blake2b(content)});
      }
    }
    Database database;
    database.open(folder() + "/store.db", Database::Access::write, INT64_MAX);
    database.begin();
    for (int i = kContents; i < kKeys; ++i) {
      RowHead head = heads[static_cast<std::size_t>(i % kContents)];
      const Bytes canonical = canonical_of(i);
      head.key = key_of(canonical);
      database.store(head, canonical, {});
    }
    database.commit();
  }
  std::string folder() const { return sandbox_.store().string(); }

 private:
  Sandbox sandbox_;
};

const BigStore& big_store() {
  static const BigStore store;
  return store;
}

/// Microseconds of each look-up, of random Keys, after as many that warm the page cache.
const std::vector<double>& look_up_times() {
  static const std::vector<double> times = [] {
    LocalStore store(big_store().folder());
    std::mt19937 random(0);
    std::uniform_int_distribution<int> any(0, kKeys - 1);
    std::vector<double> samples;
    for (int i = 0; i < 2 * kLookUps; ++i) {
      const Bytes canonical = canonical_of(any(random));
      const Key key = key_of(canonical);
      const auto start = now_ns();
      const Lookup found = store.get(Kind::artifact, key, canonical);
      const auto end = now_ns();
      if (!found.entry || found.entry->content.size() != kContentBytes)
        throw Error(Errc::internal, "an entry was not found: " + found.reason);
      if (i >= kLookUps) samples.push_back(static_cast<double>(end - start) * 1e-3);
    }
    return samples;
  }();
  return times;
}

Outcome look_up(double q) {
  const auto& times = look_up_times();
  return Figure{
      quantile(times, q),
      fmt::format("{} random Keys of {}, quartiles {:.1f} to {:.1f} us, longest {:.0f}", kLookUps,
                  kKeys, quantile(times, 0.25), quantile(times, 0.75), quantile(times, 1))};
}

/// From nothing to the end of the first look-up, without the look-up that follows it.
Outcome open_time() {
  const std::string folder = big_store().folder();
  const Bytes canonical = canonical_of(77);
  const Key key = key_of(canonical);
  std::vector<double> samples;
  for (int i = 0; i < 200; ++i) {
    const auto start = now_ns();
    LocalStore store(folder);
    const bool first = store.get(Kind::artifact, key, canonical).entry.has_value();
    const auto opened = now_ns();
    const bool second = store.get(Kind::artifact, key, canonical).entry.has_value();
    const auto end = now_ns();
    if (!first || !second) return not_measured("an entry was not found");
    samples.push_back(static_cast<double>((opened - start) - (end - opened)) * 1e-6);
  }
  return Figure{median(samples), fmt::format("quartiles {:.3f} to {:.3f} ms",
                                             quantile(samples, 0.25), quantile(samples, 0.75))};
}

template <class Measure>
Bar bar(std::string name, std::string text, double limit, std::string unit, Measure measure) {
  return {"store/" + name, std::move(text), Holds::at_most,
          limit,           std::move(unit), [measure](const Context&) { return measure(); }};
}

}  // namespace

std::vector<Bar> big_store_bars() {
  return {
      bar("look-up", "local layer with checksum, 50 kB, 1,000,000 Keys over 2,000 contents, median",
          50, "us", [] { return look_up(0.5); }),
      bar("look-up-p99", "the same, 99th percentile", 200, "us", [] { return look_up(0.99); }),
      bar("open", "opening that store", 1, "ms", open_time)};
}

}  // namespace kiln::bench
