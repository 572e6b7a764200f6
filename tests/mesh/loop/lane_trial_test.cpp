// The trial of built-in functions on vectors: what mixes lanes is found, what was found is kept,
// and what is not known to hold is called for each element by itself.
#include "mesh/loop/lane_trial.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/os/file.hpp"
#include "kernel/resolver/resolver.hpp"
#include "mesh/codegen/lane_probe.hpp"
#include "mesh/codegen/loop_data.hpp"
#include "store/local/local_store.hpp"

namespace kiln::mesh::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// No built-in functions: one in which lane 1 gets what lane 0 is where that is huge, the last bit
/// only, one in which a NaN of lane 3 reaches all, and one that keeps lanes apart.
constexpr const char* prelude = R"(
double4 kiln_leaks(double4 x) {
  double4 y = x * x;
  if (fabs(x.s0) > 1e20) y.s1 = as_double(as_long(y.s1) ^ 1);
  return y;
}
float8 kiln_poisons(float8 x) { return isnan(x.s3) ? (float8)(x.s3) : x + 1; }
double4 kiln_keeps(double4 x) { return x * x + 1; }
)";

class LaneTrials : public ::testing::Test {
 protected:
  Findings tried(const std::vector<BuiltIn>& built_ins, int lanes, const std::string& text) {
    return try_lanes(resolver_, context_, device_, built_ins, lanes, text, &explanation_);
  }
  static Request request(const char* call) {
    return make_request(
        loop(std::string("void f(const double *x, double *y) { *y = ") + call + "; }", "f",
             {direct(0, 2, Access::read, f64), direct(1, 1, Access::write, f64)}),
        {}, 100);
  }

  DevicePtr device_ = value_or_throw(select_devices("cpu")).front();
  ContextPtr context_ = Context::create({device_});
  Resolver resolver_{nullptr, CompilePolicy::here};
  Explanation explanation_;
};

TEST_F(LaneTrials, find_a_function_that_mixes_lanes_up) {
  const Findings found = tried({{"kiln_leaks", f64}, {"kiln_keeps", f64}}, 4, prelude);
  ASSERT_EQ(found.size(), 2u);
  const kiln::Finding& leaks = found.at("kiln_leaks of double4");
  EXPECT_FALSE(leaks.holds);
  EXPECT_TRUE(leaks.lasts);
  EXPECT_THAT(leaks.reason, StartsWith("lane 0 with inf changes lane 1 from 0x"));
  EXPECT_EQ(found.at("kiln_keeps of double4"), (kiln::Finding{true, "", true}));
}

TEST_F(LaneTrials, know_floats_and_every_place_of_a_lane) {
  const Findings found = tried({{"kiln_poisons", f32}}, 8, prelude);
  EXPECT_FALSE(found.at("kiln_poisons of float8").holds);
  EXPECT_THAT(found.at("kiln_poisons of float8").reason,
              StartsWith("lane 3 with nan changes lane 0 from 0x"));
}

TEST_F(LaneTrials, that_fail_hold_nothing_and_do_not_last) {
  const Findings found = tried({{"sqrt", f64}, {"fabs", f64}}, 8, "this is no OpenCL C");
  ASSERT_EQ(found.size(), 2u);
  for (const auto& [name, finding] : found) {
    EXPECT_FALSE(finding.holds) << name;
    EXPECT_FALSE(finding.lasts) << name;
    EXPECT_THAT(finding.reason, StartsWith("the trial failed: ")) << name;
  }
}

TEST_F(LaneTrials, try_every_built_in_function_in_either_type) {
  // That they give the right numbers is tested with loops.
  std::vector<BuiltIn> all;
  for (const auto name : elementwise_built_ins())
    for (const auto type : {f32, f64})
      if (has_type(name, type)) all.push_back({std::string(name), type});
  EXPECT_GT(all.size(), elementwise_built_ins().size() * 3 / 2);
  const std::string text = lane_probe_text(all, 4);
  for (const BuiltIn& each : all) EXPECT_THAT(text, HasSubstr("(" + each.function + "(x"));
  const Findings found = tried(all, 4, "");
  ASSERT_EQ(found.size(), all.size());
  for (const auto& [name, finding] : found) EXPECT_TRUE(finding.lasts) << name << finding.reason;
}

TEST_F(LaneTrials, know_that_native_functions_are_of_float_alone) {
  const auto shape =
      loop("void f(const float *x, double *y) { *y = native_sin(x[0]) + sin(x[1]); }", "f",
           {direct(0, 2, Access::read, f32), direct(1, 1, Access::write, f64)});
  EXPECT_EQ(built_ins_of(shape), (BuiltIns{{"native_sin", f32}, {"sin", f32}, {"sin", f64}}));
}

