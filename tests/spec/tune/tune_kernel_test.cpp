// Searches by the public interface: what they are refused for, find, list and leave on record.
#include <gmock/gmock.h>
#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <numeric>

#include "base/log.hpp"
#include "base/os/file.hpp"
#include "kiln/tune.hpp"
#include "spec/tune/search_service.hpp"

namespace kiln::tune {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// y = a x + y, as slowly as LOOP says. MODE 1 is wrong by far and 5 by a little, 2 does not
/// compile, 3 crashes, 4 hangs.
constexpr const char* scale_source = R"(
typedef struct { int first, second; } pair;
kernel void scale(global const float* x, global float* y, float a, pair shift, local float* room) {
  const int i = get_global_id(0);
#if MODE == 2
#error not this one
#endif
#if MODE == 3
  y = (global float*)8;
#endif
#if MODE == 4
  volatile global float* stay = y;
  do stay[i] += 1; while (stay[i] != 0.5f);
#endif
  room[get_local_id(0)] = x[(i + shift.first - shift.second) % COUNT];
  float sum = 0;
  for (volatile int k = 0; k < LOOP; ++k) sum += 1;
  y[i] += a * room[get_local_id(0)] + (sum - LOOP);
  if (MODE == 1) y[i] += 1;
  if (MODE == 5) y[i] *= 1.00001f;
}
)";
struct Pair {
  std::int32_t first, second;
};

/// Sets a variable until it goes.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = ::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

class TuneKernel : public ::testing::Test {
 protected:
  static constexpr std::size_t count = 256;
  TuneKernel() {
    set_log_sink({});
    std::iota(x.begin(), x.end(), 1.0f);
    std::fill(y.begin(), y.end(), 2.0f);
  }
  KernelProblem problem(std::vector<Choice> parameters) {
    return {.source = Source::text(scale_source, "scale.cl"),
            .name = "scale",
            .global = "[COUNT]",
            .local = "[GROUP]",
            .arguments = {in(x), inout(y), 3.0f, Pair{5, 5}, local(64 * sizeof(float))},
            .parameters = std::move(parameters),
            .constants = {{"COUNT", count}}};
  }
  /// Over MODE and LOOP, in groups of 16.
  KernelProblem modes(std::vector<std::int64_t> modes, std::vector<std::int64_t> loops = {1}) {
    return problem({{"GROUP", {16}}, {"MODE", std::move(modes)}, {"LOOP", std::move(loops)}});
  }
  static SearchOptions brief() { return {.budget = std::chrono::minutes(2)}; }
  static const Measured& of(const Result& result, const std::string& name, std::int64_t value) {
    for (const auto& one : result.configurations)
      for (const auto& [known, has] : one.values)
        if (known == name && has == value) return one;
    throw std::logic_error("no configuration with this value");
  }
  std::string refusal(const KernelProblem& problem) const {
    try {
      kernel(runtime, problem, brief());
    } catch (const Error& error) {
      return error.message();
    }
    return "";
  }

  TemporaryFolder folder = value_or_throw(TemporaryFolder::create("kiln-tune-kernel-test"));
  Variable state{"XDG_STATE_HOME", folder.path().string()};
  Variable locks{"XDG_RUNTIME_DIR", folder.path().string()};
  Runtime runtime{{.devices = "cpu", .store = (folder.path() / "store").string()}};
  std::vector<float> x = std::vector<float>(count), y = std::vector<float>(count);
};

TEST_F(TuneKernel, puts_on_record_what_the_caller_has_measured) {
  const auto all = modes({0}, {2000, 1});
  EXPECT_EQ(on_record(runtime, all), std::nullopt);
  const Values fast = {{"GROUP", 16}, {"MODE", 0}, {"LOOP", 1}};
  record(runtime, all, fast, 1e-3, 2e-3);
  const Runtime other({.devices = "cpu", .store = (folder.path() / "store").string()});
  for (const Runtime* each : {&std::as_const(runtime), &other}) {
    const auto found = on_record(*each, all);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->values, (Values{{"GROUP", 16}, {"LOOP", 1}, {"MODE", 0}}));
    EXPECT_DOUBLE_EQ(found->seconds, 1e-3);
    EXPECT_EQ(found->range.local, (std::vector<std::size_t>{16}));
  }
  const auto refused = [&](const Values& values, double seconds) {
    try {
      record(runtime, all, values, seconds);
    } catch (const Error& error) {
      return error.code() == Errc::bad_input;
    }
    return false;
  };
  EXPECT_TRUE(refused({{"GROUP", 16}, {"MODE", 0}, {"LOOP", 7}}, 1e-3));
  EXPECT_TRUE(refused({{"GROUP", 16}}, 1e-3));
  EXPECT_TRUE(refused(fast, 0));
}

