// Programs that the driver's compiler refuses: at the next start the driver alone tries them.
#include <fstream>

#include "kernel/support.hpp"
#include "layer/layer_process.hpp"
#include "layer/program/compile_record.hpp"
#include "layer/program/program_request.hpp"
#include "store/local/local_store.hpp"

namespace kiln::testing {
namespace {

constexpr const char* layer_reason = "it did not compile before";

class RefusedPrograms : public LayerTest {
 protected:
  /// What the application says of a program, whose build fails or not.
  ProcessResult run_app(const std::string& text, const Environment& environment) {
    std::ofstream(folder() / "run.cl") << text;
    empty_cache();
    empty_cache("plain-cache");
    forget_report();
    return run(KILN_LAYER_APP, {folder() / "run.cl"}, environment);
  }
  void expect_as_without(const std::string& text) {
    const auto without = run_app(text, plain());
    const auto with = run_app(text, layer());
    EXPECT_EQ(with.output, without.output);
    EXPECT_EQ(with.errors, without.errors);
    EXPECT_EQ(with.exit_code, without.exit_code);
  }
  std::size_t helpers() const { return count_of(report(), "\n    compile "); }
};

TEST_F(RefusedPrograms, AreTheDriversAtTheSecondStart) {
  const std::string text = "kernel void run(global int *a) { a[0] = nothing; }\n";
  expect_as_without(text);
  EXPECT_EQ(helpers(), 1u) << report();
  expect_as_without(text);
  EXPECT_EQ(helpers(), 0u) << report();
  EXPECT_EQ(count_of(report(), layer_reason), 1u) << report();
}

TEST_F(RefusedPrograms, AreServedAgainWhenTheDriverTakesThem) {
  const std::string text = "kernel void run(global int *a) { a[get_global_id(0)] = 2; }\n";
  {
    const auto device = cpu_device();
    const auto request = value_or_throw(layer::program_request({text, ""}, *device));
    LocalStore kept(store());
    value_or_throw(layer::keep_refused(kept, key_of(canonical_request(request, {}, *device)), true,
                                       request.label));
  }
  expect_as_without(text);
  EXPECT_EQ(count_of(report(), layer_reason), 1u) << report();
  expect_as_without(text);
  EXPECT_EQ(count_of(report(), "\n  served\n"), 1u) << report();
}

}  // namespace
}  // namespace kiln::testing
