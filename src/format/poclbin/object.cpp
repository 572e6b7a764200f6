// As much of ELF (System V ABI, chapters 4 and 5) as it takes to answer what dlsym would, without
// dlopen: that would run the object's initialisers.
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/bytes.hpp"
#include "base/expected.hpp"
#include "format/poclbin/path.hpp"
#include "kiln/error.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::poclbin {
namespace {

/// A loadable segment: where its file bytes lie in memory.
struct Segment {
  std::uint64_t address = 0, offset = 0, size = 0;
  std::uint32_t flags = 0;  ///< PF_X 1, PF_W 2, PF_R 4
};

/// The parts of a shared object that its loader uses; views the object's bytes.
struct SharedObject {
  ByteView bytes;
  std::vector<Segment> segments;
  std::uint64_t symbols = 0, strings = 0;  ///< addresses
  std::uint64_t string_bytes = 0;
  std::optional<std::uint64_t> hash, gnu_hash;  ///< addresses of the look-up tables

  /// `size` file bytes at a memory address; empty where they are not all in one segment.
  ByteView at(std::uint64_t address, std::uint64_t size) const;
  /// Whether the symbol of that index is `name`, and is defined inside an executable segment.
  bool defines(std::uint64_t index, std::string_view name) const;
};

constexpr std::size_t most_program_headers = 64;

/// A structure of <elf.h> from unaligned bytes; empty where it does not fit.
template <class T>
std::optional<T> load(ByteView bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// What is wrong is thrown from here on.

[[noreturn]] void refuse(const std::string& reason) {
  throw Error(Errc::corrupt, "kernel object: " + reason);
}

Elf64_Ehdr read_header(ByteView bytes) {
  const auto header = load<Elf64_Ehdr>(bytes, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
    refuse("byte 0: not an ELF file");
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
    refuse("byte 4: not 64-bit little-endian");
  if (header->e_type != ET_DYN)
    refuse(fmt::format("byte 16: type {}, expected a shared object ({})", header->e_type, ET_DYN));
  if (header->e_machine != EM_X86_64 && header->e_machine != EM_AARCH64)
    refuse(fmt::format("byte 18: machine {}, expected x86-64 ({}) or AArch64 ({})",
                       header->e_machine, EM_X86_64, EM_AARCH64));
  if (header->e_phentsize != sizeof(Elf64_Phdr))
    refuse(fmt::format("byte 54: program headers of {} bytes, expected {}", header->e_phentsize,
                       sizeof(Elf64_Phdr)));
  return *header;
}

std::vector<Elf64_Phdr> read_program_headers(ByteView bytes, const Elf64_Ehdr& header) {
  std::vector<Elf64_Phdr> found;
  // A linker makes about ten; the bound keeps look-ups in a hostile file short.
  if (header.e_phnum > most_program_headers)
    refuse(fmt::format("byte 56: {} program headers, at most {} are read", header.e_phnum,
                       most_program_headers));
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    // No sum here may wrap: e_phoff is the file's.
    const auto program = header.e_phoff <= bytes.size()
                             ? load<Elf64_Phdr>(bytes, header.e_phoff + i * sizeof(Elf64_Phdr))
                             : std::nullopt;
    if (!program) refuse(fmt::format("program header {} is outside the file", i));
    if (program->p_offset > bytes.size() || bytes.size() - program->p_offset < program->p_filesz)
      refuse(fmt::format("segment {} ends beyond the file's {} bytes", i, bytes.size()));
    found.push_back(*program);
  }
  return found;
}

/// The addresses and sizes that the loader takes from the dynamic section.
void read_dynamic(ByteView section, SharedObject& into) {
  for (std::uint64_t offset = 0;; offset += sizeof(Elf64_Dyn)) {
    const auto entry = load<Elf64_Dyn>(section, offset);
    if (!entry || entry->d_tag == DT_NULL) return;
    switch (entry->d_tag) {
      case DT_SYMTAB:
        into.symbols = entry->d_un.d_ptr;
        break;
      case DT_STRTAB:
        into.strings = entry->d_un.d_ptr;
        break;
      case DT_STRSZ:
        into.string_bytes = entry->d_un.d_val;
        break;
      case DT_HASH:
        into.hash = entry->d_un.d_ptr;
        break;
      case DT_GNU_HASH:
        into.gnu_hash = entry->d_un.d_ptr;
        break;
      default:
        break;
    }
  }
}

ByteView SharedObject::at(std::uint64_t address, std::uint64_t size) const {
  for (const Segment& segment : segments) {
    if (address < segment.address || address - segment.address > segment.size) continue;
    const std::uint64_t within = address - segment.address;
    if (segment.size - within < size) continue;
    return bytes.subspan(segment.offset + within, size);
  }
  return {};
}

/// Reads headers, segments and the dynamic section; everything lies inside the bytes.
SharedObject read_shared_object(ByteView bytes) {
  SharedObject object;
  object.bytes = bytes;
  ByteView dynamic;
  for (const Elf64_Phdr& program : read_program_headers(bytes, read_header(bytes))) {
    if (program.p_type == PT_LOAD)
      object.segments.push_back(
          {program.p_vaddr, program.p_offset, program.p_filesz, program.p_flags});
    if (program.p_type == PT_DYNAMIC) dynamic = bytes.subspan(program.p_offset, program.p_filesz);
  }
  if (dynamic.empty()) refuse("there is no dynamic section");
  read_dynamic(dynamic, object);
  return object;
}

/// The 32-bit word of that index in a table of the object; empty where it lies outside.
std::optional<std::uint32_t> word(const SharedObject& object, std::uint64_t table,
                                  std::uint64_t index) {
  if (index > object.bytes.size()) return std::nullopt;  // also keeps the product from wrapping
  const ByteView bytes = object.at(table + index * sizeof(std::uint32_t), sizeof(std::uint32_t));
  if (bytes.empty()) return std::nullopt;
  return load_le<std::uint32_t>(bytes.data());
}

std::uint32_t gnu_hash_of(std::string_view name) {
  std::uint32_t hash = 5381;
  for (const char letter : name) hash = hash * 33 + static_cast<unsigned char>(letter);
  return hash;
}

/// The hash of the System V ABI, chapter 5.
std::uint32_t sysv_hash_of(std::string_view name) {
  std::uint32_t hash = 0;
  for (const char letter : name) {
    hash = (hash << 4) + static_cast<unsigned char>(letter);
    hash ^= (hash & 0xf0000000u) >> 24;
    hash &= 0x0fffffffu;
  }
  return hash;
}

/// GNU's table: bucket count, first hashed symbol, Bloom words (64 bits each), Bloom shift; then
/// the Bloom filter, the buckets, and one hash a symbol whose lowest bit ends a chain. The filter
/// only saves time and is passed over.
bool in_gnu_table(const SharedObject& object, std::uint64_t table, std::string_view name) {
  const auto buckets = word(object, table, 0);
  const auto first = word(object, table, 1);
  const auto bloom = word(object, table, 2);
  if (!buckets || !first || !bloom || *buckets == 0) return false;
  const std::uint32_t hash = gnu_hash_of(name);
  const std::uint64_t bucket_start = 4 + 2 * std::uint64_t{*bloom};
  const auto start = word(object, table, bucket_start + hash % *buckets);
  if (!start || *start < *first) return false;
  for (std::uint64_t index = *start;; ++index) {
    const auto chained = word(object, table, bucket_start + *buckets + (index - *first));
    if (!chained) return false;
    if ((*chained | 1) == (hash | 1) && object.defines(index, name)) return true;
    if ((*chained & 1) != 0) return false;
  }
}

/// The System V table: bucket count, chain count, buckets, chains.
bool in_table(const SharedObject& object, std::uint64_t table, std::string_view name) {
  const auto buckets = word(object, table, 0);
  const auto chains = word(object, table, 1);
  if (!buckets || !chains || *buckets == 0) return false;
  auto index = word(object, table, 2 + sysv_hash_of(name) % *buckets);
  // A damaged chain may go in circles: no more steps than the file has room for links.
  const std::size_t most = std::min<std::size_t>(*chains, object.bytes.size() / 4);
  for (std::size_t step = 0; step < most && index && *index != STN_UNDEF; ++step) {
    if (object.defines(*index, name)) return true;
    index = word(object, table, 2 + std::uint64_t{*buckets} + *index);
  }
  return false;
}

bool SharedObject::defines(std::uint64_t index, std::string_view name) const {
  if (index > bytes.size()) return false;
  const ByteView entry = at(symbols + index * sizeof(Elf64_Sym), sizeof(Elf64_Sym));
  if (entry.empty()) return false;
  Elf64_Sym symbol;
  std::memcpy(&symbol, entry.data(), sizeof symbol);
  if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) return false;
  if (symbol.st_name > string_bytes || string_bytes - symbol.st_name <= name.size()) return false;
  const std::string_view text = as_text(at(strings + symbol.st_name, name.size() + 1));
  if (text.size() <= name.size() || text.substr(0, name.size()) != name || text.back() != '\0')
    return false;
  for (const Segment& segment : segments)
    if ((segment.flags & PF_X) != 0 && symbol.st_value >= segment.address &&
        symbol.st_value - segment.address < segment.size)
      return true;
  return false;
}

/// Looks a dynamic symbol up by the object's own hash table, as the loader does.
bool has_function(const SharedObject& object, std::string_view name) {
  // Where both tables are there, glibc's loader uses GNU's.
  if (object.gnu_hash) return in_gnu_table(object, *object.gnu_hash, name);
  return object.hash && in_table(object, *object.hash, name);
}

/// Whether PoCL would load the file: "/FOLDER/VARIANT/FOLDER.so", or with the kernel's own name.
bool is_object(std::string_view path, std::string_view kernel) {
  const std::string_view folder = first_component(path);
  const std::size_t name = path.rfind('/') + 1;
  if (name <= folder.size() + 2 || path.find('/', folder.size() + 2) != name - 1) return false;
  std::string_view stem = path.substr(name);
  if (!stem.ends_with(".so")) return false;
  stem.remove_suffix(3);
  return stem == folder || stem == kernel;
}

}  // namespace

Expected<void> check_object(ByteView elf, std::string_view kernel) {
  return expected_from([&] {
    const std::string symbol = "_pocl_kernel_" + std::string(kernel) + "_workgroup";
    if (!has_function(read_shared_object(elf), symbol))
      refuse("the function " + symbol + " is not defined");
  });
}

std::vector<ObjectProblem> object_problems(const Archive& archive, ByteView bytes) {
  std::vector<ObjectProblem> problems;
  for (const Kernel& kernel : archive.kernels)
    for (const File& file : kernel.files) {
      if (!is_object(file.path, kernel.name)) continue;
      if (const auto checked = check_object(file.content, kernel.name); !checked)
        problems.push_back({file.path,
                            static_cast<std::uint64_t>(file.content.data() - bytes.data()),
                            checked.error().message()});
    }
  return problems;
}

}  // namespace kiln::poclbin
