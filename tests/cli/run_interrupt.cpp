#include "run_process.hpp"

namespace {

class RunInterrupt : public kiln::testing::RunTest {
 protected:
  RunInterrupt() { copy_spec(); }
  /// Starts a run that would take days, and signals it when the driver is loaded.
  kiln::ProcessResult interrupt(const std::string& options, const std::string& signal) {
    return bash("$KILN run copy_float.json --runs 1000000000000 " + options +
                " & P=$!; until grep -qs pocl /proc/$P/maps || ! [ -d /proc/$P ]; do :; done;"
                " kill -" +
                signal + " $P; wait $P; echo $?; ls -A");
  }
};

TEST_F(RunInterrupt, ends_by_the_signal_with_nothing_half_written) {
  const std::string files = "copy_float.cl\ncopy_float.json\n";
  for (const auto& [signal, code] :
       std::vector<std::pair<std::string, std::string>>{{"INT", "130"}, {"TERM", "143"}}) {
    const auto result = interrupt("--out 1=c.npy --trace t.json --gantt g.html", signal);
    EXPECT_EQ(result.output, code + "\n" + files) << result.errors;
    EXPECT_EQ(result.errors, "");
  }
}

TEST_F(RunInterrupt, verify_stops_too) {
  std::string many;
  for (int i = 1; i <= 5000; ++i) many += (i > 1 ? "," : "") + std::to_string(64 * i);
  const auto result =
      bash("$KILN verify copy_float.json --json --datasets " + many +
           " > out & P=$!; until grep -qs pocl /proc/$P/maps || ! [ -d /proc/$P ]; do :; done;"
           " kill -INT $P; wait $P; echo $?");
  EXPECT_EQ(result.output, "130\n") << result.errors;
}

}  // namespace
