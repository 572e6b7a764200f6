// `kiln store export, import, verify-pack, sign, key`: from one machine's store to another's.

#include <sys/stat.h>

#include "cli/run_process.hpp"

namespace {

using kiln::testing::expect_refusal;
using kiln::testing::json_lines;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::SizeIs;

class StorePacks : public kiln::testing::RunTest {
 protected:
  StorePacks() {
    set("KILN_SYSTEM_STORE", "off");
    machine("here");
  }
  /// From now on the command runs with the store of this name.
  void machine(const std::string& name) { set("KILN_STORE", (folder() / name).string()); }

  /// Two programs, each run once, in the store "here": a copy of one that was filled once.
  void fill() {
    copy_spec();
    copy_spec("int");
    static const kiln::TemporaryFolder filled = [this] {
      auto made = kiln::value_or_throw(kiln::TemporaryFolder::create("kiln-filled"));
      set("KILN_STORE", fresh_store("filled"));
      for (const char* spec : {"copy_float.json", "copy_int.json"})
        EXPECT_EQ(kiln({"run", spec}).exit_code, 0);
      forget_findings();
      std::filesystem::rename(folder() / "filled", made.path() / "store");
      machine("here");
      return made;
    }();
    std::filesystem::copy(filled.path() / "store", folder() / "here",
                          std::filesystem::copy_options::recursive);
  }
  kiln::ProcessResult good(const std::vector<std::string>& words, int code = 0) {
    auto result = kiln(words);
    EXPECT_EQ(result.exit_code, code) << words[1] << ": " << result.errors;
    return result;
  }
  /// Makes a key pair; its public half.
  std::string key(const std::string& name) {
    auto letters = good({"store", "key", name}).output;
    EXPECT_THAT(letters, MatchesRegex("[0-9a-f]{64}\n"));
    letters.pop_back();
    return letters;
  }
  void trust(const std::string& keys) {
    write("list", keys + "\n");
    std::filesystem::permissions(folder() / "list", std::filesystem::perms(0644));
    set("KILN_TRUSTED_KEYS", (folder() / "list").string());
  }
  /// What an import says of each entry.
  std::vector<std::string> outcomes(const std::string& pack, int code) {
    std::vector<std::string> found;
    for (const auto& entry : json_lines(good({"store", "import", "--json", pack}, code).output))
      found.push_back(entry["outcome"]);
    return found;
  }
  /// The layers of a run's first program, and whether each answered.
  std::string steps(const std::string& spec) {
    const auto result = good({"run", "--json", "--explain", spec});
    return kiln::testing::steps_of(result.output);
  }
  std::string read(const std::string& name) const {
    return kiln::value_or_throw(kiln::read_text(folder() / name));
  }
};

TEST_F(StorePacks, what_one_machine_compiled_starts_on_another_without_a_compiler) {
  fill();
  const auto ours = key("our.key");
  good({"store", "export", "--key", "our.key", "a.kiln"});
  machine("there");
  trust(ours + " the build farm");
  EXPECT_THAT(outcomes("a.kiln", 0), ::testing::AllOf(SizeIs(2), Each("imported")));
  set("KILN_COMPILE_HELPER", "/absent");
  EXPECT_EQ(steps("copy_float.json"), "-memory +local store +load ");
  EXPECT_EQ(steps("copy_int.json"), "-memory +local store +load ");
  const auto entries = json_lines(good({"store", "ls", "--json"}).output);
  ASSERT_THAT(entries, SizeIs(2));
  EXPECT_EQ(entries[0]["made_elsewhere"], true);
  EXPECT_EQ(entries[0]["signer"], ours);
}

TEST_F(StorePacks, what_is_not_trusted_any_more_is_not_used_any_more) {
  fill();
  good({"store", "export", "a.kiln"});
  machine("there");
  good({"store", "import", "a.kiln"});
  EXPECT_EQ(steps("copy_float.json"), "-memory +local store +load ");
  trust(key("our.key"));
  EXPECT_EQ(steps("copy_int.json"), "-memory -local store +compile +load ");
}

TEST_F(StorePacks, with_a_list_unsigned_altered_and_foreign_packs_stay_out) {
  fill();
  const auto ours = key("our.key"), strangers = key("stranger.key");
  good({"store", "export", "plain.kiln"});
  good({"store", "sign", "--key", "stranger.key", "plain.kiln", "-o", "foreign.kiln"});
  good({"store", "sign", "--key", "our.key", "plain.kiln", "-o", "good.kiln"});
  std::string altered = read("good.kiln");
  altered[altered.size() / 2] ^= 1;
  write("altered.kiln", altered);

  machine("there");
  trust(ours);
  EXPECT_THAT(outcomes("plain.kiln", 1), Each("refused"));
  EXPECT_THAT(outcomes("foreign.kiln", 1), Each("refused"));
  EXPECT_THAT(good({"store", "import", "foreign.kiln"}, 1).errors,
              HasSubstr("signed by " + strangers + ", which is not listed in"));
  expect_refusal(kiln({"store", "import", "altered.kiln"}), 2, "altered.kiln: pack, byte ");
  EXPECT_EQ(good({"store", "ls", "--json"}).output, "") << "nothing of them is stored";
  EXPECT_THAT(outcomes("good.kiln", 0), Each("imported"));
}

TEST_F(StorePacks, a_list_that_cannot_be_read_lets_nothing_in) {
  fill();
  key("our.key");
  good({"store", "export", "--key", "our.key", "a.kiln"});
  set("KILN_TRUSTED_KEYS", (folder() / "absent").string());
  machine("there");
  const auto result = good({"store", "import", "a.kiln"}, 1);
  EXPECT_THAT(result.errors, HasSubstr("nothing that was made elsewhere is used"));
  EXPECT_THAT(result.output, HasSubstr("0 imported"));
}

TEST_F(StorePacks, the_same_entries_give_the_same_bytes_on_both_machines) {
  fill();
  key("our.key");
  good({"store", "export", "--key", "our.key", "a.kiln"});
  machine("there");
  good({"store", "import", "a.kiln"});
  ASSERT_EQ(steps("copy_float.json"), "-memory +local store +load ");
  good({"store", "export", "b.kiln"});
  EXPECT_EQ(read("a.kiln"), read("b.kiln"));
  EXPECT_EQ(read("a.kiln").find(folder().string()), std::string::npos);
}

TEST_F(StorePacks, keys_kinds_and_devices_choose_what_is_exported) {
  fill();
  const auto entries = json_lines(good({"store", "ls", "--json"}).output);
  const auto first = entries[0]["key"].get<std::string>().substr(0, 12);
  const auto count = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"store", "export", "--json", "a.kiln"};
    words.insert(words.end(), more.begin(), more.end());
    return nlohmann::json::parse(good(words).output)["entries"].get<int>();
  };
  EXPECT_EQ(count({}), 2);
  EXPECT_EQ(count({first}), 1);
  EXPECT_EQ(count({"--device", "Portable Computing"}), 2);
  EXPECT_EQ(count({"--kind", "artifact"}), 2);
  std::filesystem::remove(folder() / "a.kiln");
  expect_refusal(kiln({"store", "export", "--kind", "plan", "a.kiln"}), 2, "nothing is written");
  expect_refusal(kiln({"store", "export", "--device", "no such", "a.kiln"}), 2, "no entry");
  EXPECT_FALSE(std::filesystem::exists(folder() / "a.kiln"));
}

