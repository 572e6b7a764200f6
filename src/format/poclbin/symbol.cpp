#include <elf.h>

#include <algorithm>

#include "format/poclbin/elf.hpp"

namespace kiln::poclbin {
namespace {

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
std::uint32_t hash_of(std::string_view name) {
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
  auto index = word(object, table, 2 + hash_of(name) % *buckets);
  // A damaged chain may go in circles: no more steps than the file has room for links.
  const std::size_t most = std::min<std::size_t>(*chains, object.bytes.size() / 4);
  for (std::size_t step = 0; step < most && index && *index != STN_UNDEF; ++step) {
    if (object.defines(*index, name)) return true;
    index = word(object, table, 2 + std::uint64_t{*buckets} + *index);
  }
  return false;
}

}  // namespace

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

bool has_function(const SharedObject& object, std::string_view name) {
  // Where both tables are there, glibc's loader uses GNU's.
  if (object.gnu_hash) return in_gnu_table(object, *object.gnu_hash, name);
  return object.hash && in_table(object, *object.hash, name);
}

}  // namespace kiln::poclbin
