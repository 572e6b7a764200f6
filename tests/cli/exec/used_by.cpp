// What a program has built, for other machines, devices and drivers: --used-by of `kiln store
// export`, `kiln store ls` and `kiln prebuild`.
#include "cli/exec/exec_process.hpp"
#include "store/pack.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* app_name = "layer_plain";

class UsedBy : public ExecTest {
 protected:
  ProcessResult ran(std::vector<std::string> words = {"one.cl", "two.cl"}) {
    auto run = exec(std::move(words));
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    return run;
  }
  std::vector<nlohmann::json> listed(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"store", "ls", "--used-by", app_name, "--json"});
    const auto list = kiln(std::move(more));
    EXPECT_EQ(list.exit_code, 0) << list.errors;
    return json_lines(list.output);
  }
  std::string listed_anything() { return kiln({"store", "ls", "--json"}).output; }
  /// Into a new store with this name.
  void import(const std::string& pack, const std::string& store) {
    use_fresh(store);
    const auto imported = kiln({"store", "import", pack});
    EXPECT_EQ(imported.exit_code, 0) << imported.errors;
  }
  void exported(const std::string& pack, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"store", "export", "--used-by", app_name, pack});
    const auto result = kiln(std::move(more));
    EXPECT_EQ(result.exit_code, 0) << result.errors;
  }
  std::size_t compiled_by_prebuild(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"prebuild", "--used-by", app_name, "--json", "--devices", "cpu"});
    const auto built = kiln(std::move(more));
    EXPECT_EQ(built.exit_code, 0) << built.errors;
    std::size_t sum = 0;
    for (const auto& line : json_lines(built.output)) {
      EXPECT_EQ(line.at("status"), "ok") << line;
      sum += line.at("compiled").get<std::size_t>();
    }
    return sum;
  }
};

TEST_F(UsedBy, lists_the_programs_their_texts_and_the_record) {
  ran();
  EXPECT_THAT(listed(), SizeIs(5));
  EXPECT_THAT(listed({"--kind", "artifact"}), SizeIs(2));
  EXPECT_THAT(listed({"--device", "no such device"}), SizeIs(3));
  // The findings of the driver are no part of it.
  EXPECT_GT(json_lines(kiln({"store", "ls", "--json"}).output).size(), 5u);
}

TEST_F(UsedBy, an_unknown_name_is_told_with_the_nearest_one) {
  expect_refusal(kiln({"store", "export", "--used-by", "app", "x.kiln"}), 2, "'app'");
  ran({"one.cl"});
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"store", "export", "--used-by", "layer_plai", "x.kiln"},
        {"store", "ls", "--used-by", "layer_plai"},
        {"prebuild", "--used-by", "layer_plai"},
        {"prebuild", "--used-by", "layer_plai", "--dry-run"}})
    expect_refusal(kiln(words), 2, "did you mean 'layer_plain'?");
  EXPECT_FALSE(std::filesystem::exists(folder() / "x.kiln"));
  expect_refusal(kiln({"store", "ls", "--used-by", app_name, "0000000000"}), 2, "no entry");
}

TEST_F(UsedBy, a_pack_starts_it_elsewhere_with_no_compiler) {
  ran();
  exported("app.kiln");
  import("app.kiln", "elsewhere");
  EXPECT_EQ(summary(explain({"one.cl", "two.cl"})), all_from_store);
}

TEST_F(UsedBy, prebuild_of_a_record_alone_starts_it_elsewhere_with_no_compiler) {
  write("inc/text.h", "#define NUMBER 2\n");
  write("three.cl",
        "#include \"text.h\"\n"
        "kernel void run(global int *a) { a[get_global_id(0)] = NUMBER; }\n");
  const std::vector<std::string> words{"-o", "-I inc -DX=1", "one.cl", "three.cl"};
  ran(words);
  exported("record.kiln", {"--kind", "record"});
  import("record.kiln", "elsewhere");
  std::filesystem::rename(folder() / "inc", folder() / "away");
  EXPECT_EQ(compiled_by_prebuild(), 2u);
  EXPECT_EQ(compiled_by_prebuild(), 0u);
  std::filesystem::rename(folder() / "away", folder() / "inc");
  set("POCL_CACHE_DIR", (folder() / "empty-cache").string());
  const auto run = explain(words);
  EXPECT_EQ(run.output, "64\n128\n");
  EXPECT_EQ(summary(run), all_from_store);
}

TEST_F(UsedBy, packs_of_two_machines_come_to_one_record) {
  ran({"one.cl"});
  exported("one.kiln", {"--kind", "record"});
  use_fresh("second");
  ran({"two.cl"});
  exported("two.kiln", {"--kind", "record"});
  // Where the program has run itself, dry and done, and where both have come from elsewhere.
  const auto dry = kiln({"store", "import", "one.kiln", "--dry-run"});
  EXPECT_THAT(dry.output, HasSubstr("2 imported, 0 already there, 0 kept"));
  EXPECT_THAT(listed({"--kind", "record"}), SizeIs(2));
  const auto imported = kiln({"store", "import", "one.kiln"});
  EXPECT_EQ(imported.output,
            "one.kiln: 2 imported, 0 already there, 0 kept as they are here, 0 refused\n");
  EXPECT_THAT(listed({"--kind", "record"}), SizeIs(3));
  EXPECT_THAT(kiln({"store", "import", "one.kiln"}).output,
              HasSubstr("0 imported, 2 already there"));
  import("one.kiln", "third");
  EXPECT_EQ(kiln({"store", "import", "two.kiln"}).exit_code, 0);
  EXPECT_EQ(compiled_by_prebuild(), 2u);
}

