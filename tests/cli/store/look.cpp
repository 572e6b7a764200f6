// `kiln store info, ls, show, explain`: what is kept, as people and scripts see it.

#include <cctype>

#include "cli/run_process.hpp"
#include "store/local/local_store.hpp"

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
    (void)fresh_store("store");
    std::vector<std::string> words{"run", spec};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = kiln(words);
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    forget_findings();
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
  EXPECT_THAT(entries({"--device", "Portable Computing"}), SizeIs(2));
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
  EXPECT_THAT(both.output, ::testing::StartsWith("- artifact " + first + " (copy_float)\n+ "));
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
}

TEST_F(StoreLook, so_few_letters_that_they_may_be_a_slip_are_no_key) {
  copy_spec();
  run("copy_float.json");
  const auto key = entries()[0]["key"].get<std::string>();
  for (const std::string& word : {std::string(), key.substr(0, 3), key + "0"}) {
    for (const char* verb : {"rm", "show", "explain", "ls"})
      expect_refusal(kiln({"store", verb, word}), 2, "expected the first letters of a key");
    expect_refusal(kiln({"store", "export", "a.kiln", word}), 2, "expected the first letters");
    for (const char* verb : {"push", "pull"})
      expect_refusal(kiln({"store", verb, "--shared-store", "redis://127.0.0.1:1", word}), 2,
                     "expected the first letters of a key");
  }
  EXPECT_THAT(entries(), SizeIs(1));
}

TEST_F(StoreLook, keys_may_be_given_in_capital_letters_everywhere) {
  copy_spec();
  run("copy_float.json");
  auto word = entries()[0]["key"].get<std::string>().substr(0, 12);
  for (char& letter : word) letter = static_cast<char>(std::toupper(letter));
  EXPECT_THAT(entries({word}), SizeIs(1));
  for (const char* verb : {"show", "explain"})
    EXPECT_EQ(kiln({"store", verb, word}).exit_code, 0) << verb;
  EXPECT_EQ(kiln({"store", "export", "a.kiln", word}).exit_code, 0);
  EXPECT_EQ(kiln({"store", "rm", word}).exit_code, 0);
  EXPECT_THAT(entries(), IsEmpty());
}

/// What a pack from elsewhere may bring.
TEST_F(StoreLook, stored_texts_do_not_steer_the_terminal) {
  constexpr const char* bad = "\x1b]0;owned\x07\u009b2J\nforged";
  std::vector<std::string> keys;
  {
    kiln::LocalStore store((folder() / "store").string());
    for (const char* device : {"cpu|3.0", "cpu|3.1"}) {
      kiln::CanonicalWriter writer("program");
      const kiln::Bytes canonical = writer.text(bad, bad).text("device", device).view();
      kiln::Metadata metadata{1, bad, "platform|vendor|" + std::string(bad), 1};
      metadata.options = bad;
      metadata.build_log = std::string("line\n") + bad;
      ASSERT_TRUE(store.put(kiln::Kind::artifact, kiln::key_of(canonical), canonical,
                            kiln::Bytes(20'000), metadata));
      keys.push_back(kiln::key_of(canonical).hex());
    }
  }
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(folder() / "store" / "blobs"))
    if (file.is_regular_file()) std::filesystem::resize_file(file.path(), 5);
  for (const auto& words : std::vector<std::vector<std::string>>{{"ls"},
                                                                 {"ls", "--json"},
                                                                 {"show", keys[0]},
                                                                 {"show", "--json", keys[0]},
                                                                 {"explain", keys[0]},
                                                                 {"explain", keys[0], keys[1]},
                                                                 {"verify"},
                                                                 {"export", "a.kiln"},
                                                                 {"gc", "--max-size", "0"}}) {
    std::vector<std::string> all{"store"};
    all.insert(all.end(), words.begin(), words.end());
    const auto result = kiln(all);
    const std::string text = result.output + result.errors;
    for (const char* part : {"\x1b", "\x07", "\u009b", "\nforged\n\n"})
      EXPECT_EQ(text.find(part), text.npos) << words[0];
    if (words[0] == "ls" && words.size() == 1) {
      EXPECT_THAT(text, HasSubstr("\\x1b]0;owned\\x07\\u009b2J\\nforged"));
    }
  }
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
