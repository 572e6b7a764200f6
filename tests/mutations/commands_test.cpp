// Commands on files that were changed at random: whatever a file holds, the command ends by itself,
// with one of its exit codes. See mutations/trials.hpp for how many, and how to try one again.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <fstream>

#include "base/data/bytes.hpp"
#include "base/os/file.hpp"
#include "base/os/process.hpp"
#include "device/device.hpp"
#include "kernel/calls/recorded_call.hpp"
#include "kiln/formats/kdb.hpp"
#include "mutations/trials.hpp"
#include "store/local/local_store.hpp"
#include "store/support.hpp"
#include "test_paths.hpp"

namespace kiln::mutations {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

constexpr const char* shared_data = KILN_SHARED_DIR "/data";

/// A command with this and that in turn, by the input's number: text and JSON, most of all.
Words with(Words words, std::uint64_t number, const std::vector<Words>& in_turn) {
  const Words& more = in_turn[number % in_turn.size()];
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Bytes unpacked(const fs::path& file) {
  Bytes bytes;
  const gzFile stream = ::gzopen(file.c_str(), "rb");
  std::byte part[4096];
  for (int size = 0; (size = ::gzread(stream, part, sizeof part)) > 0;)
    bytes.insert(bytes.end(), part, part + size);
  ::gzclose(stream);
  return bytes;
}

std::vector<Seed> packed_files_in(const fs::path& folder, std::size_t most) {
  std::vector<Seed> seeds;
  for (const Seed& packed : files_below(folder)) {
    if (!packed.name.ends_with(".gz")) continue;
    Bytes bytes = unpacked(packed.name);
    if (bytes.size() <= most) seeds.push_back({packed.name, std::move(bytes)});
  }
  return seeds;
}

/// A test whose commands have a home of their own, with no settings but what the test sets. The
/// child processes that run the commands inherit it.
class Mutations : public ::testing::Test {
 protected:
  Mutations() {
    for (const char* name : {"HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME",
                             "XDG_CONFIG_HOME", "XDG_DATA_HOME"})
      set(name, folder().string());
    set("KILN_MESH_PROGRAM", (folder() / "none").string());
    set("KILN_STORE", (folder() / "store").string());
    set("TERM", "dumb");
  }
  const fs::path& folder() const { return folder_.path(); }
  static void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }
  std::string write(const std::string& name, std::string_view text) const {
    value_or_throw(write_file(folder() / name, as_bytes(text)));
    return (folder() / name).string();
  }
  /// Runs the real program, for seeds.
  void kiln(Words words) const {
    ProcessRequest request;
    request.program = KILN_COMMAND;
    request.arguments = std::move(words);
    request.folder = folder();
    const auto result = value_or_throw(run_process(request));
    ASSERT_EQ(result.exit_code, 0) << result.errors;
  }
  /// A kernel with an input and an output of 16 floats.
  std::string copy_spec() const {
    write("copy.cl",
          "kernel void copy(global const float *a, global float *b) "
          "{ b[get_global_id(0)] = a[get_global_id(0)]; }\n");
    return write("copy.json", R"({"name": "copy", "src": "copy.cl", "workDimension": 1,
  "partition": 10, "globalWorkSize": "[16]",
  "inputBuffers": [{"pos": 0, "type": "float", "size": "16", "break": 1}],
  "outputBuffers": [{"pos": 1, "type": "float", "size": "16", "break": 1}]})");
  }

 private:
  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-mutations", "/dev/shm"));
};

/// Small databases with tuned records, in each layout.
std::vector<Seed> tuned_databases() {
  kdb::Record record;
  record.levels[0] = {16, 64, 16, 64, 2};
  record.levels[1] = {2, 8, 2, 8, 2};
  record.granularity = {{8, 8}, 2, 64, {}, 4096};
  record.time = 1.5;
  kdb::Database database;
  for (const char* const name : {"Cached global memory based block gemm",
                                 "Cached global memory based block trsm", "another"})
    database.patterns.push_back({.name = name, .settings = {{0, 0x10, {record, record}}}});
  std::vector<Seed> seeds;
  for (const kdb::Layout layout : {kdb::Layout::v3, kdb::Layout::v1, kdb::Layout::v1_wide}) {
    const auto converted = value_or_throw(kdb::convert(database, layout)).database;
    seeds.push_back({std::string(kdb::name_of(layout)), value_or_throw(kdb::write(converted))});
  }
  return seeds;
}

