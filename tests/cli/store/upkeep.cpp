// `kiln store verify, gc, rm, clear`, and the size that a store keeps to.

#include "cli/run_process.hpp"
#include "store/local/local_store.hpp"

namespace {

using kiln::testing::expect_refusal;
using kiln::testing::json_lines;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class StoreUpkeep : public kiln::testing::RunTest {
 protected:
  /// Each test has a copy of a store that was filled once.
  StoreUpkeep() {
    for (const char* type : types) copy_spec(type);
    static const kiln::TemporaryFolder filled = [this] {
      auto made = kiln::value_or_throw(kiln::TemporaryFolder::create("kiln-filled"));
      set("KILN_STORE", fresh_store("filled"));
      for (const char* type : types) {
        const auto result = kiln({"run", std::string("copy_") + type + ".json"});
        EXPECT_EQ(result.exit_code, 0) << result.errors;
      }
      forget_findings();
      std::filesystem::rename(folder() / "filled", made.path() / "store");
      return made;
    }();
    std::filesystem::copy(filled.path() / "store", folder() / "store",
                          std::filesystem::copy_options::recursive);
    set("KILN_STORE", (folder() / "store").string());
  }
  static constexpr const char* types[] = {"float", "int", "char"};

  std::vector<nlohmann::json> entries() {
    return json_lines(kiln({"store", "ls", "--json"}).output);
  }
  std::filesystem::path a_blob() const {
    for (const auto& file :
         std::filesystem::recursive_directory_iterator(folder() / "store" / "blobs"))
      if (file.is_regular_file()) return file.path();
    return {};
  }
  void flip_a_byte_of(const std::filesystem::path& path) const {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(1000);
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(1000);
    file.put(byte);
  }
};

TEST_F(StoreUpkeep, verify_says_that_all_is_whole) {
  const auto result = kiln({"store", "verify"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("3 entries"));
  EXPECT_THAT(result.output, HasSubstr("all whole"));
}

TEST_F(StoreUpkeep, verify_finds_a_flipped_bit_and_repair_removes_the_entry) {
  flip_a_byte_of(a_blob());
  const auto found = kiln({"store", "verify"});
  EXPECT_EQ(found.exit_code, 1);
  EXPECT_THAT(found.output, HasSubstr("checksum differs"));
  const auto mended = kiln({"store", "verify", "--repair", "--json"});
  EXPECT_EQ(mended.exit_code, 0) << mended.output;
  EXPECT_EQ(kiln({"store", "verify"}).exit_code, 0);
  EXPECT_THAT(entries(), SizeIs(2));
}

TEST_F(StoreUpkeep, a_damaged_entry_costs_a_compile_and_nothing_else) {
  flip_a_byte_of(a_blob());
  for (const char* type : {"float", "int", "char"}) {
    const auto result = kiln({"run", std::string("copy_") + type + ".json"});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
  }
  EXPECT_EQ(kiln({"store", "verify"}).exit_code, 0);
}

TEST_F(StoreUpkeep, gc_reaches_the_size_and_a_dry_run_changes_nothing) {
  const auto plan =
      json_lines(kiln({"store", "gc", "--max-size", "70k", "--dry-run", "--json"}).output)[0];
  EXPECT_THAT(entries(), SizeIs(3));
  const auto done = json_lines(kiln({"store", "gc", "--max-size", "70k", "--json"}).output)[0];
  EXPECT_EQ(plan["evicted"], done["evicted"]);
  EXPECT_EQ(done["evicted"], 3 - static_cast<int>(entries().size()));
  EXPECT_LE(done["bytes_after"].get<int>(), 70'000);
}

TEST_F(StoreUpkeep, gc_takes_entries_of_an_older_driver_first) {
  // As it will be after an upgrade: the same device, with another driver version.
  const auto driver = entries()[0]["fingerprint"].get<std::string>();
  const auto cut = driver.rfind('|', driver.rfind('|') - 1);
  const auto older = driver.substr(0, cut + 1) + "0.1" + driver.substr(driver.rfind('|'));
  kiln::LocalStore store((folder() / "store").string());
  kiln::CanonicalWriter writer("program");
  const kiln::Bytes canonical = writer.text("device", older).view();
  ASSERT_TRUE(store.put(kiln::Kind::artifact, kiln::key_of(canonical), canonical, kiln::Bytes(100),
                        {1, "old", older, 1000}));
  const auto report = json_lines(kiln({"store", "gc", "--json"}).output)[0];
  EXPECT_EQ(report["stale"], 1);
  EXPECT_THAT(entries(), SizeIs(3));
}

TEST_F(StoreUpkeep, rm_removes_what_is_named_and_nothing_where_one_name_is_wrong) {
  const auto key = entries()[0]["key"].get<std::string>();
  EXPECT_EQ(kiln({"store", "rm", key, "0000000000000000"}).exit_code, 2);
  EXPECT_THAT(entries(), SizeIs(3));
  EXPECT_EQ(kiln({"store", "rm", key.substr(0, 12)}).exit_code, 0);
  EXPECT_THAT(entries(), SizeIs(2));
}

TEST_F(StoreUpkeep, clear_leaves_no_entry_and_no_file) {
  EXPECT_THAT(kiln({"store", "clear", "--kind", "plan"}).output, HasSubstr("removed 0 entries"));
  EXPECT_THAT(entries(), SizeIs(3));
  EXPECT_THAT(kiln({"store", "clear"}).output, HasSubstr("removed 3 entries"));
  EXPECT_THAT(entries(), IsEmpty());
  EXPECT_TRUE(a_blob().empty());
  EXPECT_EQ(kiln({"run", "copy_float.json"}).exit_code, 0);
}

TEST_F(StoreUpkeep, a_store_with_a_size_keeps_to_it) {
  set("KILN_STORE_SIZE", "120k");
  spec("twice",
       "kernel void twice(global const float *a, global float *b) "
       "{ b[get_global_id(0)] = 2 * a[get_global_id(0)]; }\n");
  EXPECT_EQ(kiln({"run", "twice.json"}).exit_code, 0);
  const auto info = json_lines(kiln({"store", "info", "--json"}).output)[0];
  EXPECT_LE(info["bytes"].get<int>(), 120'000);
  EXPECT_EQ(info["limit"], 120'000);
  set("KILN_STORE_SIZE", "");
  expect_refusal(kiln({"run", "twice.json", "--store-size", "12 parsecs"}), 2,
                 "found '12 parsecs', expected a number of bytes");
}

int count(const std::string& text, std::string_view what) {
  int found = 0;
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST_F(StoreUpkeep, a_size_that_is_none_is_said_once) {
  const auto key = entries()[0]["key"].get<std::string>();
  set("KILN_STORE_SIZE", "12 parsecs");
  const auto run = kiln({"run", "copy_float.json"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(count(run.errors, "12 parsecs"), 1) << run.errors;
  // Commands without that option go on with the usual size.
  const auto explained = kiln({"store", "explain", key});
  EXPECT_EQ(explained.exit_code, 0);
  EXPECT_EQ(count(explained.errors, "12 parsecs"), 1) << explained.errors;
}

TEST_F(StoreUpkeep, a_bad_entry_is_warned_of_once) {
  kiln::LocalStore store((folder() / "store").string());
  const auto key = entries()[0]["key"].get<std::string>();
  kiln::Key place;
  ASSERT_TRUE(kiln::parse_digest(key, place.digest));
  const auto canonical = value_or_throw(store.canonical_of(kiln::Kind::artifact, place));
  auto metadata = value_or_throw(store.info(kiln::Kind::artifact, place)).metadata;
  ASSERT_TRUE(
      store.put(kiln::Kind::artifact, place, canonical, kiln::as_bytes("no artifact"), metadata));
  const auto result = kiln({"run", metadata.label + ".json"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("is not used: "));
  EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
}

TEST_F(StoreUpkeep, a_store_that_cannot_be_used_is_one_line) {
  write("file", "no folder");
  for (const char* verb : {"ls", "verify", "gc", "clear", "info"})
    expect_refusal(kiln({"store", verb, "--store", (folder() / "file").string()}), 1,
                   "file is unusable: ");
}

TEST_F(StoreUpkeep, a_flag_that_is_neither_on_nor_off_is_one_line) {
  expect_refusal(kiln({"store", "verify", "--repair=maybe"}), 2,
                 "store verify: --repair: found 'maybe', expected true or false");
  EXPECT_EQ(kiln({"store", "verify", "--repair=off"}).exit_code, 0);
}

TEST_F(StoreUpkeep, without_a_local_store_the_commands_say_so) {
  for (const char* verb : {"ls", "verify", "gc", "clear"})
    expect_refusal(kiln({"store", verb, "--store", "off"}), 2, "no local store");
}

}  // namespace
