#include "blas/generator/matrix_unit_generator.hpp"

#include <fmt/format.h>

#include "blas/call/problem_class.hpp"
#include "blas/generator/gemm_generator.hpp"
#include "blas/generator/moduli.hpp"
#include "blas/generator/template_generator.hpp"

namespace kiln::blas {
namespace {

constexpr const char* storage_names[] = {"float", "half", "bfloat16", "e4m3",
                                         "e5m2",  "int8", "int32",    "int4"};

/// The templates, in the order of the text.
constexpr const char* templates_in_order[] = {
    "matrix_unit",          "copy_barriers",     "matrix_unit_fetch",   "matrix_unit_results",
    "matrix_unit_epilogue", "matrix_unit_store", "matrix_unit_product", "matrix_unit_factors"};

/// What comes before them where a result goes through something.
constexpr const char* special_templates[] = {"prelude", "stored", "epilogue"};

/// What a Request asks for, and what follows from it.
struct MatrixUnitFacts : MatrixUnitPayload {
  explicit MatrixUnitFacts(const Request& request)
      : MatrixUnitPayload(request.payload.as<MatrixUnitPayload>()) {}

  std::int64_t bytes() const { return static_cast<std::int64_t>(matrix_unit_bytes(factors)); }
  bool of_integers() const { return factors == Storage::int8; }
  /// Of the factors, as the instruction calls it.
  const char* kind() const {
    return of_integers() ? "s8" : factors == Storage::half ? "f16" : "bf16";
  }
  /// The number of the same in a tensor map (PTX ISA, tensormap.replace).
  int map_kind() const { return of_integers() ? 0 : factors == Storage::half ? 6 : 10; }
  std::int64_t stage_bytes() const {
    return (rows + static_cast<std::int64_t>(MatrixUnitTile::columns)) * 128;
  }
  bool is_special() const { return after != Epilogue{}; }
  /// Of the template's RowVectors.
  std::int64_t row_vector_bytes() const { return is_special() ? 2 * 2 * 2 * 4 * rows : 0; }
  /// The stages with two barriers of 8 bytes each, and two tensor maps.
  std::int64_t local_bytes(std::int64_t stages) const {
    return stages * (stage_bytes() + 16) + 256;
  }
};

/// The local memory that a work-group may have on these devices, less what the driver takes.
constexpr std::int64_t most_local_bytes = std::int64_t{226} << 10;

std::string instruction_text(const MatrixUnitFacts& facts) {
  // How the operands lie: 0 along the depth, 1 across it. Integers lie along it.
  const std::string flags = facts.of_integers()
                                ? ""
                                : fmt::format(", 1, 1, {}, {}", facts.second_along_depth ? 0 : 1,
                                              facts.first_along_depth ? 0 : 1);
  return fmt::format("#define INSTRUCTION \"m64n{}k{}.{}.{}.{}\"\n#define FLAGS \"{}\"\n",
                     facts.rows, 32 / facts.bytes(), facts.of_integers() ? "s32" : "f32",
                     facts.kind(), facts.kind(), flags);
}

/// The sums of a work-item, which are registers of the assembly's own.
std::string sums_text(const MatrixUnitFacts& facts) {
  const std::int64_t count = facts.rows / 2;
  std::string names, each;
  for (std::int64_t i = 0; i < count; ++i) {
    names += fmt::format("{}sum{}", i == 0 ? "" : ",", i);
    each += fmt::format(" f({})", i);
  }
  return fmt::format(
      "#define SUM {}\n#define SUM_REGISTERS \"{}\"\n#define SUM_COUNT {}\n"
      "#define SUM_OPERAND(x) \"={}\"(x)\n#define SUMS \"{}\"\n#define EACH_SUM(f){}\n",
      facts.of_integers() ? "int" : "float", facts.of_integers() ? ".s32" : ".f32", count,
      facts.of_integers() ? 'r' : 'f', names, each);
}

Facts after_of(const MatrixUnitPayload& payload) {
  return parts_of(payload.after, payload.bias, payload.scale, payload.residual);
}

/// What a result that goes through something has before the other templates.
std::string special_text(const MatrixUnitFacts& facts) {
  if (!facts.is_special()) return "#define SPECIAL 0\n";
  std::string text =
      "#define SPECIAL 1\n#define PRECISION s\n#define ON_CPU 0\n#define VECTOR_EPILOGUE 0\n";
  for (const Fact& fact : after_of(facts))
    text += fmt::format("#define {} {}\n", capitals(fact.name), std::get<std::int64_t>(fact.value));
  for (const char* part : special_templates) text += template_text(part);
  return text;
}

bool is_of_integers(Storage result) { return result == Storage::int32 || result == Storage::int8; }

int result_number(Storage result) {
  switch (result) {
    case Storage::half:
      return 1;
    case Storage::bfloat16:
      return 2;
    case Storage::int32:
      return 3;
    case Storage::int8:
      return 4;
    default:
      return 0;
  }
}

/// What sums are divided by, where their remainders are the result.
std::string moduli_text() {
  std::string text = "#define MODULI";
  for (const auto modulus : moduli) {
    const SumRemainder by = sum_remainder(modulus);
    text += fmt::format("{}{{{},{},{}}}", text.ends_with('}') ? "," : " ", by.modulus, by.inverse,
                        by.bias);
  }
  return text + "\n";
}

}  // namespace

bool has_matrix_units(const Device& device) {
  return nvidia_compute_capability(device) == std::pair(9u, 0u);
}

Facts facts_of(const MatrixUnitPayload& payload) {
  const auto name = [](Storage stored) {
    return std::string(storage_names[static_cast<std::size_t>(stored)]);
  };
  Facts facts{{"factors", name(payload.factors)},
              {"result", name(payload.result)},
              {"first_along_depth", std::int64_t{payload.first_along_depth}},
              {"second_along_depth", std::int64_t{payload.second_along_depth}},
              {"rows", payload.rows}};
  // What is as usual is not named, so that the Keys of plain products stay as they are.
  for (Fact& part : after_of(payload))
    if (std::get<std::int64_t>(part.value) != 0) facts.push_back(std::move(part));
  return facts;
}

std::int64_t MatrixUnitGenerator::version() const {
  constexpr std::int64_t own = 3;  // raised when the code of this file changes
  static const std::int64_t version = [] {
    std::int64_t of = own;
    for (const char* part : special_templates) of = version_of(of, {template_mark(part)});
    for (const char* part : templates_in_order) of = version_of(of, {template_mark(part)});
    return of;
  }();
  return version;
}

Parameters MatrixUnitGenerator::defaults(const Request& request) const {
  const MatrixUnitFacts facts(request);
  return {{"stages", (std::int64_t{192} << 10) / facts.stage_bytes()},
          {"strip", 2048 / facts.rows}};
}

bool MatrixUnitGenerator::accepts(const Request& request, const Parameters& parameters) const {
  const MatrixUnitFacts facts(request);
  const auto stages = parameters.get("stages", 0), strip = parameters.get("strip", 0);
  const bool lies_well =
      !facts.of_integers() || (facts.first_along_depth && facts.second_along_depth);
  return facts.bytes() != 0 && lies_well &&
         (facts.rows == 64 || facts.rows == 128 || facts.rows == 256) && stages >= 2 &&
         !(facts.is_special() && is_of_integers(facts.result)) &&
         (facts.result != Storage::int8 || facts.of_integers()) &&
         facts.local_bytes(stages) + facts.row_vector_bytes() <= most_local_bytes && strip >= 1 &&
         strip <= 1024;
}

std::string MatrixUnitGenerator::generate(const Request& request,
                                          const Parameters& parameters) const {
  const MatrixUnitFacts facts(request);
  const std::int64_t stages = parameters.get("stages", 2);
  const int result = result_number(facts.result);
  std::string text = fmt::format(
      "#define ROWS {}\n#define STAGES {}\n#define STRIP {}\n#define LOCAL_BYTES {}\n"
      "#define SIZE {}\n#define BOX {}\n#define MAP_KIND {}\n#define FACTOR {}\n"
      "#define FIRST_ALONG_K {}\n#define SECOND_ALONG_K {}\n#define RESULT {}\n"
      "#define WIDE_BYTES {}\n",
      facts.rows, stages, parameters.get("strip", 1), facts.local_bytes(stages), facts.bytes(),
      128 / facts.bytes(), facts.map_kind(), facts.of_integers() ? "uchar" : "ushort",
      facts.first_along_depth ? 1 : 0, facts.second_along_depth ? 1 : 0, result,
      result == 0 || result == 3 ? 8 : 16);
  if (facts.result == Storage::int8) text += moduli_text();
  text += instruction_text(facts) + sums_text(facts) + special_text(facts);
  for (const char* part : templates_in_order) text += template_text(part);
  return text;
}

std::vector<std::string> MatrixUnitGenerator::classes_like(const std::string& problem_class) const {
  return blas::classes_like(problem_class);
}

}  // namespace kiln::blas