TEST_F(TuneKernel, finds_the_fastest_and_says_how_to_run_it) {
  runtime.devices();  // drivers are loaded here: no fork of this process could measure
  const auto before = y;
  const auto all = modes({0}, {2000, 1});
  std::size_t told = 0;
  auto options = brief();
  options.progress = [&](const Progress& now) {
    ++told;
    EXPECT_EQ(now.configurations, 2u);
    return true;
  };
  const Result result = kernel(runtime, all, options);
  EXPECT_EQ(result.best, (Values{{"GROUP", 16}, {"LOOP", 1}, {"MODE", 0}}));
  EXPECT_EQ(result.decided_by, Decision::play_off);
  EXPECT_GT(result.seconds, 0);
  EXPECT_GT(result.reference, result.seconds);
  EXPECT_EQ(result.space, 2u);
  EXPECT_EQ(result.evaluated, 2u);
  EXPECT_EQ(result.failed, 0u);
  EXPECT_EQ(result.configurations.size(), 2u);
  EXPECT_GE(told, 2u);
  EXPECT_TRUE(result.stored);
  EXPECT_TRUE(std::filesystem::exists(result.journal));
  EXPECT_EQ(result.range.global, std::vector<std::size_t>{count});
  EXPECT_EQ(result.range.local, std::vector<std::size_t>{16});
  EXPECT_EQ(y, before) << "a search writes into data of its own";
  auto macros = tune::macros(result.best);
  macros.emplace_back("COUNT", std::to_string(count));
  const auto best = runtime.kernel(all.source, all.name, {.macros = macros});
  best.call(all.arguments).run(result.range);
  EXPECT_EQ(y[7], 2 + 3 * 8.0f);
}

TEST_F(TuneKernel, lists_what_fails_with_its_reason_and_outlives_it) {
  auto options = brief();
  options.jobs = 1;  // compiled by the process that measures
  options.hang_time = std::chrono::seconds(8);
  const Result result = kernel(runtime, modes({0, 1, 2, 3, 4}), options);
  EXPECT_EQ(of(result, "MODE", 0).failure, Failure::none);
  EXPECT_GT(of(result, "MODE", 0).seconds, 0);
  EXPECT_EQ(of(result, "MODE", 1).failure, Failure::wrong_result);
  EXPECT_THAT(of(result, "MODE", 1).message, HasSubstr("argument 1"));
  EXPECT_EQ(of(result, "MODE", 2).failure, Failure::build);
  EXPECT_THAT(of(result, "MODE", 2).message, AllOf(HasSubstr("scale.cl"), HasSubstr("not this")));
  EXPECT_EQ(of(result, "MODE", 3).failure, Failure::crash);
  EXPECT_EQ(of(result, "MODE", 4).failure, Failure::timeout);
  EXPECT_EQ(result.failed, 4u);
  EXPECT_GE(result.replaced_processes, 2u);
  EXPECT_EQ(result.decided_by, Decision::built_in);
  for (const auto& one : result.configurations)
    EXPECT_EQ(one.seconds > 0, one.failure == Failure::none);
}

TEST_F(TuneKernel, keeps_to_the_constraints_and_the_budget_of_evaluations) {
  auto some = problem({{"GROUP", {8, 16, 32, 64}}, {"MODE", {0}}, {"LOOP", {1, 2, 3, 4}}});
  some.constraints = {"GROUP % (LOOP * 8) == 0 and COUNT > LOOP"};
  auto options = brief();
  options.evaluations = 3;
  options.method = Method::random;
  const Result result = kernel(runtime, some, options);
  EXPECT_EQ(result.space, 9u);
  EXPECT_EQ(result.evaluated, 3u);
  for (const auto& one : result.configurations)
    EXPECT_EQ(one.values[0].second % (one.values[2].second * 8), 0) << "GROUP and LOOP";
}

