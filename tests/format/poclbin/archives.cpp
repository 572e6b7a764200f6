#include "format/poclbin/archives.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "base/data/digest.hpp"
#include "base/os/file.hpp"
#include "test_paths.hpp"

namespace kiln::poclbin::testing {
namespace {

Bytes gunzip(const std::filesystem::path& path) {
  Bytes bytes;
  std::FILE* pipe = ::popen(("gzip -dc '" + path.string() + "'").c_str(), "r");
  if (pipe == nullptr) return bytes;
  std::byte buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe))
    append(bytes, ByteView(buffer, got));
  EXPECT_EQ(::pclose(pipe), 0) << path;
  return bytes;
}

constexpr std::string_view some_hash = "AB/CDEFGHIJKLMNOPABCDEFGHIJKLMNOPABCDEFG";

Argument pointer(std::string_view name) {
  return {.access = 0x11a3,
          .address = 0x119b,
          .type_qualifier = 3,
          .type = 1,
          .type_size = 8,
          .name = name,
          .type_name = "float*"};
}

}  // namespace

std::filesystem::path fixtures() { return std::filesystem::path(KILN_SHARED_DIR) / "data/poclbin"; }

Bytes fixture(const std::string& name) {
  const auto path = fixtures() / name;
  if (path.extension() == ".gz") return gunzip(path);
  auto bytes = read_file(path);
  EXPECT_TRUE(bytes) << path;
  return bytes.value_or(Bytes{});
}

std::vector<std::string> fixture_names(const std::string& folder, const std::string& suffix) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(fixtures() / folder))
    if (entry.path().string().ends_with(suffix))
      names.push_back(std::filesystem::relative(entry.path(), fixtures()).string());
  std::sort(names.begin(), names.end());
  return names;
}

Archive small_archive() {
  Kernel kernel{.name = "twice", .attributes = "", .metadata_flags = 31};
  kernel.arguments = {pointer("x")};
  kernel.files = {{"/twice/64-1-1-goffs0-smallgrid/twice.so", as_bytes("code")}};
  Archive archive{.device_id = device_id("pthread-example"),
                  .version = 9,
                  .flags = std::uint64_t{4} << 32,
                  .build_hash = some_hash};
  archive.root = {{{"/program.bc", as_bytes("BC\xc0\xde")}}};
  archive.kernels = {kernel};
  return archive;
}

namespace {

std::uint64_t full_flags(std::uint32_t version) {
  const std::uint64_t executable = 4;
  if (version < 3) return 0;
  if (version < 5) return 1;
  if (version < 9) return executable << 1 | 1;
  return executable << 32 | (version < 10 ? 1 : 3);
}

void add_root(Archive& archive) {
  if (archive.version < 2) archive.root.clear();
  if (archive.version < 9) return;
  archive.root.front().push_back({"/notes/of/another/driver", as_bytes("unknown root file")});
  if (archive.version < 10) return;
  archive.program_scope_bytes = 24;
  archive.root.push_back({{"/pocl.gvar.init/0-0-0/pocl.gvar.init.so", as_bytes("init")}});
}

void add_blocks(Kernel& kernel, std::uint32_t version) {
  if (version < 11) return;
  kernel.metadata_flags |= std::uint64_t{2 | 4} << 32;
  kernel.sub_groups = {8, 0};
  kernel.work_group = {4096, 8, 20, 0, 1};
  if (version < 12) return;
  kernel.metadata_flags |= std::uint64_t{8} << 32;
  kernel.required_sub_group = 8;
}

/// What only versions up to 6 have, in the place of what later ones do.
void make_old(Kernel& kernel) {
  kernel.attributes = {};
  kernel.metadata_flags = 0;
  for (Argument& argument : kernel.arguments) argument.is_set = 1;
  kernel.arguments.back().is_local = 1;
  kernel.arguments.back().type_size = 0x100000000;
}

}  // namespace

Archive full_archive(std::uint32_t version) {
  Archive archive = small_archive();
  archive.version = version;
  archive.flags = full_flags(version);
  add_root(archive);
  archive.kernels.push_back({.name = "none"});
  Kernel& first = archive.kernels.front();
  if (version >= 6) first.required_size = {64, 2, 1};
  first.local_sizes = {16, 4, 0x100000000};
  first.attributes = "__attribute__((reqd_work_group_size(64, 2, 1 )))";
  first.arguments.push_back({.access = 0x11a3, .address = 0x119e, .type_size = 4, .name = "n"});
  first.files.push_back({"/twice/0-0-0/twice.so", {}});
  add_blocks(first, version);
  if (version < 7) make_old(first);
  return archive;
}

std::vector<std::uint32_t> all_versions() {
  std::vector<std::uint32_t> versions;
  for (auto version = oldest_version; version <= newest_version; ++version)
    versions.push_back(version);
  return versions;
}

std::vector<std::string> listing(const Archive& archive) {
  std::vector<std::string> lines;
  const auto add = [&](const std::vector<File>& files) {
    for (const File& file : files)
      lines.push_back(std::string(file.path) + " " + blake2b(file.content).brief());
  };
  for (const auto& root : archive.root) add(root);
  for (const Kernel& kernel : archive.kernels) add(kernel.files);
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::string refusal(ByteView bytes) {
  const auto archive = parse(bytes);
  return archive ? "accepted" : archive.error().message();
}

}  // namespace kiln::poclbin::testing