TEST_F(UsedBy, records_and_texts_that_are_not_what_they_should_be_are_refused) {
  ran({"one.cl"});
  exported("app.kiln", {"--kind", "record"});
  const Bytes bytes = value_or_throw(read_file(folder() / "app.kiln"));
  auto entries = value_or_throw(read_pack(bytes));
  ASSERT_THAT(entries, SizeIs(2));
  const Bytes garbage(50, std::byte{0xff});
  for (auto& entry : entries) {
    entry.content = garbage;
    entry.head.content = blake2b(garbage);
    entry.head.size = garbage.size();
  }
  value_or_throw(write_file(folder() / "bad.kiln", value_or_throw(write_pack(entries))));
  for (const char* store : {"store", "empty"}) {
    use_fresh(store);
    const auto before = listed_anything();
    const auto imported = kiln({"store", "import", "bad.kiln"});
    EXPECT_EQ(imported.exit_code, 1);
    EXPECT_THAT(imported.output,
                HasSubstr("0 imported, 0 already there, 0 kept as they are here, 2 refused"));
    EXPECT_EQ(listed_anything(), before);
  }
}

TEST_F(UsedBy, prebuild_after_a_drivers_update) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's library must be loaded before all others";
#endif
  ran();
  set("LD_PRELOAD", KILN_UNKNOWN_DRIVER);
  set("OPENCL_LAYERS", KILN_UNKNOWN_DRIVER);
  EXPECT_EQ(compiled_by_prebuild({"--pack", "new.kiln"}), 2u);
  EXPECT_EQ(compiled_by_prebuild(), 0u);
  // The layer above the one that gives the driver another version.
  set("OPENCL_LAYERS", KILN_UNKNOWN_DRIVER ":" KILN_LAYER_LIBRARY);
  set("KILN_LAYER_REPORT", (folder() / "report.jsonl").string());
  set("POCL_CACHE_DIR", (folder() / "empty-cache").string());
  import("new.kiln", "elsewhere");
  EXPECT_EQ(program(KILN_LAYER_APP, {"one.cl", "two.cl"}).output, "64\n128\n");
  for (const auto& event : json_lines(value_or_throw(read_text(folder() / "report.jsonl")))) {
    EXPECT_EQ(event.at("outcome"), "served") << event;
    for (const auto& step : event.at("steps")) {
      EXPECT_NE(step.at("layer"), "compile") << event;
      EXPECT_NE(step.at("layer"), "variant") << event;
    }
  }
}

TEST_F(UsedBy, shows_what_is_on_record_without_a_device) {
  ran({"-o", "-DX=1", "one.cl"});
  const auto shown = kiln({"prebuild", "--used-by", app_name, "--dry-run", "--json"});
  const auto lines = json_lines(shown.output);
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_EQ(lines[0].at("kernel"), "run");
  EXPECT_EQ(lines[0].at("options"), "-DX=1");
  EXPECT_EQ(lines[0].at("variants"), 1);
}

TEST_F(UsedBy, prebuild_wants_one_record) {
  expect_refusal(kiln({"prebuild"}), 2, "--used-by");
  expect_refusal(kiln({"prebuild", "--from", "x", "--used-by", "y"}), 2, "expected one of them");
  expect_refusal(kiln({"prebuild", "--from", "x", "--devices", "cpu"}), 2, "--devices");
}

TEST_F(UsedBy, programs_that_do_not_compile_here_are_told_and_the_others_are_built) {
  ran();
  const auto text = listed({"--kind", "record"});
  for (const auto& entry : text)
    if (entry.at("label") == "text of run") {
      EXPECT_EQ(kiln({"store", "rm", entry.at("key")}).exit_code, 0);
      break;
    }
  const auto built = kiln({"prebuild", "--used-by", app_name, "--devices", "cpu"});
  EXPECT_EQ(built.exit_code, 2);
  EXPECT_THAT(built.errors, HasSubstr("the program's text is not in the store"));
  EXPECT_THAT(built.errors, HasSubstr("1 program, 0 compiled now"));
}

TEST_F(UsedBy, a_script_is_known_by_its_own_name) {
  const std::string python = find_program("python3");
  if (python.empty()) GTEST_SKIP() << "python3 is not installed";
  // An OpenCL program in Python without a package for it.
  write("there/solver.py", R"(
import ctypes as c
cl = c.CDLL("libOpenCL.so.1")
for name in ("clCreateContext", "clCreateProgramWithSource"):
    getattr(cl, name).restype = c.c_void_p
platform, device = c.c_void_p(), c.c_void_p()
assert cl.clGetPlatformIDs(1, c.byref(platform), None) == 0
assert cl.clGetDeviceIDs(platform, c.c_ulong(0xFFFFFFFF), 1, c.byref(device), None) == 0
context = c.c_void_p(cl.clCreateContext(None, 1, c.byref(device), None, None, None))
text = c.c_char_p(b"kernel void run(global int *a) { a[0] = 1; }")
program = c.c_void_p(cl.clCreateProgramWithSource(context, 1, c.byref(text), None, None))
assert cl.clBuildProgram(program, 1, c.byref(device), b"", None, None) == 0
)");
  const auto run = kiln({"exec", "--", python, "-B", "there/solver.py", "one.cl"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const auto list = kiln({"store", "ls", "--used-by", "solver.py", "--json"});
  ASSERT_EQ(list.exit_code, 0) << list.errors;
  EXPECT_THAT(json_lines(list.output), SizeIs(3));
}

TEST_F(UsedBy, a_full_or_absent_store_is_no_trouble_of_the_program) {
  set("KILN_STORE", "/proc/nowhere");
  EXPECT_EQ(ran({"one.cl"}).output, "64\n");
  set("KILN_STORE", "off");
  EXPECT_EQ(ran({"one.cl"}).output, "64\n");
}

}  // namespace
}  // namespace kiln::testing
