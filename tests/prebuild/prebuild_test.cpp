#include "kiln/prebuild.hpp"

#include <gmock/gmock.h>

#include "base/os/file.hpp"
#include "blas/call/recorded_call.hpp"
#include "kiln/runtime.hpp"
#include "kiln/store.hpp"

// prebuild() as applications call it; the command's tests have the rest.

namespace kiln {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PrebuildCall : public ::testing::Test {
 protected:
  /// A call of BLAS, and one that cannot be built here.
  std::filesystem::path record() const {
    blas::Call product;
    product.routine = blas::Routine::gemm;
    product.m = product.n = product.k = 16;
    for (const auto slot : {blas::Slot::a, blas::Slot::b, blas::Slot::c}) product[slot].stride = 16;
    RecordedCall call = blas::recorded_call(product, value_or_throw(select_devices("cpu")));
    call.count = 3;
    std::string text = recorded_line(identity_line(call), call);
    call.kind = "loop";
    text += recorded_line(identity_line(call), call);
    const auto path = folder.path() / "calls.jsonl";
    value_or_throw(write_file(path.string(), as_bytes(text)));
    return path;
  }
  const TemporaryFolder folder = value_or_throw(TemporaryFolder::create("kiln-prebuild"));
};

TEST_F(PrebuildCall, puts_the_programs_of_a_record_into_the_store_of_a_runtime) {
  const Runtime runtime({.store = (folder.path() / "store").string()});
  std::vector<std::string> begun;
  const auto result = prebuild(runtime, record(), {[&](const PrebuiltCall& call, std::size_t all) {
                                 begun.push_back(call.kind);
                                 EXPECT_EQ(all, 2u);
                               }});
  EXPECT_THAT(begun, ::testing::UnorderedElementsAre("blas", "loop"));
  ASSERT_EQ(result.calls.size(), 2u);
  for (const auto& call : result.calls) {
    EXPECT_EQ(call.count, 3u);
    if (call.kind == "blas") {
      EXPECT_THAT(call.subject, HasSubstr("16"));
      EXPECT_FALSE(call.failure) << call.failure->message();
      EXPECT_GT(call.compiled, 0u);
    } else {
      ASSERT_TRUE(call.failure);
      EXPECT_EQ(call.failure->code(), Errc::unsupported);
    }
  }
  EXPECT_GT(result.keys.size(), 0u);
  EXPECT_EQ(runtime.store().entries({.kind = EntryKind::artifact}).size(), result.keys.size());
  // The next time nothing is compiled.
  EXPECT_EQ(prebuild(Runtime({.store = (folder.path() / "store").string()}), record()).compiled,
            0u);
}

TEST_F(PrebuildCall, needs_a_store_and_a_record) {
  const auto code_of = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.code();
    }
    return Errc::internal;
  };
  const Runtime runtime({.store = "off"});
  EXPECT_EQ(code_of([&] { prebuild(runtime, record()); }), Errc::bad_input);
  EXPECT_EQ(code_of([&] { prebuild(runtime, folder.path() / "absent"); }), Errc::not_found);
}

}  // namespace
}  // namespace kiln
