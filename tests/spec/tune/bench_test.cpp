// Configurations of a spec on the CPU: right, wrong, impossible.
#include "base/data/bytes.hpp"
#include "kiln/formats/npy.hpp"
#include "support.hpp"

namespace kiln::spec {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using tune::Failure;

class SpecBenchTest : public SpecTuneTest {
 protected:
  tune::Report prepared(const SpecTuning& options, const std::string& text) {
    const auto made = tunable(options);
    return bench(*made)->prepare(id(*made, text));
  }
};

TEST_F(SpecBenchTest, a_right_configuration_has_a_time_by_the_devices_clock) {
  const auto made = tunable(tuning());
  const auto measured = bench(*made);
  const auto sixteen = id(*made, "TS=16");
  const auto report = measured->prepare(sixteen);
  ASSERT_TRUE(report.outcome.ok()) << report.message;
  const double once = measured->run(sixteen, 1);
  EXPECT_GT(once, 0);
  EXPECT_LT(once, 60);
  EXPECT_GT(measured->run(sixteen, 300), 0);  // more than it holds events at once
}

TEST_F(SpecBenchTest, what_was_not_prepared_is_not_run) {
  const auto made = tunable(tuning());
  const auto measured = bench(*made);
  EXPECT_THROW(measured->run(id(*made, "TS=8"), 1), Error);
  measured->prepare(id(*made, "TS=4"));
  EXPECT_THROW(measured->run(id(*made, "TS=4"), 1), Error) << "it is wrong";
}

// It keeps 16.
TEST_F(SpecBenchTest, more_than_it_keeps_ready_can_be_run_again) {
  write("turn.cl", replaced(transpose_source, "SHIFT * 1e-6f", "SHIFT * 0"));
  const auto made = tunable(tuning("SHIFT=0..17"));
  const auto measured = bench(*made);
  for (tune::ConfigurationId id = 0; id < 18; ++id)
    ASSERT_TRUE(measured->prepare(id).outcome.ok()) << id;
  for (tune::ConfigurationId id = 0; id < 18; ++id) EXPECT_GT(measured->run(id, 5), 0) << id;
}

TEST_F(SpecBenchTest, a_wrong_configuration_is_found_wrong_and_says_where) {
  const auto report = prepared(tuning(), "TS=4");
  EXPECT_EQ(report.outcome.failure, Failure::wrong_result);
  EXPECT_THAT(report.message, AllOf(HasSubstr("argument 1: element 1: "), HasSubstr("more")));
}

TEST_F(SpecBenchTest, one_that_does_not_compile_says_the_compilers_error) {
  const auto report = prepared(tuning(), "TS=6");
  EXPECT_EQ(report.outcome.failure, Failure::build);
  EXPECT_THAT(report.message, AllOf(HasSubstr("turn.cl:3"), HasSubstr("six is not for")));
  EXPECT_EQ(report.message.find('\n'), std::string::npos);
}

TEST_F(SpecBenchTest, a_work_group_that_the_device_lacks_costs_no_compile) {
  auto options = tuning("TS=8,512");
  options.dataset = 512;
  // Were it compiled, it would be a failure of `build`.
  write("turn.cl", replaced(transpose_source, "TS == 6", "TS == 512"));
  const auto report = prepared(options, "TS=512");
  EXPECT_EQ(report.outcome.failure, Failure::resources);
  EXPECT_THAT(report.message, HasSubstr("work-group of 512x512x1 is above"));
}

TEST_F(SpecBenchTest, declared_local_memory_beyond_the_device_costs_no_compile) {
  write("turn.cl", replaced(transpose_source, "TS == 6", "PAD > 1"));
  write("turn.json", replaced(replaced(transpose_spec, R"("TS*TS")", R"("TS*TS*PAD")"),
                              R"({"TS": 8})", R"({"TS": 8, "PAD": 1})"));
  const auto report = prepared(tuning("PAD=1,100000000"), "PAD=100000000");
  EXPECT_EQ(report.outcome.failure, Failure::resources);
  EXPECT_THAT(report.message, HasSubstr("bytes of local memory a work-group, expected at most"));
}

TEST_F(SpecBenchTest, a_local_size_that_does_not_divide_is_a_failure_of_resources) {
  const auto report = prepared(tuning("TS=8,7"), "TS=7");
  EXPECT_EQ(report.outcome.failure, Failure::resources);
  EXPECT_THAT(report.message, HasSubstr("expected a divisor of the global size 48"));
}

TEST_F(SpecBenchTest, buffers_of_another_size_cannot_be_compared) {
  write("turn.json",
        replaced(transpose_spec, R"("pos": 1, "type": "float", "size": "dataset*dataset")",
                 R"("pos": 1, "type": "float", "size": "dataset*dataset*TS/8")"));
  const auto report = prepared(tuning(), "TS=16");
  EXPECT_EQ(report.outcome.failure, Failure::wrong_result);
  EXPECT_THAT(report.message, HasSubstr("argument 1: 18432 bytes instead of the reference's 9216"));
}

TEST_F(SpecBenchTest, small_differences_are_wrong_to_the_bit_and_right_within_rtol) {
  auto options = tuning("SHIFT=0,1");
  EXPECT_EQ(prepared(options, "SHIFT=1").outcome.failure, Failure::wrong_result);
  options.rtol = 0.5;
  // Relative to numbers near 0 even a millionth is much: 1e-6 of random numbers in [0, 1).
  write("turn.cl",
        replaced(transpose_source, "tile[y * TS + x] = in", "tile[y * TS + x] = 1.0f + in"));
  EXPECT_TRUE(prepared(options, "SHIFT=1").outcome.ok());
  EXPECT_TRUE(prepared(options, "SHIFT=0").outcome.ok());
}

TEST_F(SpecBenchTest, what_a_wrong_one_wrote_does_not_reach_the_next) {
  // TS 4 spoils the input as well as the output.
  write("turn.cl",
        replaced(replaced(transpose_source, "__global const float* in", "__global float* in"),
                 "barrier(", "if (TS == 4) in[(cy + y) * n + cx + x] = 9.0f; barrier("));
  const auto made = tunable(tuning());
  const auto measured = bench(*made);
  EXPECT_EQ(measured->prepare(id(*made, "TS=4")).outcome.failure, Failure::wrong_result);
  EXPECT_TRUE(measured->prepare(id(*made, "TS=16")).outcome.ok());
}

TEST_F(SpecBenchTest, a_result_that_is_only_partly_written_is_wrong_even_behind_a_right_one) {
  write("turn.cl", replaced(transpose_source, "out[(cx", "if (TS != 2 || x == 0) out[(cx"));
  const auto made = tunable(tuning());
  const auto measured = bench(*made);
  EXPECT_TRUE(measured->prepare(id(*made, "TS=8")).outcome.ok());
  EXPECT_EQ(measured->prepare(id(*made, "TS=2")).outcome.failure, Failure::wrong_result);
}

/// A file that needs TS, and the right result of its kernel.
class ExpectTest : public SpecBenchTest {
 protected:
  ExpectTest() {
    write("turn.json", replaced(transpose_spec, R"({"TS": 8})", R"({"TS": "TS"})"));
    std::vector<float> in(48 * 48), out(48 * 48);
    for (std::size_t i = 0; i < in.size(); ++i) {
      in[i] = static_cast<float>(i);
      out[i % 48 * 48 + i / 48] = static_cast<float>(i);
    }
    save("in.npy", in);
    save("out.npy", out);
  }
  void save(const std::string& name, const std::vector<float>& values) const {
    value_or_throw(write_file(file(name), npy::write(npy::Type::f32, std::vector{values.size()},
                                                     std::as_bytes(std::span(values)))));
  }
};

TEST_F(ExpectTest, a_file_that_needs_its_parameters_needs_files_of_right_results) {
  EXPECT_THAT(error_of(tuning()),
              AllOf(HasSubstr("the symbol 'TS' without a value"), HasSubstr("--expect")));
}

TEST_F(ExpectTest, files_tell_right_from_wrong) {
  auto options = tuning();
  options.inputs[0] = file("in.npy");
  options.expect[1] = file("out.npy");
  EXPECT_TRUE(prepared(options, "TS=16").outcome.ok());
  EXPECT_EQ(prepared(options, "TS=4").outcome.failure, Failure::wrong_result);
  EXPECT_EQ(tunable(options)->standard(), std::nullopt);
}

TEST_F(ExpectTest, files_need_not_agree_in_the_last_digits_unless_asked) {
  auto options = tuning();
  options.inputs[0] = file("in.npy");
  options.expect[1] = file("out.npy");
  options.parameters = {"TS=16", "SHIFT=0,100"};
  // A millionth of each number more.
  write("turn.cl", replaced(transpose_source, "SHIFT * 1e-6f", "tile[x * TS + y] * SHIFT * 1e-8f"));
  EXPECT_TRUE(prepared(options, "TS=16 SHIFT=100").outcome.ok());
  options.rtol = 0;
  EXPECT_EQ(prepared(options, "TS=16 SHIFT=100").outcome.failure, Failure::wrong_result);
  EXPECT_TRUE(prepared(options, "TS=16 SHIFT=0").outcome.ok());
}

TEST_F(ExpectTest, files_must_fit_and_be_results_and_be_there) {
  auto options = tuning();
  options.expect[0] = file("out.npy");
  EXPECT_THAT(error_of(options), HasSubstr("--expect 0: the file calls this argument an input"));
  options.expect = {{1, file("absent.npy")}};
  EXPECT_THAT(error_of(options), HasSubstr("absent.npy"));
  save("short.npy", {1, 2});
  options.expect = {{1, file("short.npy")}};
  EXPECT_THROW(bench(*tunable(options)), Error);
  options.expect = {{7, file("out.npy")}};
  EXPECT_THAT(error_of(options), HasSubstr("the kernel has arguments 0 to 3"));
}

TEST_F(SpecBenchTest, an_untuned_run_that_fails_says_that_files_may_stand_in) {
  write("turn.cl", replaced(transpose_source, "TS == 6", "TS == 8"));
  try {
    bench(*tunable(tuning()));
    FAIL() << "the reference does not compile";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::build);
    EXPECT_THAT(error.message(), HasSubstr("--expect"));
  }
}

}  // namespace
}  // namespace kiln::spec
