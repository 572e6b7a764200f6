// Values on record, and when a plain run uses them.
#include "spec/tune/tuned_binding.hpp"

#include "spec/run/job.hpp"
#include "support.hpp"

namespace kiln::spec {
namespace {

using namespace testing;
using ::testing::HasSubstr;

class TunedBindingTest : public SpecTuneTest {
 protected:
  /// Puts a configuration on record, measured at a dataset.
  void record(const std::string& parameter, const std::string& text, std::int64_t dataset = 48,
              double seconds = 1e-3) {
    auto options = tuning(parameter);
    options.dataset = dataset;
    const auto made = tunable(options);
    bench(*made)->record(id(*made, text), seconds, 0);
  }

  struct Run {
    Expected<BoundSpec> untuned;
    TunedAnswer answer;
    /// TS as the kernel would be compiled with.
    std::string ts() const { return macro("TS"); }
    std::string macro(const std::string& name) const {
      for (const auto& [each, value] : (answer.bound ? *answer.bound : *untuned).macros)
        if (each == name) return value;
      return "";
    }
  };
  Run run_in(Resolver& resolver, const Symbols& symbols, std::vector<DevicePtr> working,
             const std::string& fixed = "") const {
    const auto spec = value_or_throw(load_spec(file()));
    const auto source = value_or_throw(load_kernel_source(spec, {}));
    auto untuned = bind(spec, symbols);
    auto answer =
        find_tuned(resolver, {spec, *source, symbols, {}, working, {device_}, fixed}, untuned);
    return {std::move(untuned), std::move(answer)};
  }
  Run run(const Symbols& symbols) { return run_in(resolver_, symbols, {device_}); }
  Run run(std::int64_t dataset = 48) { return run(at(dataset)); }
  static Symbols at(std::int64_t dataset) { return {{{"dataset", dataset}}, {}}; }
};

TEST_F(TunedBindingTest, without_a_record_a_run_is_as_the_file_has_it) {
  const auto plain = run();
  EXPECT_FALSE(plain.answer.bound);
  EXPECT_EQ(plain.answer.unused, "");
  EXPECT_EQ(plain.ts(), "8");
}

TEST_F(TunedBindingTest, values_on_record_become_symbols_and_macros) {
  record("TS=2,16", "TS=16");
  const auto tuned = run();
  ASSERT_TRUE(tuned.answer.bound);
  EXPECT_EQ(tuned.ts(), "16");
  EXPECT_EQ(tuned.answer.bound->local, (std::vector<std::uint64_t>{16, 16}));
  EXPECT_EQ(tuned.answer.bound->arguments[3].bytes, 16u * 16 * 4);
  EXPECT_EQ(text_of(tuned.answer.chosen), "TS 16 (store record: turn with dataset 48)");
}

TEST_F(TunedBindingTest, a_parameter_that_the_file_does_not_know_becomes_a_macro) {
  record("SHIFT=0,3", "SHIFT=3");
  EXPECT_EQ(run().macro("SHIFT"), "3");
  EXPECT_EQ(run().ts(), "8");
}

TEST_F(TunedBindingTest, another_process_finds_the_record_in_the_store) {
  record("TS=2,16", "TS=16");
  Resolver other(open_local_store((folder_.path() / "store").string()));
  EXPECT_EQ(run_in(other, at(48), {device_}).ts(), "16");
  Resolver off(nullptr);
  EXPECT_EQ(run_in(off, at(48), {device_}).ts(), "8");
}

TEST_F(TunedBindingTest, of_several_records_the_fastest_of_the_nearest_size_counts) {
  record("TS=2,16", "TS=2", 48, 2e-3);
  record("TS=2,16", "TS=16", 48, 1e-3);
  record("TS=2,4", "TS=4", 480, 1e-6);
  EXPECT_EQ(run(48).ts(), "16");
  EXPECT_EQ(run(96).ts(), "16");
  EXPECT_EQ(run(960).ts(), "4");
}

TEST_F(TunedBindingTest, what_the_user_sets_wins) {
  record("TS=2,16", "TS=16");
  auto symbols = at(48);
  symbols.set["TS"] = 4;
  const auto own = run(symbols);
  EXPECT_EQ(own.ts(), "4");
  EXPECT_EQ(own.answer.unused, "TS 16 on record: TS is set to 4");
  symbols.set.erase("TS");
  symbols.set_if["TS"] = 2;
  EXPECT_EQ(run(symbols).ts(), "2");
}

TEST_F(TunedBindingTest, what_the_user_sets_leaves_no_combination_that_nobody_measured) {
  auto options = tuning("TS=2,16");
  options.parameters.push_back("SHIFT=0,1");
  const auto made = tunable(options);
  bench(*made)->record(id(*made, "TS=16 SHIFT=1"), 1e-3, 0);
  auto symbols = at(48);
  symbols.set["TS"] = 4;
  EXPECT_EQ(run(symbols).macro("SHIFT"), "");
  symbols.set["TS"] = 16;
  EXPECT_EQ(run(symbols).macro("SHIFT"), "1") << "what was set is what was measured";
  bench(*made)->record(id(*made, "TS=2 SHIFT=0"), 2e-3, 0);
  symbols.set["TS"] = 2;
  EXPECT_EQ(run(symbols).macro("SHIFT"), "0") << "slower, but the one with TS 2";
}

TEST_F(TunedBindingTest, a_changed_kernel_has_no_record) {
  record("TS=2,16", "TS=16");
  write("turn.cl", transpose_source + "// changed\n");
  EXPECT_EQ(run().ts(), "8");
  EXPECT_EQ(run().answer.unused, "");
  write("turn.cl", transpose_source);
  EXPECT_EQ(run().ts(), "16");
  write("turn.json",
        replaced(transpose_spec, R"("[dataset, dataset]")", R"("[dataset, dataset*1]")"));
  EXPECT_EQ(run().ts(), "8");
}

TEST_F(TunedBindingTest, a_size_that_the_values_do_not_divide_is_not_theirs) {
  record("TS=2,16", "TS=16");
  EXPECT_EQ(run(64).ts(), "16");
  const auto odd = run(40);
  EXPECT_EQ(odd.ts(), "8");
  EXPECT_THAT(odd.answer.unused, HasSubstr("expected a divisor of the global size 40"));
}

TEST_F(TunedBindingTest, a_size_that_only_the_kernel_would_get_wrong_is_not_theirs_either) {
  // Two elements a work-item: the file rounds down, and the last of an odd number would be lost.
  write("pair.cl",
        "kernel void pair(global float* b) { for (int i = 0; i < W; ++i) "
        "b[get_global_id(0) * W + i] = 1.0f; }");
  write("turn.json", R"({"name": "pair", "src": "pair.cl", "workDimension": 1,
    "symbolicVariables": {"W": 1}, "macros_values": {"W": "W"},
    "globalWorkSize": "[dataset / W]",
    "outputBuffers": [{"pos": 0, "type": "float", "size": "dataset", "break": 0}]})");
  record("W=1,2", "W=2");
  EXPECT_EQ(run(50).macro("W"), "2");
  const auto odd = run(51);
  EXPECT_EQ(odd.macro("W"), "1");
  EXPECT_EQ(odd.answer.unused, "W 2 on record: they are not known to be right for this size");
}

TEST_F(TunedBindingTest, what_else_the_user_fixes_keeps_values_on_record_away) {
  EXPECT_EQ(run_in(resolver_, at(48), {device_}, "--local-size").answer.unused, "");
  record("TS=2,16", "TS=16");
  const auto fixed = run_in(resolver_, at(48), {device_}, "--local-size");
  EXPECT_EQ(fixed.ts(), "8");
  EXPECT_THAT(fixed.answer.unused, HasSubstr("--local-size was not set"));
}

TEST_F(TunedBindingTest, devices_that_share_the_work_need_the_same_values) {
  const auto halves = partition_equally(device_, 2);
  if (!halves) GTEST_SKIP() << "one compute unit: no sub-devices";
  record("TS=2,16", "TS=16");
  const auto mixed = run_in(resolver_, at(48), {device_, halves->front()});
  EXPECT_EQ(mixed.ts(), "8");
  EXPECT_THAT(mixed.answer.unused, HasSubstr("different values on record"));
  EXPECT_THAT(mixed.answer.unused, HasSubstr(": TS 16; "));
  EXPECT_THAT(mixed.answer.unused, HasSubstr(": none)"));
  const auto reversed = run_in(resolver_, at(48), {halves->front(), device_});
  EXPECT_EQ(reversed.ts(), "8");
  // Halves are alike: what is on record for one is for both.
  queue_ = Queue(Context::create({halves->front()}), halves->front());
  record("TS=2,16", "TS=2");
  EXPECT_EQ(run_in(resolver_, at(48), *halves).ts(), "2");
  EXPECT_EQ(run(48).ts(), "16");
}

TEST_F(TunedBindingTest, a_file_that_needs_its_parameters_runs_with_those_on_record) {
  write("turn.json", replaced(transpose_spec, R"({"TS": 8})", R"({"TS": "TS"})"));
  const auto spec = value_or_throw(load_spec(file()));
  EXPECT_TRUE(lacks_symbols(spec, {}));
  EXPECT_FALSE(lacks_symbols(spec, {{{"TS", 8}}, {}}));
  EXPECT_FALSE(run().answer.bound);
  for (const std::int64_t dataset : {48, 480}) {
    Measurement measurement{
        {{"TS", dataset == 48 ? 16 : 2}}, 2 * 4 * dataset * dataset, 1, {}, {}, {}};
    measurement.original.set("dataset", dataset);
    resolver_.record(record_request(spec, *value_or_throw(load_kernel_source(spec, {}))), *device_,
                     {measurement});
  }
  EXPECT_EQ(run(48).ts(), "16");
  EXPECT_EQ(run(480).ts(), "2") << "the nearest size";
}

TEST(SpecRecord, trusts_sizes_that_have_in_common_with_the_values_what_the_measured_one_had) {
  const auto trusted = [](std::int64_t measured, const Parameters& values, std::int64_t now) {
    BoundSpec bound;
    bound.symbols["n"] = now;
    Measurement measurement{values, 0, 0, {}, {}, {}};
    measurement.original.set("n", measured);
    return scales_to(measurement, bound);
  };
  EXPECT_TRUE(trusted(1024, {{"A", 16}}, 48));
  EXPECT_FALSE(trusted(1024, {{"A", 16}}, 1000));
  EXPECT_TRUE(trusted(1000, {{"A", 16}}, 1000));
  EXPECT_TRUE(trusted(1000, {{"A", 16}}, 8));
  EXPECT_FALSE(trusted(1000, {{"A", 16}}, 1001));
  EXPECT_FALSE(trusted(1024, {{"A", 4}, {"B", 16}}, 1040)) << "their product counts";
  EXPECT_TRUE(trusted(1001, {{"A", 16}}, 77)) << "a size that no value divides was right, too";
  EXPECT_TRUE(trusted(7, {{"A", 0}, {"B", -1}}, 9));
  const std::int64_t large = std::int64_t{1} << 40;
  EXPECT_FALSE(trusted(12, {{"A", large}, {"B", large}}, 18)) << "beyond 64 bits all counts";
  EXPECT_TRUE(trusted(12, {{"A", large}, {"B", large}}, 24));
  EXPECT_FALSE(scales_to({{}, 0, 0, {}, {}, {{"n", 8}}}, BoundSpec()));
}

}  // namespace
}  // namespace kiln::spec