TEST_F(StorePacks, a_dry_run_stores_nothing_and_own_entries_stay) {
  fill();
  good({"store", "export", "a.kiln"});
  EXPECT_THAT(outcomes("a.kiln", 0), Each("present"));
  machine("there");
  const auto dry = good({"store", "import", "--dry-run", "a.kiln"});
  EXPECT_EQ(dry.output,
            "a.kiln: dry run: 2 imported, 0 already there, 0 kept as they are here, 0 refused\n");
  EXPECT_FALSE(std::filesystem::exists(folder() / "there"));
  ASSERT_EQ(kiln({"run", "copy_float.json"}).exit_code, 0);
  const auto result = good({"store", "import", "a.kiln"});
  EXPECT_THAT(result.output, HasSubstr("1 imported, 0 already there, 1 kept"));
  EXPECT_THAT(result.errors, HasSubstr("(copy_float): this machine made its own"));
}

TEST_F(StorePacks, damaged_packs_do_not_stop_the_others) {
  fill();
  good({"store", "export", "a.kiln"});
  write("bad.kiln", read("a.kiln").substr(0, 5000));
  write("other.kiln", "something else");
  machine("there");
  const auto result =
      good({"store", "import", "bad.kiln", "absent.kiln", "other.kiln", "a.kiln"}, 2);
  EXPECT_THAT(result.errors, HasSubstr("kiln: bad.kiln: pack, byte "));
  EXPECT_THAT(result.errors, HasSubstr("the pack is damaged or cut short"));
  EXPECT_THAT(result.errors, HasSubstr("absent.kiln"));
  EXPECT_THAT(result.errors, HasSubstr("kiln: other.kiln: pack, byte 0, magic: not a Kiln pack"));
  EXPECT_THAT(result.output, HasSubstr("a.kiln: 2 imported"));
}

