#include "cli/run_process.hpp"

namespace {

using kiln::testing::expect_refusal;
using ::testing::HasSubstr;

class RunErrors : public kiln::testing::RunTest {
 protected:
  RunErrors() { copy_spec(); }
};

TEST_F(RunErrors, a_kernel_that_does_not_compile_shows_the_log_with_the_files_own_lines) {
  write("one.h", "#define ONE 1\n\n\n\n");
  spec("broken",
       "#include \"one.h\"\n\nkernel void broken(global const float *a, global float *b) {\n"
       "  b[0] = a[ONE] + undefined_name;\n}\n");
  for (const char* policy : {"apart", "here"}) {
    const auto result = kiln({"run", "broken.json", "--compile", policy});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.output, "");
    // In process, PoCL's compiler says "1 error generated." before that by itself.
    EXPECT_THAT(result.errors, HasSubstr("kiln: broken.json: broken does not compile:\n"));
    EXPECT_THAT(result.errors, HasSubstr("broken.cl:4:"));
    EXPECT_THAT(result.errors, HasSubstr("undefined_name"));
  }
}

TEST_F(RunErrors, what_a_message_quotes_reaches_no_terminal_as_a_control_sequence) {
  const auto result = kiln({"run", "no\x1b[2Jsuch\x07.json"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("no\\x1b[2Jsuch\\x07.json"));
}

TEST_F(RunErrors, arguments_that_do_not_match_the_kernel_name_argument_found_and_expected) {
  const auto refuse = [&](const std::string& parameters, const std::string& part) {
    spec("k", "kernel void k(" + parameters + ") {}\n");
    expect_refusal(kiln({"run", "k.json"}), 2, part);
    expect_refusal(kiln({"verify", "k.json"}), 2, part);
  };
  refuse("global const float *a, global float *b, int n",
         "kernel k takes 3 arguments; 2 are given");
  refuse("global const float *a", "kernel k takes 1 arguments; 2 are given");
  refuse("global const float *a, float b",
         "argument 1 of kernel k: a buffer is given; the kernel takes a value (float b)");
  refuse("global const float *a, local float *b",
         "argument 1 of kernel k: a buffer is given; the kernel takes __local memory (float* b)");
  // The kernel would write twice the buffer's bytes.
  refuse("global const float *a, global double *b",
         "argument 1 of kernel k: found a buffer of type float, expected double* b");
  refuse("global const int *a, global float *b",
         "argument 0 of kernel k: found a buffer of type float, expected int* a");
  refuse("global const float *a, global const float *b",
         "argument 1 of kernel k: found an output, expected an input: the kernel only reads it");
}

TEST_F(RunErrors, values_must_be_of_the_kernels_kind) {
  const std::string more = R"("varArguments": [{"pos": 2, "type": "int", "value": 3}],)";
  spec("k", "kernel void k(global const float *a, global float *b, float c) {}\n", "float", more);
  expect_refusal(kiln({"run", "k.json"}), 2,
                 "argument 2 of kernel k: found a value of type int, expected float c");
  spec("k", "kernel void k(global const float *a, global float *b, uint c) {}\n", "float", more);
  EXPECT_EQ(kiln({"run", "k.json"}).exit_code, 0) << "a sign is no difference";
  spec("k", "kernel void k(global const float4 *a, global float *b, int c) {}\n", "float", more);
  EXPECT_EQ(kiln({"run", "k.json"}).exit_code, 0) << "nor are a buffer's lanes";
}

TEST_F(RunErrors, an_unknown_kernel_name_lists_those_there_are) {
  spec("k", "kernel void first(global float *a) {}\nkernel void second(global float *a) {}\n");
  expect_refusal(kiln({"run", "k.json"}), 2,
                 "k: the source has no kernel 'k'; it has: first, second");
}

TEST_F(RunErrors, a_missing_source_lists_the_places_tried) {
  std::filesystem::remove(folder() / "copy_float.cl");
  expect_refusal(kiln({"run", "copy_float.json", "--source-dir", "elsewhere"}), 2,
                 "tried copy_float.cl, ../kernel_src/copy_float.cl, ../kernels/copy_float.cl, "
                 "elsewhere/copy_float.cl");
}

TEST_F(RunErrors, a_part_of_a_graph_is_refused) {
  spec("copy_float", "", "float", R"("depends": ["x"],)");
  expect_refusal(kiln({"run", "copy_float.json"}), 2,
                 "copy_float.json: the kernel is part of a graph (depends, task or from)");
  const auto line = nlohmann::json::parse(kiln({"run", "--json", "copy_float.json"}).output);
  EXPECT_EQ(line["status"], "refused");
}

TEST_F(RunErrors, sizes_out_of_all_bounds_allocate_nothing) {
  for (const char* size : {"-1", "0", "10000000000000", "1099511627776", "2**200", "1.5"})
    expect_refusal(kiln({"run", "copy_float.json", "--set", std::string("dataset=") + size}), 2,
                   size[0] == '2' ? "dataset" : "copy_float.json:");
}

TEST_F(RunErrors, more_memory_than_there_is_is_one_line) {
  expect_refusal(kiln({"run", "-q", "copy_float.json", "--set", "dataset=100000000000"}), 2,
                 "copy_float.json: found buffers of 800000000000 bytes together; this machine's");
}

TEST_F(RunErrors, memory_that_is_not_there_when_it_is_taken_is_one_line) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer takes terabytes of address space for itself";
#endif
  const auto result = bash(
      "ulimit -v 1500000; $KILN run -q copy_float.json copy_float.json --set "
      "dataset=200000000");
  EXPECT_EQ(result.exit_code, 1);
  const std::string line =
      "kiln: copy_float.json: there is not enough free memory for its buffers\n";
  EXPECT_EQ(result.errors, line + line);
}

