#include "mesh/code/helpers_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "mesh/code/find_text.hpp"

namespace kiln::mesh {
namespace {

/// Compilers take the steps of a Turn apart again, into worse ones; what assembler code of no
/// instruction might have changed they leave alone.
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

std::string helpers_text(const LoopShape& shape, const Parameters& parameters) {
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

}  // namespace kiln::mesh