TEST_F(StorePacks, packs_go_through_pipes) {
  fill();
  set("THERE", (folder() / "there").string());
  const auto result = bash(
      "set -o pipefail; $KILN store export /dev/stdout 2>/dev/null | gzip | gzip -d | "
      "KILN_STORE=$THERE $KILN store import -");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("/dev/stdin: 2 imported"));
}

TEST_F(StorePacks, verify_pack_says_who_signed_and_who_is_trusted) {
  fill();
  const auto ours = key("our.key");
  good({"store", "export", "plain.kiln"});
  good({"store", "sign", "--key", "our.key", "plain.kiln", "-o", "signed.kiln"});
  trust(ours);
  auto entries = json_lines(good({"store", "verify-pack", "--json", "signed.kiln"}).output);
  ASSERT_THAT(entries, SizeIs(2));
  EXPECT_EQ(entries[0]["signer"], ours);
  EXPECT_EQ(entries[0]["trusted"], true);
  EXPECT_EQ(entries[0]["kind"], "artifact");
  EXPECT_EQ(entries[0]["pack"], "signed.kiln");
  entries = json_lines(good({"store", "verify-pack", "--json", "plain.kiln"}, 1).output);
  EXPECT_EQ(entries[0]["signer"], "");
  EXPECT_EQ(entries[0]["trusted"], false);
  EXPECT_EQ(entries[0]["reason"], "unsigned");
  const auto text = good({"store", "verify-pack", "signed.kiln"});
  EXPECT_THAT(text.output, HasSubstr("copy_float"));
  EXPECT_THAT(text.output, HasSubstr("signed.kiln: 2 entries, whole; 0 would be refused here"));
  EXPECT_THAT(text.output, HasSubstr("(1 trusted key in " + (folder() / "list").string() + ")"));
  set("KILN_TRUSTED_KEYS", "off");
  EXPECT_THAT(good({"store", "verify-pack", "plain.kiln"}).output,
              HasSubstr("0 would be refused here (no list of trusted keys"));
  write("bad.kiln", read("plain.kiln") + "x");
  expect_refusal(kiln({"store", "verify-pack", "bad.kiln"}), 2, "bad.kiln: pack, byte ");
}

TEST_F(StorePacks, signing_in_place_is_repeatable) {
  fill();
  key("our.key");
  good({"store", "export", "a.kiln"});
  set("KILN_SIGNING_KEY", (folder() / "our.key").string());
  EXPECT_THAT(good({"store", "sign", "a.kiln"}).errors, HasSubstr("a.kiln: 2 entries signed by"));
  const auto once = read("a.kiln");
  good({"store", "sign", "a.kiln"});
  EXPECT_EQ(read("a.kiln"), once);
  good({"store", "export", "--sign", "b.kiln"});
  EXPECT_EQ(read("b.kiln"), once);
}

TEST_F(StorePacks, sign_tells_programs_what_it_signed) {
  fill();
  const auto ours = key("our.key");
  good({"store", "export", "a.kiln"});
  const auto done = good({"store", "sign", "--json", "--key", "our.key", "a.kiln", "-o", "b.kiln"});
  const auto told = json_lines(done.output);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0],
            (nlohmann::ordered_json{{"pack", "b.kiln"}, {"entries", 2}, {"signer", ours}}));
  EXPECT_EQ(done.errors, "");
}

