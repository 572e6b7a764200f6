// fork() while kernels run: the child is refused and does not wait for ever, the parent goes
// on.
#include <algorithm>
#include <vector>

#include "base/os/file.hpp"
#include "forked_child.hpp"
#include "kiln/kernel.hpp"

namespace kiln::testing {
namespace {

constexpr const char* twice_text =
    "__kernel void twice(__global int* x) { x[get_global_id(0)] *= 2; }";

struct Twice {
  explicit Twice(const std::string& folder)
      : runtime({.devices = "cpu", .store = "off"}),
        numbers(64, 1),
        call(runtime.kernel(Source::file(source(folder)), "twice")(inout(numbers))) {}
  static std::filesystem::path source(const std::filesystem::path& folder) {
    value_or_throw(write_file(folder / "twice.cl", as_bytes(std::string_view(twice_text))));
    return folder / "twice.cl";
  }
  bool runs_right() {
    std::fill(numbers.begin(), numbers.end(), 1);
    call.run({{64}, {16}});
    return numbers == std::vector<int>(64, 2);
  }
  Runtime runtime;
  std::vector<int> numbers;
  KernelCall call;
};

TEST(ForkAndRun, a_child_is_refused_and_the_parent_goes_on) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-fork"));
  Twice here(folder.path());
  EXPECT_TRUE(here.runs_right());
  EXPECT_EQ(refusal_in_child([&] { here.runs_right(); }), after_fork);
  EXPECT_EQ(refusal_in_child([&] { Twice(folder.path()).runs_right(); }), after_fork);
  EXPECT_TRUE(here.runs_right());
  EXPECT_TRUE(Twice(folder.path()).runs_right());
}

}  // namespace
}  // namespace kiln::testing
