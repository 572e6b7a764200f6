#include <algorithm>
#include <iostream>
#include <iterator>
#include <sstream>

#include "layer/layer_process.hpp"

// The cases of tests/layer/cases, which write down every answer that an application can get:
// through the layer they must be what they are without it.
namespace kiln::testing {
namespace {

using Transcripts = std::map<std::string, std::string>;

/// What each case wrote.
Transcripts transcripts_of(const std::string& output) {
  Transcripts transcripts;
  std::istringstream lines(output);
  std::string* current = &transcripts["before all cases"];
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("case ")) current = &transcripts[line.substr(5)];
    *current += line + "\n";
  }
  return transcripts;
}

/// Whether a case is about the last context, or what the driver forgets with it: there none may be
/// kept. (A linker's log has what the driver's compiler has remarked on all programs before.)
bool is_about_contexts(const std::string& name) {
  for (const char* topic :
       {"exit_", "destructor_", "context_", "handles_after_", "kernel_outlives_all_else",
        "program_outlives_", "threads_8_build_in_contexts", "link_with_a_missing_function"})
    if (name.starts_with(topic)) return true;
  return false;
}

/// The names, and between them where a context is kept; nowhere with KILN_LONG.
std::vector<std::string> with_kept_context(const std::vector<std::string>& names) {
  if (is_long_run() || names.size() < 2) return names;
  std::vector<std::string> words;
  bool is_kept = false;
  for (const std::string& name : names) {
    if (is_kept == is_about_contexts(name)) {
      is_kept = !is_kept;
      words.push_back(is_kept ? "--keep-context" : "--release-context");
    }
    words.push_back(name);
  }
  return words;
}

class Conformance : public LayerTest {
 protected:
  /// All cases of this run (the long ones with KILN_LONG) but those that a process does not survive
  /// without the layer either: PoCL 6.0 divides by a local size of 0.
  const std::vector<std::string>& survived() const {
    static const auto names = [this] {
      const std::string risky = "launch_with_local_size_zero";
      const bool dies = run(KILN_LAYER_CASES, {risky}, plain()).signal != 0;
      if (dies) std::cout << risky << " is left out: the driver ends the process\n";
      std::vector<std::string> kept;
      std::istringstream all(run(KILN_LAYER_CASES, {"--list"}, plain()).output);
      for (std::string name; std::getline(all, name);)
        if (!dies || name != risky) kept.push_back(name);
      return kept;
    }();
    return names;
  }

