#include "kernel/apart/stubs.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/expected.hpp"
#include "base/os/file.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::apart {

namespace fs = std::filesystem;

// Layout of an object: ELF header, three program headers (one writable LOAD over
// everything, since the loader relocates the dynamic section in place, DYNAMIC, and GNU_STACK:
// where that is absent, loaders take it that the stack must be executable, which glibc refuses from
// 2.41 on), hash table, symbol table, string table, dynamic section. System V ABI, chapters 4, 5.

namespace {

#if defined(__x86_64__)
constexpr Elf64_Half machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half machine = EM_AARCH64;
#else
#error "PoCL's stub objects are known for x86-64 and AArch64"
#endif

constexpr std::size_t align8(std::size_t value) { return (value + 7) & ~std::size_t{7}; }

template <class T>
void place(Bytes& bytes, std::size_t at, const T& value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

}  // namespace

Bytes stub_object(std::string_view kernel) {
  const std::string symbol = "_pocl_kernel_" + std::string(kernel) + "_workgroup";
  constexpr std::size_t hash_at = align8(sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Phdr));
  constexpr std::size_t symbols_at = align8(hash_at + 5 * sizeof(Elf64_Word));
  constexpr std::size_t strings_at = symbols_at + 2 * sizeof(Elf64_Sym);
  const std::size_t strings_size = 1 + symbol.size() + 1;
  const std::size_t dynamic_at = align8(strings_at + strings_size);
  const Elf64_Dyn dynamic[] = {
      {DT_HASH, {hash_at}},       {DT_SYMTAB, {symbols_at}},        {DT_STRTAB, {strings_at}},
      {DT_STRSZ, {strings_size}}, {DT_SYMENT, {sizeof(Elf64_Sym)}}, {DT_NULL, {0}}};
  const std::size_t size = dynamic_at + sizeof dynamic;
  Bytes bytes(size);

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = machine;
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof(Elf64_Ehdr);
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 3;
  place(bytes, 0, header);

  place(bytes, sizeof header, Elf64_Phdr{PT_LOAD, PF_R | PF_W, 0, 0, 0, size, size, 0x1000});
  place(bytes, sizeof header + sizeof(Elf64_Phdr),
        Elf64_Phdr{PT_DYNAMIC, PF_R | PF_W, dynamic_at, dynamic_at, dynamic_at, sizeof dynamic,
                   sizeof dynamic, 8});
  place(bytes, sizeof header + 2 * sizeof(Elf64_Phdr),
        Elf64_Phdr{PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 0, 0, 16});
  // One bucket that leads to symbol 1; both chains end at once.
  const Elf64_Word hash[] = {1, 2, 1, 0, 0};
  std::memcpy(bytes.data() + hash_at, hash, sizeof hash);
  Elf64_Sym entry{};
  entry.st_name = 1;
  entry.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  entry.st_shndx = SHN_ABS;
  entry.st_value = 1;  // dlsym must not find a null address
  place(bytes, symbols_at + sizeof(Elf64_Sym), entry);
  std::memcpy(bytes.data() + strings_at + 1, symbol.data(), symbol.size());
  std::memcpy(bytes.data() + dynamic_at, dynamic, sizeof dynamic);
  return bytes;
}

Stubs::Stubs(fs::path folder, const Job& job) : folder_(std::move(folder)) {
  for (const auto& [kernel, variant] : job.variants) variants_.insert(variant);
}

void Stubs::plant(const std::vector<KernelInfo>& kernels, const Job& job) {
  for (const auto& [kernel, known, arguments] : kernels) {
    if (!job.generic) plant(kernel, std::string(poclbin::generic_folder));
    for (const auto& variant : variants_)
      if (std::find(job.variants.begin(), job.variants.end(), std::pair(kernel, variant)) ==
          job.variants.end())
        plant(kernel, variant);
  }
}

void Stubs::plant(const std::string& kernel, const std::string& variant) {
  const auto folder = folder_ / kernel / variant;
  const auto object = folder / (kernel + ".so");
  std::error_code error;
  if (fs::exists(object, error)) return;
  // A stub is a saving: a kernel whose name is too long for a file goes without.
  fs::create_directories(folder, error);
  if (error) return;
  if (!write_file(object, stub_object(kernel), 0600)) {
    fs::remove(object, error);  // a part of one
    return;
  }
  planted_.insert("/" + kernel + "/" + variant + "/" + kernel + ".so");
}

}  // namespace kiln::apart
