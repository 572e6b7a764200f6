// prebuild_used_by() as applications call it; the command's tests have the rest.
#include <gmock/gmock.h>

#include "base/os/file.hpp"
#include "device/device.hpp"
#include "kiln/prebuild.hpp"
#include "kiln/runtime.hpp"
#include "kiln/store.hpp"
#include "layer/program/program_request.hpp"
#include "layer/program/usage_record.hpp"
#include "store/local/local_store.hpp"

namespace kiln {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::SizeIs;

class UsedByApplication : public ::testing::Test {
 protected:
  std::string path() const { return folder_.path().string() + "/store"; }

  /// Puts a program on record as that of another device.
  void record(const std::string& application, const std::string& text) const {
    LocalStore store(path());
    const auto device = value_or_throw(select_devices("cpu")).front();
    const Request request = value_or_throw(layer::program_request({text, "-DN=3"}, *device));
    value_or_throw(layer::keep_text(store, *request.source));
    layer::UsedProgram used;
    used.artifact.digest = blake2b(as_bytes(text));
    used.text = request.source->digest();
    used.options = request.options;
    used.fingerprint = "another device";
    used.variants = {{"run", "8-1-1-goffs0-smallgrid"}, {"run", "4000000000-1-1-goffs0-smallgrid"}};
    value_or_throw(layer::add_used(store, application, {used}));
  }

  const TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-used-by"));
};

constexpr const char* good = "kernel void run(global int *a) { a[0] = N; }\n";
constexpr const char* bad = "kernel void run(global int *a) { a = nothing; }\n";

TEST_F(UsedByApplication, is_compiled_for_the_devices_of_a_runtime) {
  record("app", good);
  record("app", bad);
  const Runtime runtime({.devices = "cpu", .store = path()});
  const Store store = runtime.store();
  EXPECT_THAT(recorded_applications(store), ElementsAre("app"));
  const auto before = programs_used_by(store, "app");
  ASSERT_THAT(before, SizeIs(2));
  EXPECT_EQ(before[0].kernel, "run");
  EXPECT_EQ(before[0].options, "-DN=3");
  EXPECT_EQ(before[0].fingerprint, "another device");

  std::size_t begun = 0;
  const auto result = prebuild_used_by(
      runtime, "app", {[&](const PrebuiltCall&, std::size_t all) { begun += all; }});
  EXPECT_EQ(begun, 4u);
  ASSERT_THAT(result.calls, SizeIs(2));
  EXPECT_FALSE(result.calls[0].failure) << result.calls[0].failure->message();
  ASSERT_TRUE(result.calls[1].failure);
  EXPECT_EQ(result.calls[1].failure->code(), Errc::build);
  EXPECT_EQ(result.compiled, 1u);
  EXPECT_EQ(prebuild_used_by(runtime, "app").compiled, 0u);

  // The record has it now, and with it what exports take.
  EXPECT_THAT(programs_used_by(store, "app"), SizeIs(3));
  ASSERT_THAT(result.keys, SizeIs(1));
  EXPECT_THAT(keys_used_by(store, "app"), IsSupersetOf({*result.keys.begin()}));
  EXPECT_THAT(keys_used_by(store, "app", {"no such device"}), SizeIs(3));
}

TEST_F(UsedByApplication, of_which_nothing_is_known_is_an_error) {
  record("solver", good);
  const Runtime runtime({.devices = "cpu", .store = path()});
  for (const auto& call : {std::function<void()>([&] { prebuild_used_by(runtime, "solvr"); }),
                           std::function<void()>([&] { keys_used_by(runtime.store(), "solvr"); })})
    try {
      call();
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::not_found);
      EXPECT_THAT(error.message(), HasSubstr("did you mean 'solver'?"));
    }
  const Runtime without({.devices = "cpu", .store = "off"});
  EXPECT_THROW(prebuild_used_by(without, "solver"), Error);
}

}  // namespace
}  // namespace kiln