TEST_F(RunErrors, unknown_symbols_are_named) {
  expect_refusal(kiln({"run", "copy_float.json", "--set", "datset=1"}), 2, "'datset'");
  EXPECT_EQ(kiln({"run", "-q", "copy_float.json", "--set-if", "datset=1"}).exit_code, 0);
}

TEST_F(RunErrors, a_hostile_file_is_one_line) {
  write("broken.json", "{\"name\": \"x\",\n");
  expect_refusal(kiln({"run", "broken.json"}), 2, "broken.json:2:1: broken JSON");
  write("scale.cl", "kernel void scale(global float* x) { x[0] *= 2; }\n");
  expect_refusal(kiln({"run", "scale.cl"}), 2, "kiln init writes a specification file for one");
  const auto refuse_size = [&](const std::string& size, const std::string& more,
                               const std::string& part) {
    write("k.json", R"({"name": "k", "src": "k.cl", "workDimension": 1, "partition": 10, )" + more +
                        R"("globalWorkSize": "[)" + size + R"(]",
"inputBuffers": [], "outputBuffers": [{"pos": 0, "type": "float", "size": "64", "break": 1}]})");
    const auto result = kiln({"run", "k.json"});
    expect_refusal(result, 2, part);
    EXPECT_LT(result.errors.size(), 600u) << "a message is for reading";
  };
  std::string sum = "0";
  while (sum.size() < 10'000'000) sum += "+dataset";
  refuse_size(sum, "", "65536");
  refuse_size("f(1)", R"-("functions": {"f(x)": "f(x)"}, )-", "calls itself");
  refuse_size(std::string(60'000, '(') + "1" + std::string(5'000, ')'), "", "globalWorkSize");
  refuse_size("9**9**9", "", "globalWorkSize");
  refuse_size("1/0", "", "globalWorkSize");
}

TEST_F(RunErrors, no_device_is_said_once_for_many_specs) {
  expect_refusal(kiln({"run", "copy_float.json", "copy_float.json", "--devices", "7"}), 2,
                 "no device matches '7'");
}

TEST_F(RunErrors, a_compiler_that_crashes_is_named) {
  // What the driver takes is tried with another kernel, which does not crash.
  const auto real = std::filesystem::path(KILN_COMMAND).parent_path() / "kiln-compile";
  const auto helper = write("crash.sh",
                            "#!/bin/bash\ngrep -qa copy_float job && kill -SEGV $$\n"
                            "exec " +
                                real.string() + " \"$@\"\n");
  set("KILN_COMPILE_SERVER", "off");
  std::filesystem::permissions(helper, std::filesystem::perms::owner_all);
  set("KILN_COMPILE_HELPER", helper.string());
  set("KILN_STORE", fresh_store("store"));
  expect_refusal(kiln({"run", "copy_float.json"}), 1,
                 "copy_float.json: the driver's compiler died of SIGSEGV on copy_float");
}

TEST_F(RunErrors, a_helper_that_is_absent_or_fails_costs_a_build_in_process) {
  set("KILN_STORE", fresh_store("store"));
  for (const char* helper : {"/absent/kiln-compile", "/bin/false", "/bin/cat"}) {
    set("KILN_COMPILE_HELPER", helper);
    const auto result = kiln({"run", "--explain", "copy_float.json"});
    EXPECT_EQ(result.exit_code, 0) << helper << result.errors;
    EXPECT_THAT(result.output, HasSubstr("in process: ")) << helper;
  }
}

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