TEST_F(Mutations, kdb_verify) {
  std::vector<Seed> seeds = corpus("format_kdb") + often(tuned_databases());
  seeds.push_back({"complete", value_or_throw(kdb::write(kdb::complete({}).database))});
  expect_endings({.name = "kdb-verify",
                  .seeds = seeds,
                  .words = [](std::uint64_t number, const std::string& file) {
                    return with({"kdb", "verify", file}, number, {{}, {"--json"}, {"--quiet"}});
                  }});
}

TEST_F(Mutations, kdb_views) {
  const std::vector<Words> views{
      {"kdb", "info"}, {"kdb", "dump"}, {"kdb", "dump", "--json"}, {"kdb", "dump", "--tuned"}};
  expect_endings({.name = "kdb-views",
                  .seeds = corpus("format_kdb") + often(tuned_databases()),
                  .words = [&](std::uint64_t number, const std::string& file) {
                    return with(views[number % views.size()], 0, {{file}});
                  }});
}

TEST_F(Mutations, poclbin_verify) {
  const fs::path folder = fs::path(shared_data) / "poclbin";
  expect_endings(
      {.name = "poclbin-verify",
       .seeds = corpus("format_poclbin") + files_below(folder / "hostile") +
                often(files_below(folder / "synthetic") + packed_files_in(folder, 1 << 17)),
       .words = [](std::uint64_t number, const std::string& file) {
         return with({"poclbin", "verify", file}, number,
                     {{}, {"--json"}, {"--objects"}, {"--objects", "--json"}});
       }});
}

TEST_F(Mutations, poclbin_views) {
  const std::vector<Words> views{{"poclbin", "info"},
                                 {"poclbin", "info", "--json"},
                                 {"poclbin", "ls"},
                                 {"poclbin", "ls", "--json"}};
  expect_endings(
      {.name = "poclbin-views",
       .seeds = corpus("format_poclbin") + files_below(fs::path(shared_data) / "poclbin"),
       .words = [&](std::uint64_t number, const std::string& file) {
         return with(views[number % views.size()], 0, {{file}});
       }});
}

/// A store with entries in rows and in files, whose database or one of whose files is replaced.
TEST_F(Mutations, store_verify) {
  const fs::path store = folder() / "store", whole = folder() / "whole";
  {
    LocalStore made(store.string());
    for (int number = 0; number < 6; ++number) {
      const kiln::testing::Sample sample(number);
      const auto size = number % 2 == 0 ? 100u : LocalStore::largest_inline + 100u;
      value_or_throw(made.put(static_cast<Kind>(1 + number % 3), sample.key, sample.canonical,
                              kiln::testing::content_of(number, 0, size), {}));
    }
  }
  fs::rename(store, whole);
  const auto files = files_below(whole, 1 << 20);
  ASSERT_GE(files.size(), 4u);
  // The database is the first of two seeds in three, so that most inputs are databases.
  std::vector<Seed> seeds;
  for (const Seed& file : files)
    if (file.name.ends_with(".db")) seeds.insert(seeds.end(), 2 * files.size(), file);
  ASSERT_FALSE(seeds.empty());
  const std::string database = seeds.front().name;
  const auto place = [&](const Bytes& input, std::uint64_t number) {
    std::error_code ignored;
    fs::remove_all(store, ignored);
    fs::copy(whole, store, fs::copy_options::recursive);
    const std::string& name = number % 8 == 7 ? files[number / 8 % files.size()].name : database;
    value_or_throw(write_file(store / fs::relative(name, whole), input));
  };
  expect_endings({.name = "store-verify",
                  .seeds = seeds + files,
                  .words =
                      [](std::uint64_t number, const std::string&) {
                        return with({"store"}, number,
                                    {{"verify"},
                                     {"verify", "--json"},
                                     {"verify", "--repair"},
                                     {"ls"},
                                     {"ls", "--json"},
                                     {"verify"},
                                     {"info"}});
                      },
                  .place = place});
}

TEST_F(Mutations, store_verify_pack) {
  expect_endings({.name = "store-verify-pack",
                  .seeds = corpus("store_pack") + corpus("store_entry"),
                  .words = [](std::uint64_t number, const std::string& file) {
                    return with({"store", "verify-pack", file}, number, {{}, {"--json"}});
                  }});
}

