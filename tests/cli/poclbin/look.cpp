#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/poclbin/support.hpp"
#include "test_paths.hpp"

namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class PoclbinLook : public kiln::testing::PoclbinTest {
 protected:
  PoclbinLook() {
    write_archive("a.poclbin", archive());
    write_wiki("w.poclbin", wiki_archive());
  }
};

TEST_F(PoclbinLook, info_shows_device_kernels_and_variants) {
  const auto result = kiln({"poclbin", "info", "a.poclbin"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("a.poclbin: PoCL's layout, version 9, "));
  EXPECT_THAT(result.output, HasSubstr("written by     PoCL 3.1\n"));
  EXPECT_THAT(result.output, HasSubstr("device id      0x45ae85fb563b2126\n"));
  EXPECT_THAT(result.output, HasSubstr("flags          executable, denormals are kept\n"));
  EXPECT_THAT(result.output, HasSubstr("root file      /program.bc, 4 bytes\n"));
  EXPECT_THAT(result.output, HasSubstr("kernel twice(float* x, int n"));
  EXPECT_THAT(result.output, HasSubstr("variants       generic, 64-1-1-goffs0-smallgrid\n"));
}

TEST_F(PoclbinLook, info_says_which_layout_it_found) {
  EXPECT_THAT(kiln({"poclbin", "info", "w.poclbin"}).output,
              HasSubstr("w.poclbin: the wiki's layout, version 1, "));
}

TEST_F(PoclbinLook, info_as_json_has_all_but_contents) {
  const auto result = kiln({"poclbin", "info", "--json", "a.poclbin", "w.poclbin"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const auto end = result.output.find('\n');
  const Json real = Json::parse(result.output.substr(0, end));
  EXPECT_EQ(real["layout"], "pocl");
  EXPECT_EQ(real["version"], 9);
  EXPECT_EQ(real["build_hash"], hash);
  EXPECT_EQ(real["kernels"][0]["arguments"][0]["name"], "x");
  EXPECT_EQ(real["kernels"][0]["arguments"][1]["name"], (Json{{"hex", "6eff"}}));
  EXPECT_EQ(Json::parse(result.output.substr(end))["layout"], "wiki-v1");
}

TEST_F(PoclbinLook, control_bytes_of_names_do_not_reach_the_terminal) {
  auto made = archive();
  made.kernels[0].arguments[0].name = "\x1b[2J";
  write_archive("b.poclbin", made);
  EXPECT_THAT(kiln({"poclbin", "info", "b.poclbin"}).output, HasSubstr("float* \\x1b[2J"));
}

TEST_F(PoclbinLook, ls_lists_sizes_offsets_and_paths) {
  const auto result = kiln({"poclbin", "ls", "a.poclbin"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("    4     104  /program.bc\n"));
  EXPECT_THAT(result.output, HasSubstr("/twice/64-1-1-goffs0-smallgrid/twice.so\n"));
  const auto json = kiln({"poclbin", "ls", "--json", "w.poclbin"});
  EXPECT_EQ(Json::parse(json.output.substr(0, json.output.find('\n'))),
            (Json{{"path", "program.bc"}, {"bytes", 2}, {"offset", 67}, {"kernel", nullptr}}));
}

TEST_F(PoclbinLook, verify_accepts_both_layouts) {
  const auto result = kiln({"poclbin", "verify", "a.poclbin", "w.poclbin"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output,
            "a.poclbin: ok; PoCL's layout, version 9, 1 kernel, 3 files\n"
            "w.poclbin: ok; the wiki's layout, version 1, 0 kernels, 2 files\n");
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(kiln({"poclbin", "verify", "-q", "a.poclbin"}).output, "");
}

TEST_F(PoclbinLook, verify_names_byte_and_reason) {
  const auto whole = read("a.poclbin");
  write("cut.poclbin", std::string(kiln::as_text(whole)).substr(0, 200));
  const auto result = kiln({"poclbin", "verify", "cut.poclbin", "a.poclbin"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors,
              HasSubstr("kiln: cut.poclbin: program archive, byte 128, struct_size"));
  EXPECT_THAT(result.output, HasSubstr("a.poclbin: ok"));  // one bad file does not hide the others
  const auto json = kiln({"poclbin", "verify", "--json", "cut.poclbin"});
  EXPECT_EQ(json.exit_code, 2);
  EXPECT_EQ(Json::parse(json.output)["ok"], false);
}

TEST_F(PoclbinLook, an_object_that_cannot_be_loaded_is_a_warning_or_an_error) {
  auto made = archive();
  made.kernels[0].files[1].content = kiln::as_bytes("rubbish");
  write_archive("b.poclbin", made);
  const auto mild = kiln({"poclbin", "verify", "b.poclbin"});
  EXPECT_EQ(mild.exit_code, 0);
  EXPECT_THAT(mild.errors, HasSubstr("kiln: warning: b.poclbin: byte "));
  EXPECT_THAT(mild.errors, HasSubstr("/twice/0-0-0/twice.so: kernel object: byte 0: not an ELF"));
  EXPECT_THAT(mild.output, HasSubstr("b.poclbin: ok, 1 warning; "));
  const auto strict = kiln({"poclbin", "verify", "--objects", "b.poclbin"});
  EXPECT_EQ(strict.exit_code, 2);
  EXPECT_THAT(strict.errors, Not(HasSubstr("warning")));
  const Json json = Json::parse(kiln({"poclbin", "verify", "--json", "b.poclbin"}).output);
  EXPECT_EQ(json["objects"][0]["path"], "/twice/0-0-0/twice.so");
}

TEST_F(PoclbinLook, verify_holds_the_archive_against_a_device_string) {
  const auto verify = [&](const std::string& text, const std::string& file) {
    return kiln({"poclbin", "verify", "--device-string", text, file});
  };
  EXPECT_EQ(verify("pthread-example", "a.poclbin").exit_code, 0);
  const auto other = verify("pthread-other", "a.poclbin");
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.errors, HasSubstr("byte 8, device id: found 0x45ae85fb563b2126"));
  EXPECT_EQ(verify("pthread-example", "w.poclbin").exit_code, 2);
}

TEST_F(PoclbinLook, diff_says_whether_it_is_the_same_code) {
  auto made = archive();
  made.root[0][0].content = kiln::as_bytes("BC of another day");
  write_archive("b.poclbin", made);
  const auto same = kiln({"poclbin", "diff", "a.poclbin", "b.poclbin"});
  EXPECT_EQ(same.exit_code, 0);
  EXPECT_EQ(same.output, "not code: /program.bc differs (4 and 17 bytes)\nthe same code\n");
  made.kernels[0].files.pop_back();
  write_archive("c.poclbin", made);
  const auto other = kiln({"poclbin", "diff", "a.poclbin", "c.poclbin"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.output, HasSubstr("/twice/0-0-0/twice.so is in the first only\n"));
  EXPECT_THAT(other.output, HasSubstr("different code\n"));
  EXPECT_EQ(kiln({"poclbin", "diff", "-q", "a.poclbin", "c.poclbin"}).output, "");
  const auto json = kiln({"poclbin", "diff", "--json", "a.poclbin", "c.poclbin"});
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_EQ(Json::parse(json.output)["same_code"], false);
}

TEST_F(PoclbinLook, diff_compares_files_across_the_layouts) {
  ASSERT_EQ(kiln({"poclbin", "convert", "--to", "wiki-v1", "a.poclbin", "-o", "b"}).exit_code, 0);
  const auto result = kiln({"poclbin", "diff", "a.poclbin", "b"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("the layouts differ: only files are compared"));
  EXPECT_EQ(kiln({"poclbin", "diff", "w.poclbin", "b"}).exit_code, 1);
}

TEST_F(PoclbinLook, verify_loads_no_opencl_library) {
  set("LD_DEBUG", "files");
  set("LD_DEBUG_OUTPUT", (folder() / "loads").string());
  ASSERT_EQ(kiln({"poclbin", "verify", "a.poclbin"}).exit_code, 0);
  std::size_t logs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("loads.")) continue;
    ++logs;
    const auto log = kiln::value_or_throw(kiln::read_text(entry.path()));
    EXPECT_THAT(log, HasSubstr("libc.so"));
    EXPECT_THAT(log, Not(HasSubstr("OpenCL")));
    EXPECT_THAT(log, Not(HasSubstr("pocl.so")));
  }
  EXPECT_EQ(logs, 1u);
}

TEST_F(PoclbinLook, hostile_archives_are_refused) {
  const std::filesystem::path fixtures = KILN_SHARED_DIR "/data/poclbin/hostile";
  if (!std::filesystem::exists(fixtures)) GTEST_SKIP() << fixtures << " is absent";
  std::size_t refused = 0;
  for (const auto& entry : std::filesystem::directory_iterator(fixtures)) {
    const std::string name = entry.path().filename().string();
    // 12 is made for another device, which only a device's string can show; 20 has no kernel.
    const bool sound = name.starts_with("00") || name.starts_with("12") || name.starts_with("20");
    const auto result = kiln({"poclbin", "verify", "-q", entry.path().string()});
    EXPECT_EQ(result.exit_code, sound ? 0 : 2) << name << result.errors;
    if (sound) continue;
    ++refused;
    kiln::testing::expect_refusal(result, 2, "program archive, byte ");
  }
  EXPECT_EQ(refused, 54u);
  const auto other = kiln({"poclbin", "verify", "-q", "--device-string",
                           "pthread-x86_64-pc-linux-gnu-skylake-avx512",
                           (fixtures / "12-other-device.poclbin").string()});
  EXPECT_EQ(other.exit_code, 2);
}

}  // namespace
