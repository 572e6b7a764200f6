#pragma once

#include <elf.h>

#include <string>
#include <vector>

#include "base/data/bytes.hpp"

namespace kiln::poclbin::testing {

/// Builds the smallest shared object that a loader would accept: one segment that holds all, a
/// dynamic section, symbols, and a hash table of one bucket of either kind. Fields may be changed
/// before build().
struct ElfBuilder {
  enum class Table { gnu, system_v, none };

  Elf64_Ehdr header{};
  std::vector<std::string> symbols;  ///< defined global functions
  std::uint16_t section = 1;         ///< of every symbol; 0 makes them undefined
  unsigned char binding = STB_GLOBAL;
  std::uint32_t segment_flags = PF_R | PF_X;
  Table table = Table::gnu;

  ElfBuilder() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_DYN;
    header.e_machine = EM_X86_64;
    header.e_version = EV_CURRENT;
    header.e_phoff = sizeof(Elf64_Ehdr);
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 2;
  }

  Bytes build() const {
    const std::string strings = string_table();
    const std::vector<std::uint32_t> hash = hash_table();
    const std::uint64_t dynamic_at = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr);
    const std::uint64_t symbols_at = dynamic_at + 5 * sizeof(Elf64_Dyn);
    const std::uint64_t hash_at = symbols_at + (symbols.size() + 1) * sizeof(Elf64_Sym);
    const std::uint64_t strings_at = hash_at + hash.size() * sizeof(std::uint32_t);
    const std::uint64_t end = strings_at + strings.size();

    Bytes bytes;
    append(bytes, bytes_of(header));
    append(bytes, bytes_of(Elf64_Phdr{.p_type = PT_LOAD,
                                      .p_flags = segment_flags,
                                      .p_vaddr = base,
                                      .p_filesz = end,
                                      .p_memsz = end,
                                      .p_align = 4096}));
    append(bytes, bytes_of(Elf64_Phdr{.p_type = PT_DYNAMIC,
                                      .p_flags = PF_R,
                                      .p_offset = dynamic_at,
                                      .p_vaddr = base + dynamic_at,
                                      .p_filesz = 5 * sizeof(Elf64_Dyn)}));
    const Elf64_Sxword tag = table == Table::gnu        ? DT_GNU_HASH
                             : table == Table::system_v ? DT_HASH
                                                        : DT_DEBUG;
    append_dynamic(bytes, DT_SYMTAB, base + symbols_at);
    append_dynamic(bytes, DT_STRTAB, base + strings_at);
    append_dynamic(bytes, DT_STRSZ, strings.size());
    append_dynamic(bytes, tag, base + hash_at);
    append_dynamic(bytes, DT_NULL, 0);
    append(bytes, bytes_of(Elf64_Sym{}));
    std::uint32_t name = 1;
    for (const auto& symbol : symbols) {
      append(bytes,
             bytes_of(Elf64_Sym{.st_name = name,
                                .st_info = static_cast<unsigned char>(binding << 4 | STT_FUNC),
                                .st_shndx = section,
                                .st_value = base + 16}));
      name += static_cast<std::uint32_t>(symbol.size() + 1);
    }
    for (const auto word : hash) append_le(bytes, word);
    append(bytes, strings);
    return bytes;
  }

 private:
  static constexpr std::uint64_t base = 0x10000;  // not 0, so that addresses are no offsets

  static void append_dynamic(Bytes& to, Elf64_Sxword tag, std::uint64_t value) {
    append_le(to, tag);
    append_le(to, value);
  }

  std::string string_table() const {
    std::string text(1, '\0');
    for (const auto& symbol : symbols) text += symbol + '\0';
    return text;
  }

  std::vector<std::uint32_t> hash_table() const {
    const auto count = static_cast<std::uint32_t>(symbols.size());
    if (table == Table::gnu) {
      // One bucket, the first hashed symbol, no Bloom word: then the bucket and a hash a symbol.
      std::vector<std::uint32_t> words = {1, 1, 0, 0, count > 0 ? 1u : 0u};
      for (std::uint32_t i = 0; i < count; ++i) {
        std::uint32_t hash = 5381;
        for (const char c : symbols[i]) hash = hash * 33 + static_cast<unsigned char>(c);
        words.push_back((hash & ~1u) | (i + 1 == count ? 1u : 0u));
      }
      return words;
    }
    // One bucket that chains all symbols, from the last to the first.
    std::vector<std::uint32_t> words = {1, count + 1, count};
    for (std::uint32_t i = 0; i <= count; ++i) words.push_back(i > 0 ? i - 1 : 0);
    return words;
  }
};

}  // namespace kiln::poclbin::testing
