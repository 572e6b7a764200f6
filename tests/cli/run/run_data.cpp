#include <limits>

#include "cli/run_process.hpp"

namespace {

using kiln::testing::bytes_of;
using kiln::testing::expect_refusal;
using kiln::testing::npy;
using kiln::testing::npy_data;
using ::testing::HasSubstr;

class RunData : public kiln::testing::RunTest {
 protected:
  RunData() { copy_spec(); }

  /// Runs copy_TYPE over the values and expects to get them back in a file of the same kind.
  template <class T>
  void expect_round_trip(const std::string& type, const std::string& descr,
                         const std::vector<T>& values, std::size_t lanes = 1) {
    copy_spec(type);
    const auto count = std::to_string(values.size() / lanes);
    const auto shape =
        lanes == 1 ? "(" + count + ",)" : "(" + count + ", " + std::to_string(lanes) + ")";
    const auto file = npy(descr, shape, bytes_of(values));
    write("in.npy", file);
    const auto result = kiln({"run", "-q", "copy_" + type + ".json", "--set", "dataset=" + count,
                              "--in", "0=in.npy", "--out", "1=out.npy", "--expect", "1=in.npy"});
    ASSERT_EQ(result.exit_code, 0) << type << ": " << result.errors;
    const auto out = kiln::value_or_throw(kiln::read_text(folder() / "out.npy"));
    EXPECT_EQ(npy_data(folder() / "out.npy"), bytes_of(values)) << type;
    EXPECT_THAT(out, HasSubstr("'descr': '" + descr + "'"));
    EXPECT_THAT(out, HasSubstr("'shape': " + shape));
  }
};

template <class T>
std::vector<T> extremes() {
  using Limits = std::numeric_limits<T>;
  return {Limits::lowest(), Limits::max(), T(0), T(1), Limits::min(), T(100), T(3), T(7)};
}

TEST_F(RunData, integers_of_every_width_come_through_to_the_bit) {
  expect_round_trip<std::int8_t>("char", "|i1", extremes<std::int8_t>());
  expect_round_trip<std::uint8_t>("uchar", "|u1", extremes<std::uint8_t>());
  expect_round_trip<std::int16_t>("short", "<i2", extremes<std::int16_t>());
  expect_round_trip<std::uint16_t>("ushort", "<u2", extremes<std::uint16_t>());
  expect_round_trip<std::int32_t>("int", "<i4", extremes<std::int32_t>());
  expect_round_trip<std::uint32_t>("uint", "<u4", extremes<std::uint32_t>());
  expect_round_trip<std::int64_t>("long", "<i8", extremes<std::int64_t>());
  expect_round_trip<std::uint64_t>("ulong", "<u8", extremes<std::uint64_t>());
}

TEST_F(RunData, floating_point_numbers_and_vectors_come_through_to_the_bit) {
  expect_round_trip<float>("float", "<f4", extremes<float>());
  expect_round_trip<double>("double", "<f8", extremes<double>());
  expect_round_trip<float>("float4", "<f4", {1, 2, 3, 4, 5, 6, 7, 8}, 4);
  expect_round_trip<std::uint8_t>("uchar16", "|u1", std::vector<std::uint8_t>(32, 200), 16);
  // A 3-component vector takes the space of four.
  expect_round_trip<std::int32_t>("int3", "<i4", {1, 2, 3, 4, 5, 6, 7, 8}, 4);
}

TEST_F(RunData, a_difference_is_placed_and_gives_exit_code_1) {
  const std::vector<float> values(64, 1.5f);
  auto other = values;
  other[10] = 2;
  other[20] = 3;
  write("in.npy", npy("<f4", "(64,)", bytes_of(values)));
  write("other.npy", npy("<f4", "(64,)", bytes_of(other)));
  const std::vector<std::string> words{"run",      "-q",         "copy_float.json",
                                       "--set",    "dataset=64", "--in",
                                       "0=in.npy", "--expect",   "1=other.npy"};
  expect_refusal(kiln(words), 1,
                 "argument 1 differs from other.npy: element 10: 1.5 instead of 2, and 1 more");
  auto with_json = words;
  with_json[1] = "--json";
  const auto line = nlohmann::json::parse(kiln(with_json).output);
  EXPECT_EQ(line["status"], "failed");
  EXPECT_THAT(line["message"].get<std::string>(), HasSubstr("element 10"));
  auto tolerant = words;
  tolerant.insert(tolerant.end(), {"--rtol", "0.5"});
  EXPECT_EQ(kiln(tolerant).exit_code, 0);
}

TEST_F(RunData, files_that_cannot_be_written_are_refused_before_the_run) {
  const auto refused = [&](const std::vector<std::string>& options, const std::string& message) {
    std::vector<std::string> words{"run", "copy_float.json"};
    words.insert(words.end(), options.begin(), options.end());
    expect_refusal(kiln(words), 2, message);
  };
  for (const char* option : {"--trace", "--gantt"})
    refused({option, "nowhere/x"}, "cannot write nowhere/x: there is no folder nowhere");
  refused({"--out", "1=nowhere/x.npy"}, "--out 1: cannot write nowhere/x.npy: there is no folder");
  refused({"--out", "1=."}, "--out 1: found the folder ., expected a file");
  refused({"--trace", "x", "--gantt", "./x"},
          "--gantt: ./x is also the file of --trace, expected different files");
  refused({"--out", "0=x", "--out", "1=x"},
          "--out 1: x is also the file of --out 0, expected different files");
  EXPECT_EQ(kiln({"run", "-q", "copy_float.json", "--out", "0=/dev/null", "--out", "1=/dev/null"})
                .exit_code,
            0);
}

TEST_F(RunData, a_difference_in_a_vector_names_its_lane) {
  copy_spec("float4");
  std::vector<float> values(32, 1.5f);
  write("in.npy", npy("<f4", "(8, 4)", bytes_of(values)));
  values[4 * 5 + 2] = 2;
  write("other.npy", npy("<f4", "(8, 4)", bytes_of(values)));
  expect_refusal(kiln({"run", "-q", "copy_float4.json", "--set", "dataset=8", "--in", "0=in.npy",
                       "--expect", "1=other.npy"}),
                 1, "element 5, lane 2: 1.5 instead of 2");
}

TEST_F(RunData, a_file_that_does_not_fit_is_one_line_with_found_and_expected) {
  const std::vector<float> values(64, 1.5f);
  const auto refuse = [&](const std::string& file, const std::string& part) {
    write("in.npy", file);
    expect_refusal(kiln({"run", "copy_float.json", "--set", "dataset=64", "--in", "0=in.npy"}), 2,
                   part);
    expect_refusal(
        kiln({"run", "-q", "copy_float.json", "--set", "dataset=64", "--expect", "1=in.npy"}), 2,
        part);
  };
  refuse(npy("<f8", "(32,)", bytes_of(values)), "<f8");
  refuse(npy("<i4", "(64,)", bytes_of(values)), "<i4");
  refuse(npy("<f4", "(32,)", bytes_of(values).substr(0, 128)), "128 bytes of data; argument");
  refuse(npy("<f4", "(64,)", bytes_of(values).substr(0, 200)), "in.npy");
  refuse("no array", "in.npy");
  refuse("", "in.npy");
}

TEST_F(RunData, positions_are_checked_before_anything_runs) {
  write("in.npy", npy("<f4", "(1,)", std::string(4, '\0')));
  expect_refusal(kiln({"run", "copy_float.json", "--in", "9=in.npy"}), 2,
                 "--in 9: the kernel has arguments 0 to 1");
  expect_refusal(kiln({"run", "copy_float.json", "--out", "9=x.npy"}), 2, "--out 9");
  expect_refusal(kiln({"run", "copy_float.json", "--expect", "9=in.npy"}), 2, "--expect 9");
  expect_refusal(kiln({"run", "copy_float.json", "--in", "1=in.npy"}), 2,
                 "the spec calls this argument an output");
  expect_refusal(kiln({"run", "copy_float.json", "--in", "a=in.npy"}), 2,
                 "--in: found 'a=in.npy', expected an argument's position");
  expect_refusal(kiln({"run", "copy_float.json", "--in", "0=in.npy", "--in", "0=in.npy"}), 2,
                 "found argument 0 twice");
  expect_refusal(kiln({"run", "copy_float.json", "--in", "0=absent.npy"}), 2,
                 "cannot open absent.npy");
  expect_refusal(kiln({"run", "copy_float.json", "--in", "0=/dev/null"}), 2, "not a regular file");
}

}  // namespace
