// What PoCL computes from strings and geometries: device ids, build hashes, folders of variants.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/data/digest.hpp"
#include "format/poclbin/layout.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::poclbin {
namespace {

/// Takes `suffix` off the end of `text`; whether it was there.
bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

/// The folder's name in "/kernel/folder/kernel.so"; empty for other paths.
std::string_view variant_folder(std::string_view path) {
  const std::size_t kernel_end = path.find('/', 1);
  if (kernel_end == path.npos) return {};
  const std::size_t folder_end = path.find('/', kernel_end + 1);
  if (folder_end == path.npos || path.find('/', folder_end + 1) != path.npos) return {};
  if (!path.ends_with(".so")) return {};
  return path.substr(kernel_end + 1, folder_end - kernel_end - 1);
}

}  // namespace

std::string Variant::folder() const {
  return fmt::format("{}-{}-{}{}{}", local[0], local[1], local[2], zero_offset ? "-goffs0" : "",
                     small_grid ? "-smallgrid" : "");
}

std::optional<Variant> Variant::from_folder(std::string_view folder) {
  Variant variant;
  std::string_view rest = folder;
  variant.small_grid = take_suffix(rest, "-smallgrid");
  variant.zero_offset = take_suffix(rest, "-goffs0");
  for (std::size_t i = 0; i < 3; ++i) {
    if (i > 0 && !rest.starts_with('-')) return std::nullopt;
    if (i > 0) rest.remove_prefix(1);
    const auto [end, error] =
        std::from_chars(rest.data(), rest.data() + rest.size(), variant.local[i]);
    if (error != std::errc() || variant.local[i] == 0) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  }
  // Only what folder() writes: no leading zeros, nothing behind, each suffix once and in order.
  if (variant.folder() != folder) return std::nullopt;
  return variant;
}

Variant Variant::for_launch(std::array<std::size_t, 3> global, std::array<std::size_t, 3> local,
                            std::array<std::size_t, 3> offset) {
  Variant variant;
  std::array<std::uint64_t, 3> extent{};  // work-items that the whole groups of a dimension hold
  for (std::size_t i = 0; i < 3; ++i) {
    local[i] = std::clamp<std::size_t>(local[i], 1, UINT32_MAX);
    variant.local[i] = static_cast<std::uint32_t>(local[i]);
    extent[i] = local[i] * (global[i] / local[i]);
  }
  extent[2] = std::uint64_t{local[2]} * local[2];  // as every release from 1.4 on computes it
  variant.small_grid = *std::max_element(extent.begin(), extent.end()) < 65535;
  variant.zero_offset = offset == std::array<std::size_t, 3>{};
  return variant;
}

std::vector<Variant> variants(const Kernel& kernel) {
  std::vector<Variant> found;
  for (const File& file : kernel.files)
    if (const auto variant = Variant::from_folder(variant_folder(file.path)))
      found.push_back(*variant);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

const File* find_object(const Kernel& kernel, std::string_view folder) {
  for (const File& file : kernel.files)
    if (variant_folder(file.path) == folder) return &file;
  return nullptr;
}

std::uint64_t device_id(std::string_view device_string) {
  // FNV-1: multiply, then xor. The more usual FNV-1a does it the other way round.
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : device_string) {
    hash *= 0x100000001b3;
    hash ^= static_cast<unsigned char>(letter);
  }
  return hash;
}

std::string build_hash(ByteView digest) {
  // Digested again, so that every byte of the caller's counts however many there are.
  const Digest mixed = blake2b(digest);
  std::string hash;
  for (std::size_t i = 0; i < build_hash_size / 2; ++i) {
    const auto byte = std::to_integer<unsigned>(mixed.bytes[i]);
    hash += static_cast<char>('A' + (byte & 15));
    hash += static_cast<char>('A' + (byte >> 4));
  }
  hash[2] = '/';
  return hash;
}

}  // namespace kiln::poclbin
