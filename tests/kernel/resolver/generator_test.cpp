// A family of generated kernels from Request to result: Parameters before the Key, records, guard.
#include <thread>

#include "kernel/scale_family.hpp"

namespace kiln::testing {
namespace {

class GeneratorTest : public StoreFixture {
 protected:
  std::unique_ptr<Resolver> spine() const {
    auto made = resolver();
    made->add(std::make_unique<ScaleGenerator>());
    return made;
  }
  Program& resolve(Resolver& by, const Request& request, const ContextPtr& context) const {
    return by.resolve(request, by.choose(request, *device_), context, device_);
  }
  void expect_scaled(Program& program, const ContextPtr& context, const Parameters& parameters,
                     int factor) {
    const auto y = run_scale(context, program, parameters, 256);
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], factor * static_cast<int>(i));
  }
  const Parameters tuned_{{"unroll", 4}, {"local", 8}};
};

TEST(ScaleGenerator, makes_this_text) {
  EXPECT_EQ(ScaleGenerator().generate(scale_request(3), {{"unroll", 2}, {"local", 8}}),
            "__kernel __attribute__((reqd_work_group_size(8, 1, 1)))\n"
            "void scale(__global const int* x, __global int* y) {\n"
            "  const size_t i = 2 * get_global_id(0);\n"
            "  y[i + 0] = 3 * x[i + 0];\n"
            "  y[i + 1] = 3 * x[i + 1];\n"
            "}\n");
}

TEST_F(GeneratorTest, defaults_are_used_where_nothing_is_on_record) {
  auto made = spine();
  const auto request = scale_request(3);
  const auto parameters = made->choose(request, *device_).parameters;
  EXPECT_EQ(parameters, ScaleGenerator().defaults(request));
  const auto context = Context::create({device_});
  expect_scaled(resolve(*made, request, context), context, parameters, 3);
}

TEST_F(GeneratorTest, recorded_parameters_change_the_key_and_the_program) {
  auto made = spine();
  const auto request = scale_request(3);
  const auto context = Context::create({device_});
  Program& before = resolve(*made, request, context);
  made->record(request, *device_, tuned_);
  EXPECT_EQ(made->choose(request, *device_).parameters, tuned_);
  Program& after = resolve(*made, request, context);
  EXPECT_NE(before.key(), after.key());
  expect_scaled(after, context, tuned_, 3);
  expect_scaled(before, context, ScaleGenerator().defaults(request), 3);  // still alive
}

TEST_F(GeneratorTest, a_program_is_of_the_parameters_that_were_chosen_for_it) {
  auto made = spine();
  const auto request = scale_request(3);
  const auto context = Context::create({device_});
  const ChosenParameters chosen = made->choose(request, *device_);
  made->record(request, *device_, tuned_);
  Explanation explanation;
  Program& program = made->resolve(request, chosen, context, device_, {}, &explanation);
  expect_scaled(program, context, chosen.parameters, 3);
  EXPECT_EQ(explanation.parameters.parameters, chosen.parameters);
}

TEST_F(GeneratorTest, a_family_is_not_generated_without_parameters_that_it_accepts) {
  auto made = spine();
  try {
    made->resolve(scale_request(3), Context::create({device_}), device_);
    FAIL() << "it took none";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::internal);
  }
}

TEST_F(GeneratorTest, a_record_is_found_by_the_next_process) {
  const auto request = scale_request(3);
  spine()->record(request, *device_, tuned_);
  EXPECT_EQ(spine()->choose(request, *device_).parameters, tuned_);
}

TEST_F(GeneratorTest, a_record_is_for_its_problem_class_family_and_device) {
  auto made = spine();
  auto other = scale_request(3);
  made->record(other, *device_, tuned_);
  other.problem_class = "large";
  EXPECT_EQ(made->choose(other, *device_).parameters, ScaleGenerator().defaults(other));
  if (device_->compute_units < 2) return;
  // A sub-device runs the same programs, but not as fast.
  const auto part = value_or_throw(partition_equally(device_, 2))[0];
  EXPECT_EQ(made->choose(scale_request(3), *part).parameters, ScaleGenerator().defaults(other));
}