TEST_F(LaneTrials, ask_only_for_what_the_kernel_calls_on_vectors) {
  EXPECT_EQ(built_ins_of(request("x[0] + x[1]").payload.as<LoopPayload>().shape), BuiltIns{});
  const auto shape = loop(
      "/* exp(x) */ static double step2(double sin) { return sin; }\n"
      "void f(const double *x, double *y) { *y = sqrt(x[0]) + step2(x[1]) + fabs (x[1]); }",
      "f", {direct(0, 2, Access::read, f64), direct(1, 1, Access::write, f64)});
  EXPECT_EQ(built_ins_of(shape), (BuiltIns{{"fabs", f64}, {"sqrt", f64}}));
}

TEST_F(LaneTrials, are_not_made_where_no_vectors_are) {
  Request one = request("sqrt(x[0])"), none = request("x[0] * x[1]");
  // Loops that ran before in this process may have found something.
  const auto names = [&] {
    std::vector<std::string> known;
    for (const auto& [name, finding] : resolver_.findings().known(topics::lanes, *device_))
      known.push_back(name);
    return known;
  };
  const auto before = names();
  EXPECT_FALSE(find_lanes(one, {{"FORM", 0}, {"LANES", 1}}, resolver_, context_, device_).trial);
  EXPECT_FALSE(find_lanes(one, {{"FORM", 2}, {"LANES", 8}}, resolver_, context_, device_).trial);
  EXPECT_FALSE(find_lanes(none, {{"FORM", 0}, {"LANES", 8}}, resolver_, context_, device_).trial);
  EXPECT_EQ(names(), before);
}

TEST_F(LaneTrials, are_cut_down_to_what_other_parts_of_a_mesh_found) {
  Request asked = request("sqrt(x[0]) + fabs(x[1])");
  LoopPayload loop = asked.payload.as<LoopPayload>();
  const BuiltIns both{{"fabs", ScalarType::f64}, {"sqrt", ScalarType::f64}};
  loop.on_vectors = both;
  asked.payload = LoopPayload(loop);
  const auto found = [&] { return asked.payload.as<LoopPayload>().on_vectors; };
  EXPECT_EQ(lane_bits(asked) & 3, 3u);
  keep_lanes(asked, ~std::uint64_t{0});
  EXPECT_EQ(found(), both);
  keep_lanes(asked, 2);  // in the order of names
  EXPECT_EQ(found(), (BuiltIns{{"sqrt", ScalarType::f64}}));
  EXPECT_EQ(lane_bits(asked) & 3, 2u);
}

TEST_F(LaneTrials, are_kept_and_read_again) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-lanes"));
  const std::string store = (folder.path() / "store").string();
  const Parameters lanes{{"FORM", 0}, {"LANES", 8}};
  BuiltIns found;
  {
    Resolver first(open_local_store(store), CompilePolicy::here);
    Request asked = request("sqrt(x[0])");
    EXPECT_TRUE(find_lanes(asked, lanes, first, context_, device_).trial);
    found = asked.payload.as<LoopPayload>().on_vectors;
    EXPECT_FALSE(find_lanes(asked, lanes, first, context_, device_).trial);
    first.finish();
  }
  Resolver second(open_local_store(store), CompilePolicy::here);
  Request again = request("sqrt(x[0])"), other = request("sqrt(x[0]) + fabs(x[1])");
  EXPECT_FALSE(find_lanes(again, lanes, second, context_, device_).trial);
  EXPECT_EQ(again.payload.as<LoopPayload>().on_vectors, found);
  const auto known = second.findings().known(topics::lanes, *device_);
  EXPECT_EQ(known.at("sqrt of double8").holds, found.contains({"sqrt", f64}));
  EXPECT_TRUE(find_lanes(other, lanes, second, context_, device_).trial);
}

TEST_F(LaneTrials, decide_on_the_key_and_the_text) {
  const Parameters lanes{{"FORM", 0}, {"LANES", 4}};
  resolver_.findings().get(
      topics::lanes, *device_, {"sqrt of double4", "exp of double4"}, [](const auto&) {
        return Findings{{"sqrt of double4", {true, ""}}, {"exp of double4", {false, "seen"}}};
      });
  const Request plain = request("sqrt(x[0]) + exp(x[1])");
  Request asked = plain;
  const LanesFound found = find_lanes(asked, lanes, resolver_, context_, device_);
  EXPECT_FALSE(found.trial);
  EXPECT_EQ(found.notes,
            std::vector<std::string>{"exp of double4 is called for each element by itself: seen"});
  EXPECT_EQ(asked.problem_class, plain.problem_class);
  EXPECT_NE(canonical_request(asked, lanes, *device_), canonical_request(plain, lanes, *device_));
  const LoopGenerator generator;
  const std::string text = generator.generate(asked, lanes);
  EXPECT_THAT(text, HasSubstr("double4 kiln_exp_double4(double4 a0)"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("kiln_sqrt_double4")));
  EXPECT_THAT(generator.generate(plain, lanes), HasSubstr("kiln_sqrt_double4"));
}

}  // namespace
}  // namespace kiln::mesh::testing
