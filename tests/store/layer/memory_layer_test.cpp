#include "store/layer/memory_layer.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "store/key/canonical.hpp"

namespace kiln {
namespace {

struct IntHash {
  std::size_t operator()(int value) const noexcept {
    return static_cast<std::size_t>(value) * 0x9e3779b97f4a7c15u >> 7;
  }
};
/// The worst hash: every key collides.
struct OneHash {
  std::size_t operator()(int) const noexcept { return 5; }
};

using Ints = MemoryLayer<int, std::string, IntHash>;
constexpr auto replace = Ints::OnExisting::replace;

TEST(MemoryLayer, finds_what_was_inserted_and_nothing_else) {
  Ints layer;
  EXPECT_EQ(layer.find(1), nullptr);
  layer.insert(1, "one");
  ASSERT_NE(layer.find(1), nullptr);
  EXPECT_EQ(*layer.find(1), "one");
  EXPECT_EQ(layer.find(2), nullptr);
  EXPECT_EQ(layer.size(), 1u);
}

TEST(MemoryLayer, keeps_the_first_value_unless_told_to_replace) {
  Ints layer;
  layer.insert(1, "one");
  EXPECT_EQ(layer.insert(1, "uno"), "one");
  EXPECT_EQ(*layer.find(1), "one");
  EXPECT_EQ(layer.insert(1, "ein", replace), "ein");
  EXPECT_EQ(*layer.find(1), "ein");
  EXPECT_EQ(layer.size(), 1u);
}

TEST(MemoryLayer, a_pointer_outlives_replacement_and_growth) {
  Ints layer;
  const std::string* const first = &layer.insert(1, "one");
  layer.insert(1, "uno", replace);
  for (int i = 2; i < 5000; ++i) layer.insert(i, std::to_string(i));
  EXPECT_EQ(*first, "one");
  EXPECT_EQ(*layer.find(1), "uno");
  for (int i = 2; i < 5000; ++i) ASSERT_EQ(*layer.find(i), std::to_string(i));
  EXPECT_EQ(layer.size(), 4999u);
}

TEST(MemoryLayer, colliding_keys_are_told_apart) {
  MemoryLayer<int, int, OneHash> layer;
  for (int i = 0; i < 200; ++i) layer.insert(i, i * i);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(*layer.find(i), i * i);
  EXPECT_EQ(layer.find(200), nullptr);
}

TEST(MemoryLayer, the_version_grows_with_every_change_and_only_then) {
  Ints layer;
  const auto start = layer.version();
  layer.insert(1, "one");
  EXPECT_EQ(layer.version(), start + 1);
  layer.insert(1, "uno");
  EXPECT_EQ(layer.version(), start + 1) << "kept the first: no change";
  layer.insert(1, "uno", replace);
  EXPECT_EQ(layer.version(), start + 2);
  (void)layer.find(1);
  EXPECT_EQ(layer.version(), start + 2);
}

/// Fails to move from a certain value on, as a value would whose move allocates.
struct Fragile {
  explicit Fragile(int v) : value(v) {}
  Fragile(Fragile&& other) : value(other.value) {
    if (value < 0) throw std::runtime_error("cannot move");
  }
  int value;
};

TEST(MemoryLayer, a_value_that_throws_leaves_the_layer_as_it_was) {
  MemoryLayer<int, Fragile, IntHash> layer;
  layer.insert(1, Fragile(1));
  using Rule = decltype(layer)::OnExisting;
  for (int i = 0; i < 100; ++i)
    EXPECT_THROW(layer.insert(1, Fragile(-1), Rule::replace), std::runtime_error);
  EXPECT_EQ(layer.size(), 1u);
  EXPECT_EQ(layer.find(1)->value, 1);
  for (int i = 2; i < 200; ++i) layer.insert(i, Fragile(i));
  EXPECT_EQ(layer.find(1000), nullptr) << "and a look-up of what is absent still ends";
}

TEST(MemoryLayer, keys_of_the_store_fit) {
  MemoryLayer<Key, int, KeyHash> layer;
  const Key key = CanonicalWriter("s").integer("n", 1).key();
  layer.insert(key, 7);
  EXPECT_EQ(*layer.find(key), 7);
}

// The value is its own check: a torn or unpublished one would not be twice its key.
struct Pair {
  int key, doubled;
  std::string text;
};

TEST(MemoryLayer, eight_readers_see_only_whole_values_while_one_writes) {
  MemoryLayer<int, Pair, IntHash> layer;
  using Rule = decltype(layer)::OnExisting;
  constexpr int keys = 20'000;
  std::atomic<int> published{0}, started{0};
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (int number = 0; number < 8; ++number)
    readers.emplace_back([&, number] {
      int key = number;
      ++started;
      for (int last = 0; last < keys;) {
        last = published.load(std::memory_order_acquire);
        key = (key * 31 + 7) % keys;
        const Pair* pair = layer.find(key);
        if (pair == nullptr) {
          // Inserted before `last` was published, so it has to be found.
          if (key < last) ++wrong;
        } else if (pair->key != key || pair->doubled != 2 * key ||
                   pair->text != std::to_string(key)) {
          ++wrong;
        }
      }
    });
  while (started < 8) std::this_thread::yield();
  for (int key = 0; key < keys; ++key) {
    layer.insert(key, {key, 2 * key, std::to_string(key)});
    if (key % 3 == 0) layer.insert(key, {key, 2 * key, std::to_string(key)}, Rule::replace);
    published.store(key + 1, std::memory_order_release);
  }
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
}

TEST(MemoryLayer, an_unchanged_version_means_an_unchanged_answer) {
  MemoryLayer<int, int, IntHash> layer;
  using Rule = decltype(layer)::OnExisting;
  layer.insert(1, 0);
  std::atomic<bool> done{false};
  std::atomic<int> stale{0}, started{0};
  std::vector<std::thread> readers;
  for (int number = 0; number < 8; ++number)
    readers.emplace_back([&] {
      auto version = layer.version();
      const int* remembered = layer.find(1);
      ++started;
      while (!done.load(std::memory_order_acquire)) {
        // The value n was the n-th change after the first, so a remembered value may not lag behind
        // the version that was read before it was looked up.
        if (static_cast<std::uint64_t>(*remembered) + 1 < version) ++stale;
        if (const auto now = layer.version(); now != version) {
          version = now;
          remembered = layer.find(1);
        }
      }
    });
  while (started < 8) std::this_thread::yield();
  for (int value = 1; value <= 20'000; ++value) layer.insert(1, value, Rule::replace);
  done.store(true, std::memory_order_release);
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(stale, 0);
}

TEST(MemoryLayer, writers_take_turns) {
  MemoryLayer<int, int, IntHash> layer;
  std::vector<std::thread> writers;
  for (int number = 0; number < 4; ++number)
    writers.emplace_back([&, number] {
      for (int i = 0; i < 1000; ++i) layer.insert(i, number);
    });
  for (auto& writer : writers) writer.join();
  EXPECT_EQ(layer.size(), 1000u);
  EXPECT_EQ(layer.version(), 1000u);
}

}  // namespace
}  // namespace kiln