  /// PoCL 3.1 ends a process now and then, without the layer, too: a worker that is late releases
  /// an event whose context has gone. What is missing then is run by another process; whoever dies
  /// twice has another reason.
  Transcripts cases(const Environment& environment, std::vector<std::string> names = {}) const {
    if (names.empty()) names = survived();
    auto result = run(KILN_LAYER_CASES, with_kept_context(names), environment);
    Transcripts all = transcripts_of(result.output);
    if (result.signal != 0) {
      const auto rest = missing(names, all);
      std::cout << "signal " << result.signal << "; " << rest.size() << " of " << names.size()
                << " cases are run again\n";
      result = run(KILN_LAYER_CASES, with_kept_context(rest), environment);
      for (auto& [name, text] : transcripts_of(result.output)) all[name] = std::move(text);
    }
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.signal, 0);
    return all;
  }

  /// Those that `found` lacks, and the one that was the last there, which may not be whole. Before
  /// them those that speak when the process ends, behind the last one of its own.
  static std::vector<std::string> missing(const std::vector<std::string>& names,
                                          const Transcripts& found) {
    const auto first = std::find_if(names.begin(), names.end(),
                                    [&](const auto& name) { return !found.contains(name); });
    const auto again = first == names.begin() ? first : first - 1;
    std::vector<std::string> rest;
    std::copy_if(names.begin(), again, std::back_inserter(rest),
                 [](const std::string& name) { return name.starts_with("exit_"); });
    rest.insert(rest.end(), again, names.end());
    return rest;
  }

  /// Of all cases, with an empty cache of the driver.
  const Transcripts& without_layer() const {
    static const Transcripts all = [this] {
      empty_cache("plain-cache");
      return cases(plain());
    }();
    empty_cache("plain-cache");  // for those that are tried again
    return all;
  }

  /// Those about programs alone are the same whatever is done with commands.
  std::vector<std::string> about_commands() const {
    std::vector<std::string> names;
    for (const std::string& name : survived())
      for (const char* topic : {"event", "launch", "run_", "queue", "kernel", "threads"})
        if (name.starts_with(topic) && (names.empty() || names.back() != name))
          names.push_back(name);
    return names;
  }

  Transcripts without_layer(const std::vector<std::string>& names) const {
    const Transcripts& all = without_layer();
    Transcripts some{{"before all cases", all.at("before all cases")}};
    for (const auto& name : names) some[name] = all.at(name);
    return some;
  }

  /// The tests have one store: what was compiled for the first one is of use to the others.
  Environment layer() const {
    static const TemporaryFolder shared =
        value_or_throw(TemporaryFolder::create("kiln-conformance"));
    Environment environment = LayerTest::layer();
    environment["KILN_STORE"] = shared.path() / "store";
    return environment;
  }

  void expect_equal(const Transcripts& with, const Transcripts& without,
                    const Environment& environment, std::size_t least = 150) const {
    ASSERT_GE(without.size(), least);
    EXPECT_EQ(with.size(), without.size());
    for (const auto& [name, text] : without) {
      const auto found = with.find(name);
      ASSERT_NE(found, with.end()) << name;
      if (found->second == text) continue;
      // PoCL's worker lets go of kernels and queues some time after their commands: on a busy
      // machine an answer may be another one, without the layer, too. Alone they are the same.
      EXPECT_EQ(cases(environment, {name}), cases(plain(), {name})) << name;
    }
  }
};

TEST_F(Conformance, EveryAnswerIsTheDrivers) {
  const auto& without = without_layer();
  empty_cache();
  expect_equal(cases(layer()), without, layer());
  EXPECT_GT(count_of(report(), "\n  served\n"), 100u) << "the layer was not there";

  // And once more from the store, where nothing is compiled but what the driver has to refuse.
  empty_cache();
  forget_report();
  expect_equal(cases(layer()), without, layer());
  EXPECT_GT(count_of(report(), "\n  served\n"), 100u);
  EXPECT_EQ(count_of(report(), "compile      hit"), 0u) << report();
}

TEST_F(Conformance, TwoDevicesInAnotherOrderAreTheDrivers) {
  auto with = layer(), without = plain();
  for (auto* environment : {&with, &without}) (*environment)["POCL_DEVICES"] = "pthread basic";
  const std::vector<std::string> names{"two_devices_built_in_the_other_order"};
  empty_cache();
  empty_cache("plain-cache");
  const auto expected = cases(without, names);
  EXPECT_EQ(count_of(expected.at(names[0]), "made: "), 2u) << expected.at(names[0]);
  EXPECT_EQ(cases(with, names), expected);
  EXPECT_EQ(count_of(report(), "named in another order"), 1u) << report();
}

TEST_F(Conformance, EveryAnswerIsTheDriversWhileLocalSizesAreChosen) {
  Environment environment = layer();
  environment["KILN_LAYER_TUNE"] = "on";
  empty_cache();
  const auto names = about_commands();
  expect_equal(cases(environment, names), without_layer(names), environment, 60);
  EXPECT_GT(count_of(report(), "\n  served\n"), 50u) << "the layer was not there";
}

TEST_F(Conformance, EveryAnswerIsTheDriversWhileCommandsAreMeasured) {
  const auto names = about_commands();
  const auto without = without_layer(names);
  Environment environment = layer();
  environment["KILN_LAYER_PROFILE"] = folder() / "profiles";
  environment["KILN_LAYER_TRACE"] = "1";
  std::filesystem::create_directory(folder() / "profiles");
  empty_cache();
  expect_equal(cases(environment, names), without, environment, 60);
  EXPECT_FALSE(std::filesystem::is_empty(folder() / "profiles")) << "nothing was measured";
}

}  // namespace
}  // namespace kiln::testing
