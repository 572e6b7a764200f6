// What drivers were found to do: tried once, kept in the store, shared by processes.
#include "kernel/traits/driver_findings.hpp"

#include <gmock/gmock.h>

#include <thread>

#include "device/pinned_workers.hpp"
#include "kernel/support.hpp"

namespace kiln::testing {
namespace {

using ::testing::ElementsAre;
using Names = std::vector<std::string>;

class DriverFindingsTest : public StoreFixture {
 protected:
  /// Asks with a probe that notes what it was asked, and finds that all of it holds but "b".
  Findings ask(DriverFindings& findings, const Names& names, std::string_view topic = "test") {
    return findings.get(topic, *device_, names, [&](const Names& unknown) {
      Findings found;
      for (const auto& name : unknown) {
        tried_.push_back(name);
        found[name] = {name != "b", name == "b" ? "it failed" : ""};
      }
      return found;
    });
  }
  /// Another process finds these.
  void answer(Layer& store, const Findings& findings) {
    Names names;
    for (const auto& [name, finding] : findings) names.push_back(name);
    DriverFindings(&store).get("test", *device_, names, [&](const Names&) { return findings; });
  }
  Bytes canonical() const {
    CanonicalWriter writer(findings_schema, 1);
    writer.text("topic", "test").text("device", device_->fingerprint());
    writer.text("host", host_identity());
    return writer.view();
  }
  std::unique_ptr<Layer> store_ = open_local_store(store_folder());
  Names tried_;
};

TEST_F(DriverFindingsTest, are_tried_once_each) {
  DriverFindings findings(nullptr, DriverFindings::WithoutStore::by_this);
  EXPECT_TRUE(ask(findings, {"a"}).at("a").holds);
  const auto both = ask(findings, {"a", "b"});
  EXPECT_TRUE(both.at("a").holds);
  EXPECT_EQ(both.at("b"), (Finding{false, "it failed"}));
  ask(findings, {"b", "a"});
  EXPECT_THAT(tried_, ElementsAre("a", "b"));
}

TEST_F(DriverFindingsTest, without_a_store_are_the_processs) {
  // A topic of its own: what is found stays for the process's life.
  const std::string topic = "test of the process " + folder_.path().string();
  DriverFindings first(nullptr), second(nullptr);
  ask(first, {"a", "b"}, topic);
  EXPECT_EQ(ask(second, {"a", "b"}, topic).at("b").reason, "it failed");
  EXPECT_THAT(tried_, ElementsAre("a", "b"));
}

TEST_F(DriverFindingsTest, of_two_topics_are_apart) {
  DriverFindings findings(nullptr, DriverFindings::WithoutStore::by_this);
  ask(findings, {"a"}, "one");
  ask(findings, {"a"}, "other");
  EXPECT_THAT(tried_, ElementsAre("a", "a"));
}

TEST_F(DriverFindingsTest, are_kept_for_other_processes_and_completed_there) {
  {
    DriverFindings findings(store_.get());
    ask(findings, {"a", "b"});
  }
  DriverFindings later(store_.get());
  EXPECT_EQ(ask(later, {"b"}).at("b").reason, "it failed");
  ask(later, {"c"});
  EXPECT_THAT(tried_, ElementsAre("a", "b", "c"));
  EXPECT_EQ(DriverFindings(store_.get()).known("test", *device_).size(), 3u);
}

TEST_F(DriverFindingsTest, that_do_not_last_are_not_kept) {
  {
    DriverFindings findings(store_.get());
    const auto found = findings.get("test", *device_, {"a", "b"}, [](const Names&) {
      return Findings{{"a", {true, ""}}, {"b", {false, "no memory", false}}};
    });
    EXPECT_EQ(found.at("b").reason, "no memory");
  }
  DriverFindings later(store_.get());
  EXPECT_TRUE(later.known("test", *device_).contains("a"));
  EXPECT_FALSE(later.known("test", *device_).contains("b"));
}

TEST_F(DriverFindingsTest, that_do_not_last_leave_what_was_kept) {
  answer(*store_, {{"a", {true, "of yesterday"}}});
  answer(*store_, {{"b", {true, ""}}});
  {
    // A process that began before "a" was found, in a bad hour.
    DriverFindings findings(store_.get());
    EXPECT_EQ(findings.known("test", *device_).size(), 2u);
    findings.get("test", *device_, {"c"}, [](const Names&) {
      return Findings{{"a", {false, "killed", false}}, {"c", {true, ""}}};
    });
  }
  const auto kept = DriverFindings(store_.get()).known("test", *device_);
  EXPECT_EQ(kept.at("a"), (Finding{true, "of yesterday"}));
  EXPECT_EQ(kept.size(), 3u);
}

TEST_F(DriverFindingsTest, of_another_machine_are_passed_over) {
  answer(*store_, {{"a", {false, "of elsewhere"}}});
  const auto move = [](const std::optional<Entry>& present) -> std::optional<Entry> {
    auto entry = present.value();
    entry.metadata.made_elsewhere = true;
    return entry;
  };
  value_or_throw(store_->update(Kind::record, key_of(canonical()), canonical(), move));
  DriverFindings findings(store_.get());
  EXPECT_TRUE(ask(findings, {"a"}).at("a").holds);
  EXPECT_THAT(tried_, ElementsAre("a"));
}

TEST_F(DriverFindingsTest, without_a_store_are_looked_for_again_before_they_are_tried) {
  const std::string topic = "test of two objects " + folder_.path().string();
  DriverFindings first(nullptr), second(nullptr);
  ask(first, {"a"}, topic);  // knows no more for now
  ask(second, {"b"}, topic);
  EXPECT_EQ(ask(first, {"b"}, topic).at("b").reason, "it failed");
  EXPECT_THAT(tried_, ElementsAre("a", "b"));
}

TEST_F(DriverFindingsTest, of_a_probe_that_throws_are_asked_for_again) {
  DriverFindings findings(store_.get());
  const auto fails = [](const Names&) -> Findings { throw Error(Errc::io, "no folder"); };
  EXPECT_THROW(findings.get("test", *device_, {"a"}, fails), Error);
  EXPECT_TRUE(ask(findings, {"a"}).at("a").holds);
}

TEST_F(DriverFindingsTest, of_damaged_records_are_tried_anew) {
  answer(*store_, {{"a", {false, "of yesterday"}}});
  const auto damage = [](const std::optional<Entry>& present) -> std::optional<Entry> {
    auto entry = present.value();
    entry.content.resize(entry.content.size() - 1);
    return entry;
  };
  value_or_throw(store_->update(Kind::record, key_of(canonical()), canonical(), damage));
  DriverFindings findings(store_.get());
  EXPECT_TRUE(ask(findings, {"a"}).at("a").holds);
}

TEST_F(DriverFindingsTest, of_threads_that_ask_at_once_are_tried_once) {
  DriverFindings findings(store_.get());
  std::atomic<int> tries{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      findings.get("test", *device_, {"a"}, [&](const Names&) {
        ++tries;
        return Findings{{"a", {true, ""}}};
      });
    });
  threads.clear();
  EXPECT_EQ(tries, 1);
}

TEST_F(DriverFindingsTest, decide_whether_threads_are_pinned) {
  if (!has_workers_to_pin(*device_)) GTEST_SKIP() << "no threads to pin on this device";
  const auto context = Context::create({device_});
  DriverFindings findings(store_.get());
  pin_workers_as_found(findings, *context, device_);
  const auto known = findings.known(topics::threads, *device_);
  ASSERT_EQ(known.size(), 1u);
  EXPECT_TRUE(known.at("native kernels").holds) << known.at("native kernels").reason;
  EXPECT_THAT(known.at("native kernels").reason, ::testing::HasSubstr("threads of"));
}

TEST(HostIdentity, names_the_c_library) {
  EXPECT_THAT(host_identity(), ::testing::StartsWith("glibc "));
}

}  // namespace
}  // namespace kiln::testing
