#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "base/data/bytes.hpp"
#include "base/os/file.hpp"
#include "format/poclbin/archives.hpp"
#include "format/poclbin/elf_builder.hpp"
#include "kiln/formats/poclbin.hpp"
#include "test_paths.hpp"

// The seeds of the fuzzers are made here and kept as files; KILN_WRITE_CORPUS=1 writes them anew.
// They are what strangers' archives may do, in our own form: one field of a sound one is wrong.
namespace kiln::poclbin::testing {
namespace {

namespace fs = std::filesystem;
using Seeds = std::map<std::string, Bytes>;

template <class T>
Bytes with(std::size_t at, T value) {
  Bytes bytes = write(small_archive());
  std::memcpy(bytes.data() + at, &value, sizeof value);
  return bytes;
}

void add_versions(Seeds& to) {
  for (const auto version : all_versions())
    to[fmt::format("full-{:02}", version)] = write(full_archive(version));
  to["small-9"] = write(small_archive());
}

void add_cuts(Seeds& to) {
  const Bytes bytes = write(small_archive());
  for (const std::size_t size : {0, 7, 8, 40, 77, 100, 150, 200, 270})
    to[fmt::format("cut-{:03}", size)] =
        Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
  to["longer"] = bytes;
  to["longer"].push_back(std::byte{0xa5});
}

void add_numbers(Seeds& to) {
  constexpr std::uint32_t most = 0xffffffff;
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  for (const std::uint32_t version : {0u, 8u, 13u, most})
    to[fmt::format("version-{}", version)] = with(Offset::version, version);
  for (const std::uint32_t count : {0u, 2u, most}) {
    to[fmt::format("kernels-{}", count)] = with(Offset::kernel_count, count);
    to[fmt::format("roots-{}", count)] = with(Offset::root_count, count);
  }
  to["flags-unknown"] = with(Offset::flags, std::uint64_t{1} << 40);
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{24}, half}) {
    to[fmt::format("root-size-{}", size)] = with(Offset::root, size);
    to[fmt::format("struct-size-{}", size)] = with(Offset::kernel, size);
    to[fmt::format("binaries-size-{}", size)] = with(Offset::kernel + 8, size);
  }
  to["struct-size-wraps"] = with(Offset::kernel, ~std::uint64_t{0} - Offset::kernel + 1);
  to["arginfo-size"] = with(Offset::kernel + 16, std::uint32_t{7});
  for (const std::size_t at : {Offset::root + 8, Offset::root + 23, Offset::kernel + 20,
                               Offset::kernel + 29, Offset::kernel + 33, Offset::kernel + 97})
    to[fmt::format("length-at-{}", at)] = with(at, most);
  to["hash-zero"] = with(Offset::hash, std::array<char, 41>{});
  to["hash-parent"] = with(Offset::hash, std::array<char, 3>{'.', '.', '/'});
  to["hash-endless"] = with(Offset::hash + 40, 'A');
  to["no-magic"] = with(6, 'm');
}

void add_paths(Seeds& to) {
  int number = 0;
  for (const std::string& path :
       {std::string("/../../../escaped"), std::string("-sibling"), std::string("/twice/../../x"),
        std::string("/twice/a\0b", 10), std::string("//etc/x"), "/" + std::string(1000, 'a'),
        std::string("/twice/64-1-1-goffs0-smallgrid"), std::string("\\..\\x"),
        std::string("/\x1b[2J\n\xff"), std::string("/other/0-0-0/other.so")}) {
    Archive archive = small_archive();
    archive.kernels[0].files.push_back({path, as_bytes("x")});
    to[fmt::format("path-{}", number++)] = write(archive);
  }
  Archive archive = small_archive();
  archive.kernels.push_back(archive.kernels[0]);
  to["kernel-twice"] = write(archive);
  archive = small_archive();
  archive.kernels[0].name = "../../x";
  to["kernel-parent"] = write(archive);
  archive.kernels.clear();
  to["no-kernel"] = write(archive);
}

void add_objects(Seeds& to) {
  for (const auto table : {ElfBuilder::Table::gnu, ElfBuilder::Table::system_v}) {
    ElfBuilder elf;
    elf.table = table;
    elf.symbols = {"_pocl_kernel_k_workgroup", "_pocl_kernel_twice_workgroup"};
    const Bytes object = elf.build();
    const std::string name = table == ElfBuilder::Table::gnu ? "gnu" : "system-v";
    to["object-" + name] = object;
    Archive archive = small_archive();
    archive.kernels[0].files[0].content = object;
    to["with-object-" + name] = write(archive);
  }
}

void add_wiki(Seeds& to) {
  wiki::Archive archive;
  to["wiki-empty"] = wiki::write(archive);
  archive.base = "AB/cd";
  archive.files = {{"program.bc", as_bytes("BC")}, {"k/64-1-1/k.so", {}}};
  to["wiki"] = wiki::write(archive);
  archive.files[0].path = "../x";
  to["wiki-parent"] = wiki::write(archive);
  Bytes cut = to["wiki"];
  cut.resize(30);
  to["wiki-cut"] = cut;
}

Seeds seeds() {
  Seeds made;
  for (const auto add : {add_versions, add_cuts, add_numbers, add_paths, add_objects, add_wiki})
    add(made);
  return made;
}

/// For the fuzzer that makes models: bytes to make them of.
Seeds model_seeds() {
  Seeds made;
  for (unsigned version = 0; version < 12; ++version)
    for (const unsigned step : {1u, 7u, 31u}) {
      Bytes bytes;
      for (unsigned i = 0; i < 200; ++i)
        bytes.push_back(static_cast<std::byte>(version + i * step));
      made[fmt::format("v{:02}-{}", version + 1, step)] = bytes;
    }
  return made;
}

void compare_with_files(const Seeds& made, const std::string& name) {
  const fs::path folder = fs::path(KILN_SOURCE_DIR) / "fuzz/corpus" / name;
  const bool write_them = std::getenv("KILN_WRITE_CORPUS") != nullptr;
  if (write_them) fs::create_directories(folder);
  for (const auto& [file, bytes] : made) {
    if (write_them) value_or_throw(write_file(folder / file, bytes));
    const auto kept = read_file(folder / file);
    ASSERT_TRUE(kept) << kept.error().message();
    EXPECT_TRUE(*kept == bytes) << file;
  }
}

TEST(PoclbinCorpus, the_seeds_of_the_fuzzers_are_those_made_here) {
  compare_with_files(seeds(), "format_poclbin");
  compare_with_files(model_seeds(), "format_poclbin_write");
}

TEST(PoclbinCorpus, both_accepted_and_refused_archives_are_among_them) {
  std::size_t accepted = 0, refused = 0;
  for (const auto& [name, bytes] : seeds()) ++(verify(bytes) ? accepted : refused);
  EXPECT_GE(accepted, 15u);
  EXPECT_GE(refused, 45u);
}

}  // namespace
}  // namespace kiln::poclbin::testing
