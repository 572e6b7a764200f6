#include "format/poclbin/elf.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>

namespace kiln::poclbin {
namespace {

constexpr std::size_t most_program_headers = 64;

/// A structure of <elf.h> from unaligned bytes; empty where it does not fit.
template <class T>
std::optional<T> load(ByteView bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

tl::unexpected<Error> refuse(std::string reason) {
  return fail(Errc::corrupt, "kernel object: " + std::move(reason));
}

Expected<Elf64_Ehdr> read_header(ByteView bytes) {
  const auto header = load<Elf64_Ehdr>(bytes, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
    return refuse("byte 0: not an ELF file");
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
    return refuse("byte 4: not 64-bit little-endian");
  if (header->e_type != ET_DYN)
    return refuse(
        fmt::format("byte 16: type {}, expected a shared object ({})", header->e_type, ET_DYN));
  if (header->e_machine != EM_X86_64 && header->e_machine != EM_AARCH64)
    return refuse(fmt::format("byte 18: machine {}, expected x86-64 ({}) or AArch64 ({})",
                              header->e_machine, EM_X86_64, EM_AARCH64));
  if (header->e_phentsize != sizeof(Elf64_Phdr))
    return refuse(fmt::format("byte 54: program headers of {} bytes, expected {}",
                              header->e_phentsize, sizeof(Elf64_Phdr)));
  return *header;
}

Expected<std::vector<Elf64_Phdr>> read_program_headers(ByteView bytes, const Elf64_Ehdr& header) {
  std::vector<Elf64_Phdr> found;
  // A linker makes about ten; the bound keeps look-ups in a hostile file short.
  if (header.e_phnum > most_program_headers)
    return refuse(fmt::format("byte 56: {} program headers, at most {} are read", header.e_phnum,
                              most_program_headers));
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    // No sum here may wrap: e_phoff is the file's.
    const auto program = header.e_phoff <= bytes.size()
                             ? load<Elf64_Phdr>(bytes, header.e_phoff + i * sizeof(Elf64_Phdr))
                             : std::nullopt;
    if (!program) return refuse(fmt::format("program header {} is outside the file", i));
    if (program->p_offset > bytes.size() || bytes.size() - program->p_offset < program->p_filesz)
      return refuse(fmt::format("segment {} ends beyond the file's {} bytes", i, bytes.size()));
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

}  // namespace

ByteView SharedObject::at(std::uint64_t address, std::uint64_t size) const {
  for (const Segment& segment : segments) {
    if (address < segment.address || address - segment.address > segment.size) continue;
    const std::uint64_t within = address - segment.address;
    if (segment.size - within < size) continue;
    return bytes.subspan(segment.offset + within, size);
  }
  return {};
}

Expected<SharedObject> read_shared_object(ByteView bytes) {
  const auto header = read_header(bytes);
  if (!header) return tl::unexpected(header.error());
  const auto programs = read_program_headers(bytes, *header);
  if (!programs) return tl::unexpected(programs.error());
  SharedObject object;
  object.bytes = bytes;
  ByteView dynamic;
  for (const Elf64_Phdr& program : *programs) {
    if (program.p_type == PT_LOAD)
      object.segments.push_back(
          {program.p_vaddr, program.p_offset, program.p_filesz, program.p_flags});
    if (program.p_type == PT_DYNAMIC) dynamic = bytes.subspan(program.p_offset, program.p_filesz);
  }
  if (dynamic.empty()) return refuse("there is no dynamic section");
  read_dynamic(dynamic, object);
  return object;
}

}  // namespace kiln::poclbin
