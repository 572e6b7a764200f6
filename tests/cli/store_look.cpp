// `kiln store info, ls, show, explain`: what is kept, as people and scripts see it.

#include "run_process.hpp"

namespace {

using kiln::testing::expect_refusal;
using kiln::testing::json_lines;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class StoreLook : public kiln::testing::RunTest {
 protected:
  StoreLook() {
    set("KILN_STORE", (folder() / "store").string());
    set("KILN_SYSTEM_STORE", "off");
  }
  void run(const std::string& spec, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"run", spec};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = kiln(words);
    ASSERT_EQ(result.exit_code, 0) << result.errors;
  }
  std::vector<nlohmann::json> entries(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"store", "ls", "--json"});
    const auto result = kiln(more);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return json_lines(result.output);
  }
};

TEST_F(StoreLook, an_empty_store_lists_nothing_and_is_not_made) {
  EXPECT_THAT(entries(), IsEmpty());
  EXPECT_EQ(kiln({"store", "info"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder() / "store"));
}

TEST_F(StoreLook, a_run_leaves_an_entry_with_what_it_is_made_of_and_its_cost) {
  copy_spec();
  run("copy_float.json");
  const auto all = entries();
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0]["kind"], "artifact");
  EXPECT_EQ(all[0]["label"], "copy_float");
  EXPECT_GT(all[0]["cost_seconds"].get<double>(), 0.001);
  EXPECT_EQ(all[0]["hits"], 0);
  EXPECT_EQ(all[0]["last_used"], "");
  EXPECT_EQ(all[0]["source"].get<std::string>().size(), 64u);
  EXPECT_EQ(all[0]["made_elsewhere"], false);
  EXPECT_THAT(all[0]["fingerprint"].get<std::string>(), HasSubstr("Portable Computing Language"));
  EXPECT_THAT(all[0]["created"].get<std::string>(), ::testing::StartsWith("20"));
}

TEST_F(StoreLook, every_process_that_uses_an_entry_counts_and_looking_at_it_does_not) {
  copy_spec();
  for (int i = 0; i < 3; ++i) run("copy_float.json");
  const auto key = entries()[0]["key"].get<std::string>();
  for (const char* verb : {"show", "explain"}) EXPECT_EQ(kiln({"store", verb, key}).exit_code, 0);
  EXPECT_EQ(kiln({"store", "verify"}).exit_code, 0);
  const auto all = entries();
  EXPECT_EQ(all[0]["hits"], 2);
  EXPECT_NE(all[0]["last_used"], "");
}

TEST_F(StoreLook, warnings_of_the_compiler_are_kept_without_folders) {
  spec("warned",
       "kernel void warned(global const float *a, global float *b) {\n"
       "#warning \"look here\"\n  b[get_global_id(0)] = a[get_global_id(0)];\n}\n");
  run("warned.json");
  const auto all = entries();
  const auto log = all[0]["build_log"].get<std::string>();
  EXPECT_THAT(log, HasSubstr("look here"));
  EXPECT_THAT(log, Not(HasSubstr(folder().string())));
  const auto shown = kiln({"store", "show", all[0]["key"].get<std::string>()});
  EXPECT_THAT(shown.output, HasSubstr("look here"));
}

TEST_F(StoreLook, ls_takes_kinds_devices_and_keys_and_sorts) {
  copy_spec("float");
  copy_spec("int");
  run("copy_float.json");
  run("copy_int.json");
  run("copy_int.json");
  const auto all = entries();
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_LT(all[0]["key"], all[1]["key"]);
  EXPECT_THAT(entries({"--kind", "plan"}), IsEmpty());
  EXPECT_THAT(entries({"--device", "no such device"}), IsEmpty());
  EXPECT_THAT(entries({"--device", "pthread"}), SizeIs(2));
  EXPECT_THAT(entries({all[0]["key"].get<std::string>()}), ElementsAre(all[0]));
  EXPECT_EQ(entries({"--sort", "hits"})[0]["label"], "copy_int");
  const auto text = kiln({"store", "ls"}).output;
  EXPECT_THAT(text, HasSubstr("copy_int"));
  EXPECT_THAT(text, HasSubstr("last used"));
}

TEST_F(StoreLook, show_prints_the_facts_of_the_key_and_writes_the_content) {
  copy_spec();
  run("copy_float.json");
  const auto key = entries()[0]["key"].get<std::string>();
  const auto shown = kiln({"store", "show", key.substr(0, 8), "--content", "artifact"});
  EXPECT_EQ(shown.exit_code, 0) << shown.errors;
  EXPECT_THAT(shown.output, HasSubstr(key));
  EXPECT_THAT(shown.output, HasSubstr("source length"));
  EXPECT_EQ(std::filesystem::file_size(folder() / "artifact"), entries()[0]["size"]);
}

TEST_F(StoreLook, explain_names_the_layers_and_what_changed_since_the_nearest_entry) {
  copy_spec();
  run("copy_float.json");
  const auto first = entries()[0]["key"].get<std::string>();
  write("copy_float.cl", value_or_throw(kiln::read_text(folder() / "copy_float.cl")) + "// more\n");
  run("copy_float.json");
  const auto second = entries({"--sort", "created"});
  const auto other = second[0]["key"] == first ? second[1]["key"] : second[0]["key"];
  const auto told = kiln({"store", "explain", other.get<std::string>()});
  EXPECT_THAT(told.output, HasSubstr("local store   hit"));
  EXPECT_THAT(told.output, HasSubstr(first.substr(0, 16)));
  EXPECT_THAT(told.output, HasSubstr("+ source length"));
  const auto both = kiln({"store", "explain", first, other.get<std::string>()});
  EXPECT_THAT(both.output, HasSubstr("- source"));
  EXPECT_THAT(both.output, Not(HasSubstr("options")));
}

TEST_F(StoreLook, a_key_that_names_no_entry_or_several_is_one_line) {
  copy_spec("float");
  copy_spec("int");
  run("copy_float.json");
  run("copy_int.json");
  const auto all = entries();
  expect_refusal(kiln({"store", "show", "xyz"}), 2, "found 'xyz', expected the first letters");
  const std::string absent(64, '0');
  expect_refusal(kiln({"store", "show", absent}), 2, "no entry's key begins with");
  const auto both = kiln({"store", "rm", ""});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.errors, HasSubstr("several keys begin with"));
  EXPECT_THAT(entries(), SizeIs(2));
}

TEST_F(StoreLook, info_tells_the_layers_their_origins_and_hides_a_password) {
  copy_spec();
  run("copy_float.json");
  const auto text = kiln({"store", "info"});
  EXPECT_EQ(text.exit_code, 0) << text.errors;
  EXPECT_THAT(text.output, HasSubstr((folder() / "store").string() + " (KILN_STORE)"));
  EXPECT_THAT(text.output, HasSubstr("programs 1, "));
  const auto report = json_lines(kiln({"store", "info", "--json"}).output)[0];
  EXPECT_EQ(report["artifacts"]["entries"], 1);
  EXPECT_GT(report["bytes"].get<int>(), 10'000);
  EXPECT_EQ(report["limit"].get<std::int64_t>(), 5'000'000'000);
  set("KILN_SHARED_STORE", "redis://:secret@127.0.0.1:1/0");
  const auto hidden = kiln({"store", "info"});
  EXPECT_THAT(hidden.output, Not(HasSubstr("secret")));
  EXPECT_THAT(hidden.output, HasSubstr("127.0.0.1:1/0"));
}

}  // namespace
