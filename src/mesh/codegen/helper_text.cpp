// Functions and pieces of text that generated kernels are made of: search in a matrix's row, atomic
// additions, non-temporal stores, transposes.
#include "mesh/codegen/helper_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace kiln::mesh {
namespace {

/// Compilers take the steps of a Transpose apart again, into worse ones. They leave alone what an
/// assembler statement, here one of no instruction, might have changed.
constexpr const char* settle_text = R"(#if defined(__clang__) && defined(__AVX512F__)
#define kiln_settle64(kiln_x) __asm__("" : "+v"(kiln_x))
#else
#define kiln_settle64(kiln_x)
#endif
#if defined(__clang__) && defined(__AVX__)
#define kiln_settle32(kiln_x) __asm__("" : "+x"(kiln_x))
#else
#define kiln_settle32(kiln_x)
#endif
)";

constexpr const char* stream_text = R"(#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#define kiln_stream(kiln_to, kiln_value) __builtin_nontemporal_store(kiln_value, kiln_to)
#endif
#endif
#ifndef kiln_stream
#define kiln_stream(kiln_to, kiln_value) (*(kiln_to) = (kiln_value))
#endif
)";

/// A loop of compare and exchange on the bits of a floating-point number.
std::string exchange_loop(ScalarType type, const char* bits, const char* as_bits,
                          const char* as_value, const char* exchange) {
  return fmt::format(
      "  __global volatile {1} *kiln_bits = (__global volatile {1} *)kiln_at;\n"
      "  {1} kiln_old = *kiln_bits, kiln_seen;\n"
      "  for (;;) {{\n"
      "    kiln_seen = {4}(kiln_bits, kiln_old, {2}({3}(kiln_old) + kiln_value));\n"
      "    if (kiln_seen == kiln_old) break;\n"
      "    kiln_old = kiln_seen;\n"
      "  }}\n",
      name_of(type), bits, as_bits, as_value, exchange);
}

std::string add_text(ScalarType type, bool ptx) {
  std::string body;
  switch (type) {
    case ScalarType::i32:
    case ScalarType::u32:
      body = "  atomic_add(kiln_at, kiln_value);\n";
      break;
    case ScalarType::i64:
    case ScalarType::u64:
      body = "  atom_add(kiln_at, kiln_value);\n";
      break;
    case ScalarType::f32:
      body = ptx ? "  __asm__ volatile(\"red.global.add.f32 [%0], %1;\" : : \"l\"(kiln_at), "
                   "\"f\"(kiln_value) : \"memory\");\n"
                 : exchange_loop(type, "int", "as_int", "as_float", "atomic_cmpxchg");
      break;
    case ScalarType::f64:
      body = ptx ? "  __asm__ volatile(\"red.global.add.f64 [%0], %1;\" : : \"l\"(kiln_at), "
                   "\"d\"(kiln_value) : \"memory\");\n"
                 : exchange_loop(type, "long", "as_long", "as_double", "atom_cmpxchg");
      break;
    default:
      break;
  }
  return fmt::format("static void kiln_add_{0}(__global {0} *kiln_at, {0} kiln_value) {{\n{1}}}\n",
                     name_of(type), body);
}

}  // namespace

std::string helper_text(const LoopShape& shape, const Parameters& parameters) {
  std::string text;
  const bool matrices = std::any_of(shape.arguments.begin(), shape.arguments.end(),
                                    [](auto& a) { return a.kind == ArgShape::Kind::mat; });
  if (matrices) text += find_text;
  if (parameters.get("STREAM", 0) != 0) text += stream_text;
  if (parameters.get("LANES", 1) > 1) text += settle_text;
  if (form_of(parameters) != Form::atomic) return text;
  std::set<ScalarType> added;
  for (const int i : conflicting_arguments(shape)) {
    const ArgShape& a = shape.arguments[static_cast<std::size_t>(i)];
    if (a.access == Access::inc) added.insert(a.type);
  }
  const bool wide =
      std::any_of(added.begin(), added.end(), [](ScalarType type) { return size_of(type) == 8; });
  if (wide) text += "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n";
  for (const ScalarType type : added) text += add_text(type, parameters.get("PTX", 0) != 0);
  return text;
}

namespace {

std::string plain(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '[' || c == ']'; }, '_');
  return name;
}

/// Pairs of `pair` numbers each, taken from two vectors alternately, within each 16 bytes: the
/// lower half of such a piece or the upper.
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

std::string Transpose::vector(int width) const { return fmt::format("{}{}", name_of(type), width); }

/// Keeps the compiler from taking a step apart, where a register holds the vector (helper_text).
std::string Transpose::settle(const std::string& name) const {
  const std::size_t bytes = static_cast<std::size_t>(lanes) * size_of(type);
  return bytes == 32 || bytes == 64 ? fmt::format("    kiln_settle{}({});\n", bytes, name)
                                    : std::string();
}

/// Number k of piece i becomes number i of piece k, everywhere. Of four in two steps, the first of
/// which stays within 16 bytes.
std::string Transpose::exchange(const std::vector<std::string>& from,
                                const std::vector<std::string>& to, const std::string& made) const {
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

std::string Transpose::to_lanes(const std::string& name,
                                const std::vector<std::string>& rows) const {
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

std::string Transpose::to_rows(const std::string& name) const {
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

std::string Transpose::row_piece(const std::string& name, int lane, int number) const {
  std::string digits;
  for (int k = 0; k < piece(); ++k) digits += fmt::format("{:x}", lane / piece() * piece() + k);
  return fmt::format("{}_r{}_{}.s{}", plain(name), number, lane % piece(), digits);
}

}  // namespace kiln::mesh
