#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "base/os/file.hpp"
#include "format/kdb/form.hpp"
#include "format/kdb/samples.hpp"
#include "test_paths.hpp"

// The seeds of the fuzzer are made here and kept as files; KILN_WRITE_CORPUS=1 writes them anew.
namespace kiln::kdb::testing {
namespace {

namespace fs = std::filesystem;

/// A copy with four bytes changed and, where `part` says so, the sum behind them right again.
Bytes changed(Bytes bytes, std::size_t at, std::uint32_t value, std::size_t from = 0,
              std::size_t sum_at = 0, std::uint32_t (*sum)(ByteView) = nullptr) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
  if (sum != nullptr) {
    const auto fixed = sum(ByteView(bytes).subspan(from, sum_at - from));
    std::memcpy(bytes.data() + sum_at, &fixed, sizeof fixed);
  }
  return bytes;
}

std::map<std::string, Bytes> kdb_seeds() {
  std::map<std::string, Bytes> made;
  for (const Layout layout : {Layout::v3, Layout::v1, Layout::v1_wide}) {
    const std::string name(name_of(layout));
    const Bytes bytes = bytes_of(small(layout));
    made["small-" + name] = bytes;
    made["cut-" + name] = Bytes(bytes.begin(), bytes.end() - 150);
    made["wrong-sum-" + name] = changed(bytes, 100, 0x01020304);
    made["empty-" + name] = bytes_of({.layout = layout});
    made["json-" + name] = Bytes();
    append(made["json-" + name], to_json(small(layout)));
  }
  const Bytes bytes = made["small-v3"];
  const Form& form = form_of(Layout::v3);
  made["version-2"] = changed(bytes, 3, 2);
  made["no-magic"] = changed(bytes, 0, 0x44434241);
  made["huge-name"] = changed(bytes, 23, 0x7fffffff);
  made["huge-settings"] = changed(bytes, 65, 0xffffffff, 23, 69, form.pattern_sum);
  made["huge-records"] = changed(bytes, 81, 0x7fffffff, 73, 85, form.setting_sum);
  made["no-nul"] = changed(bytes, 61, 0x41414141, 23, 69, form.pattern_sum);
  made["kernel-outside"] =
      changed(made["small-v1"], 89 + 148, 0x7fffffff, 89, 89 + 168, form_of(Layout::v1).record_sum);
  Database strange = small(Layout::v3);
  strange.patterns.push_back(strange.patterns[0]);
  strange.patterns[0].settings.push_back(strange.patterns[0].settings[0]);
  strange.patterns[0].settings[0].records[0].time = 0;
  strange.patterns[0].settings[0].records[2].levels[1] = {};
  made["there-twice"] = bytes_of(strange);
  return made;
}

TEST(KdbCorpus, the_seeds_of_the_fuzzer_are_those_made_here) {
  const fs::path folder = fs::path(KILN_SOURCE_DIR) / "fuzz/corpus/format_kdb";
  const bool write_them = std::getenv("KILN_WRITE_CORPUS") != nullptr;
  if (write_them) fs::create_directories(folder);
  for (const auto& [name, bytes] : kdb_seeds()) {
    if (write_them) value_or_throw(write_file(folder / name, bytes));
    const auto kept = read_file(folder / name);
    ASSERT_TRUE(kept) << kept.error().message();
    EXPECT_TRUE(*kept == bytes) << name;
  }
}

}  // namespace
}  // namespace kiln::kdb::testing