TEST_F(GeneratorTest, a_record_that_the_generator_does_not_accept_is_ignored) {
  const auto request = scale_request(3);
  for (const Parameters& bad : {Parameters{{"unroll", 3}, {"local", 8}}, Parameters{},
                                Parameters{{"unroll", 4}, {"local", 1 << 20}}}) {
    auto writer = spine();
    writer->record(request, *device_, bad);
    EXPECT_EQ(writer->choose(request, *device_).parameters, ScaleGenerator().defaults(request));
    EXPECT_EQ(spine()->choose(request, *device_).parameters, ScaleGenerator().defaults(request));
  }
}

TEST_F(GeneratorTest, a_record_that_fits_one_request_of_a_class_is_not_forced_on_another) {
  auto made = spine();
  const auto wide = scale_request(3);
  const auto narrow = scale_request(3, {{"most unroll", std::int64_t{1}}});
  made->record(wide, *device_, tuned_);
  EXPECT_EQ(made->choose(wide, *device_).parameters, tuned_);
  EXPECT_EQ(made->choose(narrow, *device_).parameters, ScaleGenerator().defaults(narrow));
}

TEST_F(GeneratorTest, defaults_are_each_requests_own) {
  auto made = spine();
  const auto wide = scale_request(3);
  const auto narrow = scale_request(3, {{"most unroll", std::int64_t{1}}});
  EXPECT_EQ(made->choose(wide, *device_).parameters.get("unroll", 0), 2);
  EXPECT_EQ(made->choose(narrow, *device_).parameters.get("unroll", 0), 1);
}

TEST_F(GeneratorTest, a_damaged_record_is_ignored) {
  const auto request = scale_request(3);
  spine()->record(request, *device_, tuned_);
  auto made = spine();
  // Writes over the record as another program might, with bytes that are no Parameters.
  CanonicalWriter writer("parameters", 1);
  writer.text("family", request.family)
      .integer("version", request.version)
      .text("problem class", request.problem_class)
      .text("device", device_->speed_identity());
  value_or_throw(made->store()->put(Kind::record, key_of(writer.view()), writer.view(),
                                    as_bytes("\xff\xff\xff\xff"), {1, "test.scale", "", 0}));
  EXPECT_EQ(made->choose(request, *device_).parameters, ScaleGenerator().defaults(request));
}

TEST_F(GeneratorTest, facts_change_the_program) {
  auto made = spine();
  const auto context = Context::create({device_});
  const auto parameters = made->choose(scale_request(3), *device_).parameters;
  Program& three = resolve(*made, scale_request(3), context);
  Program& seven = resolve(*made, scale_request(7), context);
  EXPECT_NE(three.key(), seven.key());
  expect_scaled(three, context, parameters, 3);
  expect_scaled(seven, context, parameters, 7);
}

TEST_F(GeneratorTest, a_request_of_another_version_than_the_generators_is_a_defect) {
  auto made = resolver();
  made->add(std::make_unique<ScaleGenerator>(2));
  const auto context = Context::create({device_});
  try {
    resolve(*made, scale_request(3), context);
    FAIL() << "it took a version that it does not make";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::internal);
  }
  auto newer = scale_request(3);
  newer.version = 2;
  EXPECT_NO_THROW(resolve(*made, newer, context));
}

TEST_F(GeneratorTest, an_unknown_family_is_bad_input) {
  auto made = spine();
  auto request = scale_request(3);
  request.family = "test.unknown";
  try {
    resolve(*made, request, Context::create({device_}));
    FAIL() << "it resolved";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    EXPECT_EQ(error.message(), "no generator for the family 'test.unknown'");
  }
}

TEST_F(GeneratorTest, threads_may_record_and_look_up_at_once) {
  auto made = spine();
  const auto request = scale_request(3);
  const Parameters other{{"unroll", 1}, {"local", 32}};
  std::atomic<int> strange{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 20; ++i) {
          if (t == 0) made->record(request, *device_, i % 2 ? tuned_ : other);
          const auto seen = made->choose(request, *device_).parameters;
          strange += seen != tuned_ && seen != other && seen != ScaleGenerator().defaults(request);
        }
      });
  }
  EXPECT_EQ(strange, 0);
}

}  // namespace
}  // namespace kiln::testing
