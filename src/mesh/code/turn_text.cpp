#include "mesh/code/turn_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::mesh {
namespace {

std::string plain(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '[' || c == ']'; }, '_');
  return name;
}

/// Pairs of `pairs` numbers each, taken in turn from two vectors, within each 16 bytes: the lower
/// half of such a piece or the upper.
std::string interleaved(const std::string& type, int lanes, int piece, int pair, bool upper,
                        const std::string& a, const std::string& b) {
  std::string values;
  for (int first = upper ? piece / 2 : 0; first < lanes; first += piece)
    for (int at = first; at < first + piece / 2; at += pair)
      for (const auto& from : {a, b})
        for (int k = at; k < at + pair; ++k)
          values += fmt::format("{}{}.s{:x}", values.empty() ? "" : ", ", from, k);
  return fmt::format("({})({})", type, values);
}

}  // namespace

std::string Turn::vector(int width) const { return fmt::format("{}{}", name_of(type), width); }

/// Keeps the compiler from taking a step apart, where a register holds the vector (helpers_text).
std::string Turn::settle(const std::string& name) const {
  const std::size_t bytes = static_cast<std::size_t>(lanes) * size_of(type);
  return bytes == 32 || bytes == 64 ? fmt::format("    kiln_settle{}({});\n", bytes, name)
                                    : std::string();
}

/// Number k of piece i becomes number i of piece k, everywhere. Of four in two steps, the first of
/// which stays within 16 bytes.
std::string Turn::exchange(const std::vector<std::string>& from, const std::vector<std::string>& to,
                           const std::string& made) const {
  const std::string whole = vector(lanes);
  if (piece() == 2)
    return fmt::format("    {} = {};\n    {} = {};\n", to[0],
                       interleaved(whole, lanes, 2, 1, false, from[0], from[1]), to[1],
                       interleaved(whole, lanes, 2, 1, true, from[0], from[1]));
  const bool single = size_of(type) == 4;
  const int first_piece = single ? 4 : 2;
  std::string text;
  for (int half = 0; half < 2; ++half)
    for (std::size_t pair = 0; pair < 2; ++pair) {
      const std::string mixed = fmt::format("{}_{}{}", made, half, pair);
      text += fmt::format("    {} {} = {};\n", whole, mixed,
                          interleaved(whole, lanes, first_piece, 1, half != 0, from[2 * pair],
                                      from[2 * pair + 1])) +
              settle(mixed);
    }
  for (int k = 0; k < 4; ++k) {
    // Number k came to the half of pairs (0, 1) and (2, 3), or of (0, 2) and (1, 3).
    const int half = single ? k / 2 : k % 2;
    const bool upper = single ? k % 2 != 0 : k / 2 != 0;
    text += fmt::format("    {} = {};\n", to[static_cast<std::size_t>(k)],
                        interleaved(whole, lanes, 4, 2, upper, fmt::format("{}_{}0", made, half),
                                    fmt::format("{}_{}1", made, half)));
  }
  return text;
}

std::string Turn::to_lanes(const std::string& name, const std::vector<std::string>& rows) const {
  std::string text;
  for (int number = 0; number < dim / piece(); ++number) {
    const std::string made = fmt::format("{}_p{}", plain(name), number);
    std::vector<std::string> pieces, components;
    for (int i = 0; i < piece(); ++i) {
      std::string parts;
      for (int lane = i; lane < lanes; lane += piece())
        parts += fmt::format("{}vload{}({}, {})", parts.empty() ? "" : ", ", piece(), number,
                             rows[static_cast<std::size_t>(lane)]);
      pieces.push_back(fmt::format("{}_{}", made, i));
      components.push_back(fmt::format("{}[{}]", name, number * piece() + i));
      text += fmt::format("    {0} {1} = ({0})({2});\n", vector(lanes), pieces.back(), parts) +
              settle(pieces.back());
    }
    text += exchange(pieces, components, made);
  }
  return text;
}

std::string Turn::to_rows(const std::string& name) const {
  std::string text;
  for (int number = 0; number < dim / piece(); ++number) {
    const std::string made = fmt::format("{}_r{}", plain(name), number);
    std::vector<std::string> pieces, components;
    for (int i = 0; i < piece(); ++i) {
      pieces.push_back(fmt::format("const {} {}_{}", vector(lanes), made, i));
      components.push_back(fmt::format("{}[{}]", name, number * piece() + i));
    }
    text += exchange(components, pieces, made);
  }
  return text;
}

std::string Turn::row_piece(const std::string& name, int lane, int number) const {
  std::string digits;
  for (int k = 0; k < piece(); ++k) digits += fmt::format("{:x}", lane / piece() * piece() + k);
  return fmt::format("{}_r{}_{}.s{}", plain(name), number, lane % piece(), digits);
}

}  // namespace kiln::mesh
