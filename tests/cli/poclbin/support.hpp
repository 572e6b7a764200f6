#pragma once

#include <gmock/gmock.h>

#include <deque>

#include "base/data/bytes.hpp"
#include "cli/command_process.hpp"
#include "format/poclbin/elf_builder.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::testing {

/// Archives to run the command on, written by the library.
class PoclbinTest : public CommandTest {
 protected:
  static constexpr std::string_view hash = "AB/CDEFGHIJKLMNOPABCDEFGHIJKLMNOPABCDEFG";

  static poclbin::Archive archive() {
    static const Bytes object = [] {
      poclbin::testing::ElfBuilder elf;
      elf.symbols = {"_pocl_kernel_twice_workgroup"};
      return elf.build();
    }();
    poclbin::Kernel kernel{.name = "twice"};
    kernel.metadata_flags = 31;
    kernel.arguments = {
        {0x11a3, 0x119b, 3, 1, 8, "x", "float*"},
        {0x11a3, 0x119e, 0, 0, 4, "n\xff", "int"},  // no UTF-8, and nothing forbids it
    };
    kernel.files = {{"/twice/64-1-1-goffs0-smallgrid/twice.so", object},
                    {"/twice/0-0-0/twice.so", object}};
    poclbin::Archive made{.device_id = poclbin::device_id("pthread-example")};
    made.flags = std::uint64_t{4} << 32;
    made.build_hash = hash;
    made.root = {{{"/program.bc", as_bytes("BC\xc0\xde")}}};
    made.kernels = {kernel};
    return made;
  }

  static poclbin::wiki::Archive wiki_archive() {
    poclbin::wiki::Archive made;
    made.base = hash;
    made.files = {{"program.bc", as_bytes("BC")}, {"twice/8-1-1/twice.so", as_bytes("code")}};
    return made;
  }

  void write_archive(const std::string& name, const poclbin::Archive& made) const {
    write(name, std::string(as_text(poclbin::write(made))));
  }
  void write_wiki(const std::string& name, const poclbin::wiki::Archive& made) const {
    write(name, std::string(as_text(poclbin::wiki::write(made))));
  }

  Bytes read(const std::string& name) const { return value_or_throw(read_file(folder() / name)); }

  /// The model of a file; its bytes are kept.
  poclbin::Archive parsed(const std::string& name) {
    bytes_.push_back(read(name));
    return value_or_throw(poclbin::parse(bytes_.back()));
  }

  /// How many entries the test's folder has: no command may leave a file behind.
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder()),
                                                  std::filesystem::directory_iterator()));
  }

 private:
  std::deque<Bytes> bytes_;
};

}  // namespace kiln::testing