/// A measured space of 80 configurations as other tuners write it.
std::string measured_space(int best) {
  std::string text =
      R"({"device_name": "a device", "kernel_name": "a", "tune_params_keys": ["X", "Y"],
 "tune_params": {"X": [)";
  for (int x = 1; x <= 40; ++x) text += (x == 1 ? "" : ", ") + std::to_string(x);
  text += R"(], "Y": [0, 1]}, "cache": {)";
  for (int x = 1; x <= 40; ++x)
    for (int y = 0; y < 2; ++y) {
      const std::string time =
          x == 7 ? "\"RuntimeFailedConfig\"" : std::to_string(10 + (x - best) * (x - best) - y);
      text += (x == 1 && y == 0 ? "\"" : ", \"") + std::to_string(x) + "," + std::to_string(y) +
              R"(": {"X": )" + std::to_string(x) + R"(, "Y": )" + std::to_string(y) +
              R"(, "time": )" + time + "}";
    }
  return text + "}}";
}

TEST_F(Mutations, tune_replay) {
  std::vector<Seed> seeds = corpus("tune_measured_space");
  for (const int best : {20, 33}) {
    const std::string text = measured_space(best);
    seeds.push_back({"space", Bytes(as_bytes(text).begin(), as_bytes(text).end())});
  }
  const std::string other = write("other.json", measured_space(21));
  const std::vector<Words> strategies{{"--strategy", "random", "--json"},
                                      {"--strategy", "annealing"},
                                      {"--strategy", "genetic"},
                                      {"--strategy", "iterated-local", "--from", other},
                                      {"--strategy", "multi-start"},
                                      {"--strategy", "exhaustive", "--within", "0"},
                                      {"--strategy", "forest"}};
  expect_endings({.name = "tune-replay",
                  .seeds = seeds,
                  .form = Form::text,
                  .words = [&](std::uint64_t number, const std::string& file) {
                    return with({"tune", "--replay", file, "--seeds", "1"}, number, strategies);
                  }});
}

TEST_F(Mutations, journals) {
  const std::string page = (folder() / "out").string();
  const std::vector<Words> views{{"tuned", "report", "-o", page},
                                 {"tuned", "export", "--format", "json"},
                                 {"tuned", "export", "--format", "csv"},
                                 {"tuned", "export", "--format", "t4"},
                                 {"tuned", "export", "--format", "sqlite", "-o", page}};
  expect_endings({.name = "journals",
                  .seeds = corpus("tune_journal"),
                  .form = Form::text,
                  .words =
                      [&](std::uint64_t number, const std::string& file) {
                        return with(views[number % views.size()], 0, {{file}});
                      },
                  .prepare = [=] { fs::remove(page); }});
}

TEST_F(Mutations, check) {
  expect_endings({.name = "check",
                  .seeds = corpus("spec_load") +
                           often(files_below(fs::path(KILN_SOURCE_DIR) / "examples/specs")) +
                           often(files_below(fs::path(shared_data) / "pyschedcl-specs")),
                  .form = Form::text,
                  .words = [](std::uint64_t number, const std::string& file) {
                    return with({"check", file}, number,
                                {{}, {"--json"}, {"--set", "dataset=64"}, {"--quiet"}});
                  }});
}

/// SPIR-V modules that a right file names.
TEST_F(Mutations, check_modules) {
  const auto example = fs::path(KILN_SOURCE_DIR) / "examples/spirv/scale_tiles.json";
  const auto spec = write("scale_tiles.json", value_or_throw(read_text(example)));
  const auto place = [module = folder() / "scale_tiles.spv"](const Bytes& input, std::uint64_t) {
    value_or_throw(write_file(module, input));
  };
  expect_endings({.name = "check-modules",
                  .seeds = corpus("format_spirv") + often(corpus("format_spirv")),
                  .words =
                      [spec](std::uint64_t number, const std::string&) {
                        return with({"check", spec}, number, {{}, {"--json"}});
                      },
                  .place = place});
}

/// Calls of each kind that this device can have had.
class CallMutations : public Mutations {
 protected:
  std::vector<Seed> seeds() {
    const auto record = [&](const std::string& name) {
      return Seed{name, value_or_throw(read_file(folder() / name))};
    };
    in_child([&] {
      std::string lines;
      for (const char* const routine : {"gemm", "trsm", "gemv", "axpy"}) {
        RecordedCall call;
        call.kind = "blas", call.name = "s" + std::string(routine);
        call.facts = {{"routine", std::string(routine)},
                      {"precision", std::string("s")},
                      {"m", std::int64_t{8}},
                      {"n", std::int64_t{8}},
                      {"k", std::int64_t{8}},
                      {"stride_a", std::int64_t{8}},
                      {"stride_b", std::int64_t{8}},
                      {"stride_c", std::int64_t{8}}};
        call.devices = {RecordedDevice::of(*value_or_throw(select_devices("cpu")).front())};
        call.flops = 1024, call.count = 3;
        lines += recorded_line(identity_line(call), call);
      }
      write("blas.jsonl", lines);
    });
    kiln({"record", "--calls", "spec.jsonl", "--", KILN_COMMAND, "run", copy_spec()});
    return corpus("kernel_calls") +
           std::vector{record("blas.jsonl"), record("blas.jsonl"), record("spec.jsonl")};
  }
};

TEST_F(CallMutations, prebuild) {
  expect_endings({.name = "prebuild",
                  .seeds = seeds(),
                  .form = Form::text,
                  .words = [](std::uint64_t number, const std::string& file) {
                    return with({"prebuild", "--from", file}, number,
                                {{"--dry-run"}, {"--dry-run", "--json"}});
                  }});
}

TEST_F(CallMutations, prebuild_with_a_device) {
  expect_endings({.name = "prebuild-device",
                  .seeds = seeds(),
                  .form = Form::text,
                  .words =
                      [](std::uint64_t number, const std::string& file) {
                        return with({"prebuild", "--from", file}, number, {{}, {"--json"}});
                      },
                  .batch = 100,
                  .few = 20,
                  .many = 2000});
}

TEST_F(CallMutations, tune_from_calls) {
  expect_endings(
      {.name = "tune-from",
       .seeds = seeds(),
       .form = Form::text,
       .words =
           [](std::uint64_t number, const std::string& file) {
             return with({"tune", "--from", file, "--dry-run"}, number, {{}, {"--json"}});
           },
       .batch = 100,
       .few = 50,
       .many = 10'000});
}

/// Arrays for a kernel: of its input's type and size, and others.
TEST_F(Mutations, run_with_arrays) {
  const std::string spec = copy_spec();
  std::string array("\x93NUMPY\x01\x00\x76\x00", 10);
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (16,), }";
  header.resize(0x75, ' ');
  array += header + "\n" + std::string(64, '\1');
  kiln({"run", spec});  // compiles it once for all
  expect_endings({.name = "run-arrays",
                  .seeds = corpus("format_npy") +
                           std::vector<Seed>(
                               8, {"a.npy", Bytes(as_bytes(array).begin(), as_bytes(array).end())}),
                  .words =
                      [&](std::uint64_t number, const std::string& file) {
                        return with({"run", spec}, number,
                                    {{"--in", "0=" + file},
                                     {"--expect", "1=" + file, "--json"},
                                     {"--in", "0=" + file, "--json"}});
                      },
                  .batch = 100,
                  .few = 60,
                  .many = 20'000});
}

/// Tuning problems. Only those that are refused end soon; of the others each candidate is compiled,
/// by processes of the real program.
TEST_F(Mutations, tune_problems) {
  const fs::path example = fs::path(KILN_SOURCE_DIR) / "examples/tuning";
  fs::copy(example / "matmul_blocked.cl", folder() / "matmul_blocked.cl");
  std::string problem = value_or_throw(read_text(example / "matmul_blocked.json"));
  for (auto at = problem.find("256"); at != problem.npos; at = problem.find("256", at))
    problem.replace(at, 3, "32");
  const std::string file = (folder() / "problem.json").string();
  const std::string journal = (folder() / "journal").string();
  set("KILN_STORE", "off");
  expect_endings(
      {.name = "tune-problems",
       .seeds = corpus("spec_t1") +
                std::vector<Seed>(
                    6, {"matmul", Bytes(as_bytes(problem).begin(), as_bytes(problem).end())}),
       .form = Form::text,
       .words =
           [&](std::uint64_t, const std::string&) {
             return Words{"tune",        file, "--evaluations", "1",     "--budget",   "5s",
                          "--jobs",      "1",  "--journal",     journal, "--strategy", "random",
                          "--hang-time", "20s"};
           },
       .place =
           [&](const Bytes& input, std::uint64_t) {
             std::error_code ignored;
             fs::remove(journal, ignored);
             value_or_throw(write_file(file, input));
           },
       .batch = 20,
       .few = 3,
       .many = 500});
}

}  // namespace
}  // namespace kiln::mutations