TEST_F(StorePacks, a_file_that_may_not_grow_so_far_is_an_error) {
  fill();
  good({"store", "export", "a.kiln"});
  const auto done = bash("ulimit -f 8; exec $KILN store export b.kiln");
  expect_refusal(done, 1, "b.kiln: File too large");
  EXPECT_FALSE(std::filesystem::exists(folder() / "b.kiln"));
  machine("there");
  const auto import = bash("ulimit -f 8; exec $KILN store import a.kiln");
  expect_refusal(import, 1, "is unusable: ");
  EXPECT_THAT(outcomes("a.kiln", 0), ::testing::AllOf(SizeIs(2), Each("imported")));
}

TEST_F(StorePacks, without_a_key_nothing_is_signed_and_the_message_helps) {
  write("a.kiln", "");
  expect_refusal(kiln({"store", "sign", "a.kiln"}), 2, "kiln store key FILE makes one");
  expect_refusal(kiln({"store", "export", "--sign", "b.kiln"}), 2, "missing signing key");
  EXPECT_FALSE(std::filesystem::exists(folder() / "b.kiln"));
  write("open.key", "kiln-signing-key-1 " + std::string(64, '0') + "\n");
  std::filesystem::permissions(folder() / "open.key", std::filesystem::perms(0644));
  expect_refusal(kiln({"store", "sign", "--key", "open.key", "a.kiln"}), 1, "chmod 600 open.key");
  key("our.key");
  expect_refusal(bash("$KILN store sign --key our.key - < a.kiln"), 2, "missing --output");
}

