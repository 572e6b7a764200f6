#include "format/spirv/words.hpp"

#include <fmt/format.h>

#include "base/data/bytes.hpp"
#include "base/data/text.hpp"

namespace kiln::spirv {
namespace {

std::uint32_t swapped(std::uint32_t word) { return __builtin_bswap32(word); }

}  // namespace

void refuse_at(std::size_t at, const std::string& message, Errc code) {
  throw Error(code, fmt::format("SPIR-V module: byte {}: {}", at, message));
}

std::uint32_t Instruction::raw(std::size_t word) const {
  return load_le<std::uint32_t>(bytes_.data() + at_ + word * 4);
}

std::uint32_t Instruction::operand(std::size_t index, std::string_view what) const {
  if (index >= operands())
    refuse(fmt::format("found the end of instruction {}, expected {}", opcode(), what));
  return raw(index + 1);
}

std::string Instruction::text(std::size_t& index, std::string_view what) const {
  const auto* begin = reinterpret_cast<const char*>(bytes_.data()) + at_ + (index + 1) * 4;
  const std::size_t most = index < operands() ? (operands() - index) * 4 : 0;
  const std::string_view all(most == 0 ? nullptr : begin, most);
  const auto end = all.find('\0');
  if (end == all.npos)
    refuse(fmt::format("found the end of instruction {}, expected the zero byte that ends {}",
                       opcode(), what));
  index += end / 4 + 1;
  return std::string(all.substr(0, end));
}

void Instruction::refuse(const std::string& message) const {
  refuse_at(at_, message, Errc::bad_input);
}

bool is_module(ByteView bytes) {
  if (bytes.size() < 4) return false;
  const auto first = load_le<std::uint32_t>(bytes.data());
  return first == magic || first == swapped_magic;
}

Bytes little_endian(ByteView bytes) {
  Bytes words(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 4 * 4));
  if (words.empty() || load_le<std::uint32_t>(words.data()) != swapped_magic) return words;
  for (std::size_t at = 0; at < words.size(); at += 4) {
    const std::uint32_t word = swapped(load_le<std::uint32_t>(words.data() + at));
    std::memcpy(words.data() + at, &word, sizeof word);
  }
  return words;
}

void check_header(ByteView module) {
  if (!is_module(module))
    refuse_at(0,
              fmt::format("found {}, expected 0x07230203, with which a module begins",
                          module.size() < 4
                              ? "the end"
                              : fmt::format("0x{:08x}", load_le<std::uint32_t>(module.data()))),
              Errc::bad_input);
  if (module.size() > largest_module)
    refuse_at(0, fmt::format("found {} bytes, expected at most {}", module.size(), largest_module),
              Errc::bad_input);
  if (module.size() % 4 != 0 || module.size() < header_words * 4)
    refuse_at(module.size(),
              fmt::format("found the end, expected a header of {} bytes and words of 4",
                          header_words * 4),
              Errc::bad_input);
  const Bytes header = little_endian(module.first(header_words * 4));
  const auto word = [&](std::size_t index) {
    return load_le<std::uint32_t>(header.data() + index * 4);
  };
  const std::uint32_t version = word(1);
  const unsigned major = version >> 16, minor = version >> 8 & 0xff;
  if ((version & 0xff) != 0 || version >> 24 != 0 || major == 0)
    refuse_at(4, fmt::format("found version 0x{:08x}, expected one as 0x00010200", version),
              Errc::bad_input);
  if (major > 1 || minor > 6)
    refuse_at(4, fmt::format("found SPIR-V {}.{}, expected 1.0 to 1.6", major, minor),
              Errc::unsupported);
  if (word(3) == 0 || word(3) > most_ids + 1)
    refuse_at(12, fmt::format("found a bound of {} ids, expected 1 to {}", word(3), most_ids + 1),
              Errc::bad_input);
  if (word(4) != 0)
    refuse_at(16, fmt::format("found schema {}, expected 0", word(4)), Errc::bad_input);
}

}  // namespace kiln::spirv
