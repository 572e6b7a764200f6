#include <gmock/gmock.h>

#include "cli/run_process.hpp"

namespace {

using kiln::testing::expect_refusal;
using kiln::testing::json_lines;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Blas : public kiln::testing::RunTest {};

TEST_F(Blas, explain_shows_the_steps_of_a_call) {
  const auto result =
      kiln({"blas", "explain", "dgemm", "-m", "300", "-n", "200", "-k", "100", "--device", "cpu"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("dgemm, m 300, n 200, k 100, by columns: "));
  EXPECT_THAT(result.output, HasSubstr("blas.gemm"));
  EXPECT_THAT(result.output, HasSubstr("default"));
  EXPECT_THAT(result.output, HasSubstr("queue 0: "));
}

TEST_F(Blas, explain_says_where_each_program_came_from) {
  const std::string store = fresh_store("store");
  const auto sources = [&] {
    std::set<std::string> found;
    const auto lines = json_lines(kiln({"blas", "explain", "gemm", "-n", "100", "--device", "cpu",
                                        "--store", store, "--json"})
                                      .output);
    for (const auto& step : lines.at(0)["steps"]) found.insert(step["found_in"]);
    return found;
  };
  EXPECT_EQ(sources().count("compile"), 1u);
  const auto second = sources();
  EXPECT_EQ(second.count("compile"), 0u);
  EXPECT_EQ(second.count("local store"), 1u);
}

TEST_F(Blas, explain_shares_the_work_over_queues) {
  const auto result =
      kiln({"blas", "explain", "gemm", "-n", "512", "--device", "cpu", "--queues", "2", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const auto lines = json_lines(result.output);
  ASSERT_EQ(lines.size(), 1u);
  const auto& object = lines[0];
  EXPECT_EQ(object["queues"], 2);
  std::map<int, double> shares;
  for (const auto& step : object["steps"])
    if (step["kernel"] == object["steps"].back()["kernel"]) shares[step["queue"]] = step["share"];
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_NEAR(shares[0] + shares[1], 1, 1e-9);
  for (const auto& step : object["steps"]) {
    EXPECT_EQ(step["parameters_from"], "default");
    EXPECT_FALSE(step["parameters"].empty());
    EXPECT_EQ(step["global"].size(), step["local"].size());
    EXPECT_EQ(step["key"].get<std::string>().size(), 64u);
  }
}

TEST_F(Blas, explain_shows_what_a_batch_comes_to) {
  const auto steps_of = [&](const char* n) {
    const auto result =
        kiln({"blas", "explain", "gemm", "-n", n, "--batch", "50", "--device", "cpu", "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return json_lines(result.output).at(0)["steps"];
  };
  const auto small = steps_of("23"), large = steps_of("300");
  ASSERT_EQ(small.size(), 1u);
  EXPECT_EQ(small[0]["kernel"], "small_product");
  EXPECT_EQ(small[0]["times"], 1);
  ASSERT_EQ(large.size(), 1u);
  EXPECT_EQ(large[0]["times"], 50);
  const auto text =
      kiln({"blas", "explain", "axpy", "-n", "5000", "--batch", "3", "--device", "cpu"});
  EXPECT_THAT(text.output, StartsWith("saxpy, 3 times, n 5000: "));
  EXPECT_THAT(text.output, HasSubstr("axpy (3 times)"));
  expect_refusal(kiln({"blas", "explain", "axpy", "--batch", "0"}), 2, "--batch");
}

TEST_F(Blas, a_routine_may_have_the_letter_of_its_precision) {
  const auto call_of = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"blas", "explain"});
    words.insert(words.end(), {"-n", "9", "--device", "cpu", "--json"});
    const auto result = kiln(words);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return json_lines(result.output).at(0)["call"].get<std::string>();
  };
  EXPECT_EQ(call_of({"scal"}), "sscal, n 9");
  EXPECT_EQ(call_of({"zscal"}), "zscal, n 9");
  EXPECT_EQ(call_of({"dot", "--precision", "d"}), "ddot, n 9");
  EXPECT_EQ(call_of({"herk", "-k", "4", "--uplo", "lower"}), "cherk, n 9, k 4, by columns, lower");
}

TEST_F(Blas, what_is_no_call_is_refused_in_one_line) {
  const auto refusal = [&](std::vector<std::string> words, const std::string& part) {
    for (const char* verb : {"explain", "bench"}) {
      auto all = words;
      all.insert(all.begin(), {"blas", verb});
      expect_refusal(kiln(all), 2, part);
    }
  };
  refusal({"gemmm"},
          "found 'gemmm', expected a routine of BLAS as gemm or dgemm; did you mean "
          "'gemm'?");
  refusal({"dgem"}, "did you mean 'dgemv'?");
  refusal({"quux"}, "found 'quux', expected a routine of BLAS as gemm or dgemm");
  refusal({""}, "found '', expected a routine of BLAS as gemm or dgemm");
  refusal({"gemm", "-n"}, "--size-n: missing value");
  refusal({}, "ROUTINE");
  refusal({"shemm"}, "shemm does not exist: hemm is for complex types");
  refusal({"symv", "--precision", "z"}, "zsymv does not exist: symv is for real types");
  refusal({"dgemm", "--precision", "s"}, "found dgemm with --precision s");
  refusal({"gemm", "-n", "0"}, "found '0'");
  refusal({"gemm", "-n", "many"}, "found 'many'");
  refusal({"gemm", "-n", "99999999999999999999"},
          "found '99999999999999999999', expected an integer of at most 9223372036854775807");
  refusal({"gemm", "-n", "-5"}, "found '-5', expected an integer of at least 1");
  refusal({"gemm", "--precision", "q"}, "found 'q'");
  refusal({"csyrk", "--trans-a", "c", "-n", "8", "--device", "cpu", "--store", "off"},
          "csyrk: BLAS does not define this combination of options");
  refusal({"gemm", "--device", "99"}, "no device matches '99'");
}

TEST_F(Blas, sizes_that_no_memory_holds_are_refused_with_the_bytes) {
  const auto refusal = [&](std::vector<std::string> words, const std::string& part) {
    words.insert(words.end(), {"--device", "cpu", "--store", "off"});
    for (const char* verb : {"explain", "bench"}) {
      auto all = words;
      all.insert(all.begin(), {"blas", verb});
      expect_refusal(kiln(all), 2, part);
    }
  };
  const std::string most = "9223372036854775807";
  refusal({"gemm", "-n", most}, "sgemm: A takes 2^64 or more bytes");
  refusal({"gemm", "-n", "8", "-m", most}, "sgemm: A takes 2^64 or more bytes");
  refusal({"dgemm", "-n", "4611686018427387904", "-m", "1", "-k", "1"},
          "dgemm: B takes 2^64 or more bytes");
  refusal({"gbmv", "-n", "8", "-k", most}, "sgbmv: A takes 2^64 or more bytes");
  refusal({"sspmv", "-n", "100000000"},
          "sspmv: A takes 20000000200000000 bytes, found memory for ");
  refusal({"axpy", "-n", "1000000000000000"}, "saxpy: x takes 4000000000000000 bytes");
  refusal({"zgemm", "-n", "1000000"}, "zgemm: A takes 16000000000000 bytes, found memory for ");
}

TEST_F(Blas, the_environment_sets_options_and_its_errors_are_one_line) {
  set("KILN_SIZE_N", "none");
  expect_refusal(kiln({"blas", "explain", "gemm"}), 2, "KILN_SIZE_N");
  expect_refusal(kiln({"blas", "bench", "gemm"}), 2, "KILN_SIZE_N");
}

TEST_F(Blas, explain_has_a_bound_on_queues) {
  expect_refusal(kiln({"blas", "explain", "gemm", "--queues", "65", "--device", "cpu"}), 2,
                 "--queues: found 65, expected at most 64");
}

TEST_F(Blas, bench_has_a_bound_on_rounds) {
  expect_refusal(
      kiln({"blas", "bench", "gemm", "-n", "64", "--rounds", "99999999999", "--device", "cpu"}), 2,
      "--rounds: found 99999999999, expected at most 10000");
}

TEST_F(Blas, bench_measures_kiln_and_says_what_of_the_others_it_measured) {
  const auto result =
      kiln({"blas", "bench", "axpy", "-n", "1000", "--rounds", "2", "--device", "cpu", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const auto object = json_lines(result.output).at(0);
  EXPECT_EQ(object["unit"], "GB/s");
  ASSERT_EQ(object["libraries"].size(), 3u);
  EXPECT_EQ(object["libraries"][0]["name"], "Kiln");
  for (const auto& library : object["libraries"])
    if (library["measured"]) {
      EXPECT_EQ(library["rounds"], 2) << library;
      EXPECT_GT(library["median_ms"], 0.0) << library;
      EXPECT_GT(library["rate"], 0.0) << library;
    } else {
      EXPECT_FALSE(library["reason"].get<std::string>().empty());
    }
}

TEST_F(Blas, bench_prints_a_table_and_who_is_absent) {
  const auto result =
      kiln({"blas", "bench", "rot", "-n", "1000", "--rounds", "1", "--device", "cpu"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("srot, n 1000 on "));
  EXPECT_THAT(result.output, HasSubstr("\nlibrary"));
  EXPECT_THAT(result.output, HasSubstr("\nKiln "));
  EXPECT_THAT(result.output, HasSubstr("OpenBLAS: not measured: "));
  EXPECT_THAT(result.output, HasSubstr("CLBlast: not measured: "));
}

TEST_F(Blas, bench_of_a_product_counts_operations) {
  const auto result =
      kiln({"blas", "bench", "sgemm", "-n", "64", "--rounds", "1", "--device", "cpu", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(json_lines(result.output).at(0)["unit"], "GFLOP/s");
}

}  // namespace