TEST_F(TuneKernel, a_run_that_follows_uses_the_record) {
  auto some = modes({0}, {2000, 1});
  EXPECT_EQ(on_record(runtime, some), std::nullopt);
  const Result result = kernel(runtime, some, brief());
  // In this Runtime, whose look-up found nothing before, and in another one over the same store.
  for (const Runtime& each :
       {runtime, Runtime({.devices = "cpu", .store = (folder.path() / "store").string()})}) {
    const auto known = on_record(each, some);
    ASSERT_TRUE(known);
    EXPECT_EQ(known->values, result.best);
    EXPECT_EQ(known->range.local, result.range.local);
    EXPECT_NEAR(known->seconds, result.seconds, 1e-9);
  }
  // The same search goes on with its journal: nothing is left to measure.
  const Result again = kernel(runtime, some, brief());
  EXPECT_EQ(again.resumed, 2u);
  EXPECT_EQ(again.best, result.best);
  auto fresh = brief();
  fresh.journal = SearchOptions::Journal::fresh;
  EXPECT_EQ(kernel(runtime, some, fresh).resumed, 0u);
  // Another text is another kernel, and other sizes are another problem.
  some.source = Source::text(std::string(scale_source) + "\n", "scale.cl");
  EXPECT_EQ(on_record(runtime, some), std::nullopt);
}

TEST_F(TuneKernel, without_a_store_this_runtime_alone_knows_it) {
  const Runtime forgetful({.devices = "cpu", .store = "off"});
  const auto some = modes({0}, {2000, 1});
  const Result result = kernel(forgetful, some, brief());
  EXPECT_FALSE(result.stored);
  const auto known = on_record(forgetful, some);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->values, result.best);
  EXPECT_EQ(on_record(runtime, some), std::nullopt);
}

TEST_F(TuneKernel, results_are_held_against_what_is_expected) {
  std::vector<float> right(count);
  for (std::size_t i = 0; i < count; ++i) right[i] = y[i] + 3 * x[i];
  auto some = modes({1, 5, 0});
  some.expected = {{1, std::as_bytes(std::span(right))}};
  const Result result = kernel(runtime, some, brief());
  EXPECT_EQ(of(result, "MODE", 0).failure, Failure::none);
  EXPECT_EQ(of(result, "MODE", 5).failure, Failure::none) << "within 1e-4";
  EXPECT_EQ(of(result, "MODE", 1).failure, Failure::wrong_result);
  some.tolerance = 1e-7;
  EXPECT_EQ(of(kernel(runtime, some, brief()), "MODE", 5).failure, Failure::wrong_result);
}

TEST_F(TuneKernel, results_are_held_against_the_reference_configuration) {
  auto some = modes({1, 0});
  some.reference = {{"GROUP", 16}, {"MODE", 0}, {"LOOP", 1}};
  EXPECT_EQ(of(kernel(runtime, some, brief()), "MODE", 1).failure, Failure::wrong_result);
  some.reference = {{"GROUP", 16}, {"MODE", 1}, {"LOOP", 1}};
  EXPECT_EQ(of(kernel(runtime, some, brief()), "MODE", 0).failure, Failure::wrong_result);
}

TEST_F(TuneKernel, arrays_start_from_their_contents_and_keep_them) {
  auto a = runtime.array<float>(count), b = runtime.array<float>(count);
  std::copy(x.begin(), x.end(), a.overwrite().begin());
  std::vector<float> right(count);
  for (std::size_t i = 0; i < count; ++i) right[i] = 3 * x[i];
  auto some = modes({0, 1});
  some.arguments = {a, b, 3.0f, Pair{5, 5}, local(64 * sizeof(float))};
  some.expected = {{1, std::as_bytes(std::span(right))}};
  const Result result = kernel(runtime, some, brief());
  EXPECT_EQ(of(result, "MODE", 0).failure, Failure::none);
  EXPECT_EQ(of(result, "MODE", 1).failure, Failure::wrong_result);
  EXPECT_EQ(b.read()[5], 0);
}

TEST_F(TuneKernel, ends_when_it_is_told_to_with_the_best_so_far) {
  auto options = brief();
  options.method = Method::exhaustive;
  options.progress = [](const Progress& now) { return now.evaluated < 2; };
  const Result result = kernel(runtime, modes({0}, {4, 3, 2, 1}), options);
  EXPECT_EQ(result.decided_by, Decision::interrupted);
  EXPECT_LT(result.evaluated, 4u);
}

TEST_F(TuneKernel, refuses_what_is_wrong_with_the_problem_and_names_it) {
  auto some = modes({0});
  some.global = "[COUNTS]";
  EXPECT_THAT(refusal(some), AllOf(HasSubstr("scale"), HasSubstr("nothing is named 'COUNTS'")));
  some = modes({0});
  some.constraints = {"MODES == 0"};
  EXPECT_THAT(refusal(some), HasSubstr("MODES"));
  some = modes({0});
  some.constants.emplace_back("MODE", 1);
  EXPECT_THAT(refusal(some), HasSubstr("MODE: found as a parameter and as a constant"));
  some = modes({0});
  some.reference = {{"MODE", 7}};
  EXPECT_THAT(refusal(some), HasSubstr("the reference MODE=7 is no configuration"));
  some = modes({2});
  EXPECT_THAT(refusal(some), HasSubstr("not this one"));
  some = modes({0});
  some.expected = {{0, std::as_bytes(std::span(x))}};
  EXPECT_THAT(refusal(some), HasSubstr("an argument that the kernel writes"));
  some = modes({0});
  some.arguments.pop_back();
  EXPECT_NE(refusal(some), "");
  some = modes({0});
  some.name = "absent";
  some.arguments[2] = CallArgument(CallArgument::Number{3.0});
  EXPECT_THAT(refusal(some), HasSubstr("'absent'"));
}