TEST_F(StorePacks, a_new_key_is_its_owners_and_replaces_none) {
  const auto letters = key("our.key");
  struct stat status {};
  ASSERT_EQ(::stat((folder() / "our.key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  const auto before = read("our.key");
  expect_refusal(kiln({"store", "key", "our.key"}), 2,
                 "our.key: the file exists, and is not overwritten");
  EXPECT_EQ(read("our.key"), before);
  EXPECT_EQ(good({"store", "key", "--show", "our.key"}).output, letters + "\n");
  const auto shown = json_lines(good({"store", "key", "--show", "--json", "our.key"}).output);
  EXPECT_EQ(shown.at(0)["public_key"], letters);
  expect_refusal(kiln({"store", "key", "--show", "absent"}), 2, "absent");
  EXPECT_FALSE(std::filesystem::exists(folder() / "absent"));
  key("a/new/folder/our.key");
}

TEST_F(StorePacks, a_package_in_place_of_a_pack_is_named) {
  write("a.deb", "!<arch>\ndebian-binary   ");
  for (const char* verb : {"import", "verify-pack"})
    expect_refusal(kiln({"store", verb, "a.deb"}), 2,
                   "a.deb: found a package of Debian, expected a pack");
}

TEST_F(StorePacks, a_system_store_that_is_asked_for_and_absent_is_told) {
  fill();
  const auto result = good({"run", "--system-store", "absent", "copy_float.json"});
  EXPECT_THAT(result.errors, HasSubstr("absent: no such folder, expected a system store"));
  EXPECT_EQ(good({"run", "--system-store", "off", "copy_float.json"}).errors, "");
}

class SystemPackages : public StorePacks {
 protected:
  void SetUp() override {
    if (find_program("dpkg-deb").empty()) GTEST_SKIP() << "dpkg-deb is not installed";
    fill();
  }
  /// Unpacks a package as dpkg would install it, but into a folder of this user.
  std::filesystem::path installed(const std::string& package) {
    const auto root = folder() / "root";
    EXPECT_EQ(
        program(find_program("dpkg-deb"), {"-x", (folder() / package).string(), root}).exit_code,
        0);
    return root / "usr/share/kiln/store";
  }
  std::string field(const std::string& package, const std::string& name) {
    return program(find_program("dpkg-deb"), {"-f", (folder() / package).string(), name}).output;
  }
};

TEST_F(SystemPackages, starts_the_first_run_of_a_machine_without_a_compiler) {
  good({"store", "export", "--system", "--device", "no such device", "--device", "PoCL", "a.deb"});
  const auto system = installed("a.deb");
  machine("there");
  set("KILN_SYSTEM_STORE", system.string());
  set("KILN_COMPILE_HELPER", "/absent");
  EXPECT_EQ(steps("copy_float.json"), "-memory -local store +system store +load ");
  EXPECT_EQ(steps("copy_int.json"), "-memory -local store +system store +load ");
}

TEST_F(SystemPackages, have_the_fields_and_modes_of_a_package) {
  const auto result =
      good({"store", "export", "--system", "--json", "--package", "fleet-store",
            "--package-version", "7", "--maintainer", "A Farm <farm@example.org>", "a.deb"});
  const auto told = json_lines(result.output).at(0);
  EXPECT_EQ(told["entries"], 2);
  EXPECT_EQ(told["name"], "fleet-store");
  EXPECT_EQ(field("a.deb", "Package"), "fleet-store\n");
  EXPECT_EQ(field("a.deb", "Version"), "7\n");
  EXPECT_EQ(field("a.deb", "Maintainer"), "A Farm <farm@example.org>\n");
  EXPECT_EQ(field("a.deb", "Conflicts"), "kiln-system-store\n");
  EXPECT_EQ(field("a.deb", "Architecture"), told["architecture"].get<std::string>() + "\n");
  const auto listed = program(find_program("dpkg-deb"), {"-c", (folder() / "a.deb").string()});
  EXPECT_THAT(listed.output, HasSubstr("-rw-r--r-- root/root"));
  EXPECT_THAT(listed.output, HasSubstr("./usr/share/kiln/store/store.db"));
  EXPECT_THAT(listed.output, Not(HasSubstr("store.db-")));
}

TEST_F(SystemPackages, hold_signatures_and_only_what_was_asked_for) {
  const auto ours = key("our.key");
  const auto entries = json_lines(good({"store", "ls", "--json"}).output);
  const std::string wanted = entries.at(0)["key"];
  good({"store", "export", "--system", "--key", "our.key", "a.deb", wanted.substr(0, 16)});
  const auto system = installed("a.deb");
  const auto kept = json_lines(good({"store", "ls", "--json", "--store", system.string()}).output);
  ASSERT_THAT(kept, SizeIs(1));
  EXPECT_EQ(kept[0]["key"], wanted);
  EXPECT_EQ(kept[0]["signer"], ours);
}

TEST_F(SystemPackages, are_named_in_one_line_and_written_whatever_the_scratch_folder_is_called) {
  std::filesystem::create_directory(folder() / "-x");
  set("TMPDIR", "-x");
  const auto done = good({"store", "export", "--system", "a\nb.deb"});
  EXPECT_THAT(done.errors, HasSubstr("note: a\\nb.deb: kiln-system-store "));
  EXPECT_THAT(good({"store", "export", "a\nb.kiln"}).errors, HasSubstr("note: a\\nb.kiln: "));
}

TEST_F(SystemPackages, that_cannot_be_are_refused_and_nothing_is_written) {
  const auto refused = [&](const std::vector<std::string>& words, const std::string& message) {
    std::vector<std::string> all{"store", "export"};
    all.insert(all.end(), words.begin(), words.end());
    all.push_back("a.deb");
    expect_refusal(kiln(all), 2, message);
    EXPECT_FALSE(std::filesystem::exists(folder() / "a.deb"));
  };
  refused({"--system", "--package", "Farm Store"}, "package name: found 'Farm Store'");
  refused({"--system", "--package-version", "x1"}, "package version: found 'x1'");
  refused({"--system", "--maintainer", "me"}, "package maintainer: found 'me'");
  refused({"--package", "farm"}, "--package is for packages");
  refused({}, "a.deb: a pack is no package, expected --system or another name");
  refused({"--system", "--device", "no such device"}, "no entry of the store fits");
  set("PATH", "/absent");
  refused({"--system"}, "missing program dpkg-deb");
}

}  // namespace
