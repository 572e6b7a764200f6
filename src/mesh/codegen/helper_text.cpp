// Functions and pieces of text that generated kernels are made of: search in a matrix's row, atomic
// additions, non-temporal stores, transposes.
#include "mesh/codegen/helper_text.hpp"

#include <algorithm>
#include <set>

namespace kiln::mesh {
namespace {

/// Adds to a place by an atomic operation; where there is none for floating-point numbers, by a
/// loop of compare and exchange on their bits.
void write_addition(KernelWriter& out, ScalarType type, bool ptx) {
  const bool wide = size_of(type) == 8;
  const char *const prefix = wide ? "atom" : "atomic", *const bits = wide ? "long" : "int";
  out.open("static void kiln_add_{0}(__global {0} *kiln_at, {0} kiln_value)", name_of(type));
  if (!is_floating(type)) {
    out.line("{}_add(kiln_at, kiln_value);", prefix);
  } else if (ptx) {
    out.line(
        "__asm__ volatile(\"red.global.add.f{} [%0], %1;\" : : \"l\"(kiln_at), "
        "\"{}\"(kiln_value) : \"memory\");",
        wide ? 64 : 32, wide ? 'd' : 'f');
  } else {
    out.line("__global volatile {0} *kiln_bits = (__global volatile {0} *)kiln_at;", bits);
    out.line("{} kiln_old = *kiln_bits, kiln_seen;", bits);
    out.open("for (;;)");
    out.line("kiln_seen = {0}_cmpxchg(kiln_bits, kiln_old, as_{1}(as_{2}(kiln_old) + kiln_value));",
             prefix, bits, name_of(type));
    out.line("if (kiln_seen == kiln_old) break;");
    out.line("kiln_old = kiln_seen;");
    out.close();
  }
  out.close();
}

}  // namespace

void write_helpers(KernelWriter& out, const LoopShape& shape, const Parameters& parameters) {
  const bool matrices =
      std::ranges::any_of(shape.arguments, [](auto& a) { return a.kind == ArgShape::Kind::mat; });
  if (matrices) out.lines(template_text("find"));
  if (parameters.get("STREAM", 0) != 0) out.lines(template_text("stream"));
  // Compilers take the steps of a Transpose apart again, into worse ones. They leave alone what an
  // assembler statement, here one of no instruction, might have changed.
  if (parameters.get("LANES", 1) > 1) out.lines(template_text("settle"));
  if (form_of(parameters) != Form::atomic) return;
  std::set<ScalarType> added;
  for (const int i : conflicting_arguments(shape)) {
    const ArgShape& a = shape.arguments[static_cast<std::size_t>(i)];
    if (a.access == Access::inc) added.insert(a.type);
  }
  if (std::ranges::any_of(added, [](auto type) { return size_of(type) == 8; }))
    out.line("#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable");
  for (const ScalarType type : added) write_addition(out, type, parameters.get("PTX", 0) != 0);
}

std::string flat_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '[' || c == ']'; }, '_');
  return name;
}

/// Pairs of `pair` numbers each, taken from two vectors alternately, within pieces of `size`: the
/// lower half of such a piece or the upper.
std::string Transpose::interleaved(int size, int pair, bool upper, const std::string& a,
                                   const std::string& b) const {
  const auto number = [&](int i) {
    const int half = size / 2, inside = i % size / 2;
    const int k = i / size * size + (upper ? half : 0) + inside / pair * pair + i % pair;
    return fmt::format("{}.s{:x}", i / pair % 2 == 0 ? a : b, k);
  };
  return fmt::format("({})({})", vector(), list_of(lanes, number));
}

/// Keeps the compiler from taking a step apart, where a register holds the vector (write_helpers).
void Transpose::settle(KernelWriter& out, const std::string& name) const {
  const std::size_t bytes = static_cast<std::size_t>(lanes) * size_of(type);
  if (bytes == 32 || bytes == 64) out.line("kiln_settle{}({});", bytes, name);
}

/// Number k of piece i becomes number i of piece k, everywhere. Of four in two steps, the first of
/// which stays within 16 bytes.
void Transpose::exchange(KernelWriter& out, const std::vector<std::string>& from,
                         const std::vector<std::string>& to, const std::string& made) const {
  if (piece() == 2) {
    for (std::size_t k = 0; k < 2; ++k)
      out.line("{} = {};", to[k], interleaved(2, 1, k != 0, from[0], from[1]));
    return;
  }
  const bool single = size_of(type) == 4;
  for (int half = 0; half < 2; ++half)
    for (std::size_t pair = 0; pair < 2; ++pair) {
      const std::string mixed = fmt::format("{}_{}{}", made, half, pair);
      out.line("{} {} = {};", vector(), mixed,
               interleaved(single ? 4 : 2, 1, half != 0, from[2 * pair], from[2 * pair + 1]));
      settle(out, mixed);
    }
  for (std::size_t k = 0; k < 4; ++k) {
    // Number k came to the half of pairs (0, 1) and (2, 3), or of (0, 2) and (1, 3).
    const std::string half = fmt::format("{}_{}", made, single ? k / 2 : k % 2);
    const bool upper = single ? k % 2 != 0 : k / 2 != 0;
    out.line("{} = {};", to[k], interleaved(4, 2, upper, half + "0", half + "1"));
  }
}

void Transpose::to_lanes(KernelWriter& out, const std::string& name,
                         const std::vector<std::string>& rows) const {
  for (int number = 0; number < dim / piece(); ++number) {
    const std::string made = fmt::format("{}_p{}", flat_name(name), number);
    std::vector<std::string> pieces, components;
    for (int i = 0; i < piece(); ++i) {
      const auto part = [&](int k) {
        return fmt::format("vload{}({}, {})", piece(), number,
                           rows[static_cast<std::size_t>(i + k * piece())]);
      };
      pieces.push_back(fmt::format("{}_{}", made, i));
      components.push_back(fmt::format("{}[{}]", name, number * piece() + i));
      out.line("{0} {1} = ({0})({2});", vector(), pieces.back(), list_of(lanes / piece(), part));
      settle(out, pieces.back());
    }
    exchange(out, pieces, components, made);
  }
}

void Transpose::to_rows(KernelWriter& out, const std::string& name) const {
  for (int number = 0; number < dim / piece(); ++number) {
    const std::string made = fmt::format("{}_r{}", flat_name(name), number);
    std::vector<std::string> pieces, components;
    for (int i = 0; i < piece(); ++i) {
      pieces.push_back(fmt::format("const {} {}_{}", vector(), made, i));
      components.push_back(fmt::format("{}[{}]", name, number * piece() + i));
    }
    exchange(out, components, pieces, made);
  }
}

std::string Transpose::row_piece(const std::string& name, int lane, int number) const {
  const auto digit = [&](int k) { return fmt::format("{:x}", lane / piece() * piece() + k); };
  return fmt::format("{}_r{}_{}.s{}", flat_name(name), number, lane % piece(),
                     list_of(piece(), digit, ""));
}

}  // namespace kiln::mesh