TEST_F(TuneKernel, says_which_helper_is_absent) {
  const Variable absent("KILN_TUNE_HELPER", "/absent/kiln-tune");
  EXPECT_THAT(refusal(modes({0})), HasSubstr("kiln-tune"));
  const Variable another("KILN_TUNE_HELPER", "/bin/false");
  EXPECT_THAT(refusal(modes({0})), HasSubstr("died"));
}

TEST_F(TuneKernel, files_are_tuned_and_their_runs_use_it) {
  std::ofstream(folder.path() / "k.cl") << scale_source;
  std::ofstream(folder.path() / "k.json") << R"({"name": "scale", "src": "k.cl",
  "workDimension": 1, "partition": 10, "symbolicVariables": {"LOOP": 2000},
  "macros_values": {"LOOP": "LOOP", "MODE": "0", "COUNT": "dataset"},
  "globalWorkSize": "[dataset]", "localWorkSize": "[16]",
  "inputBuffers": [{"pos": 0, "type": "float", "size": "dataset", "break": 0}],
  "ioBuffers": [{"pos": 1, "type": "float", "size": "dataset", "break": 1}],
  "varArguments": [{"pos": 2, "type": "float", "value": 3},
    {"pos": 3, "type": "struct", "fields": [{"type": "int", "value": 1}, {"type": "int", "value": 1}]}],
  "localArguments": [{"pos": 4, "type": "float", "size": 16}]})";
  const auto file = folder.path() / "k.json";
  const Result result = spec(
      runtime, file, {.set = {{"dataset", 256}}, .parameters = {{"LOOP", {2000, 1}}}}, brief());
  EXPECT_EQ(result.best, (Values{{"LOOP", 1}}));
  const auto run = kiln::spec::run(runtime, file, {.set = {{"dataset", 256}}});
  EXPECT_EQ(run.tuned, result.best);
}

TEST(TuneResults, travel_as_t4) {
  Result result;
  result.label = "multiply";
  result.device = "a device";
  result.configurations = {{{{"TS", 16}, {"WPT", 1}}, Failure::none, 0.5, ""},
                           {{{"TS", 8}, {"WPT", 2}}, Failure::wrong_result, 0, "differs"},
                           {{{"TS", 16}, {"WPT", 1}}, Failure::none, 0.25, ""}};
  const std::string file = t4(result);
  EXPECT_NE(file.find("\"device_name\": \"a device\""), file.npos) << file;
  const auto read = read_t4(std::as_bytes(std::span(file)), "results.json");
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].failure, Failure::wrong_result);
  EXPECT_EQ(read[1].values, (Values{{"TS", 16}, {"WPT", 1}}));
  EXPECT_DOUBLE_EQ(read[1].seconds, 0.25);
  const std::string text = R"({"results": [{"configuration": {"T": "float"},
      "measurements": [{"name": "time", "value": 1}]}]})";
  EXPECT_THROW(read_t4(std::as_bytes(std::span(text)), "f"), Error);
  EXPECT_THROW(read_t4({}, "f"), Error);
}

TEST(SearchRequest, is_the_same_behind_its_text) {
  kiln::spec::SearchRequest request;
  request.tuning.file = "/k.json";
  request.tuning.symbols.set = {{"n", expr::Value(3)}, {"t", expr::Value("float")}};
  request.tuning.parameters = {"A=1,2"};
  request.tuning.expect = {{2, "/right.npy"}};
  request.tuning.rtol = 0.1;
  request.device = {"a device", "0123", 4};
  request.store.local = "/store";
  request.settings.strategy = "random";
  request.settings.budget = std::chrono::seconds(3);
  const auto text = text_of(request);
  const auto read = kiln::spec::search_request_of(text);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(text_of(*read), text);
  EXPECT_EQ(read->tuning.symbols.set.at("t"), expr::Value("float"));
  EXPECT_FALSE(kiln::spec::search_request_of("{}"));
  EXPECT_FALSE(kiln::spec::search_request_of(text.substr(1)));
}

}  // namespace
}  // namespace kiln::tune
