#include "blas/gemm/gemm_generator.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "blas/gemm/cpu_text.hpp"
#include "blas/gemm/gemm_tiles.hpp"
#include "blas/template/template_text.hpp"

namespace kiln::blas {
namespace {

/// The facts of a Request, typed.
struct Facts {
  explicit Facts(const Request& request) {
    for (const auto& fact : request.facts) {
      if (fact.name == "precision") letter = std::get<std::string>(fact.value).at(0);
      if (fact.name == "native_floats")
        native_floats = static_cast<std::size_t>(std::get<std::int64_t>(fact.value));
    }
    precision = static_cast<Precision>(std::string_view("sdcz").find(letter));
    lanes =
        std::clamp<std::size_t>(is_double(precision) ? native_floats / 2 : native_floats, 2, 16);
  }
  char letter = 's';
  Precision precision{};
  std::size_t native_floats = 4, lanes = 4;
};

}  // namespace

Parameters GemmGenerator::defaults(const Request& request) const {
  const Facts facts(request);
  const bool wide = facts.native_floats >= 16;  // 32 vector registers, elsewhere 16
  const bool complex = is_complex(facts.precision);
  const std::size_t vectors = complex && !wide ? 1 : 2;
  const std::size_t columns = complex ? (wide ? 6 : 4) : (wide ? 12 : 6);
  const std::size_t depth = is_double(facts.precision) || complex ? 256 : 384;
  return {{"rows", static_cast<std::int64_t>(vectors * facts.lanes)},
          {"columns", static_cast<std::int64_t>(columns)},
          {"depth", static_cast<std::int64_t>(depth)}};
}

bool GemmGenerator::accepts(const Request& request, const Parameters& parameters) const {
  const auto lanes = static_cast<std::int64_t>(Facts(request).lanes);
  const auto rows = parameters.get("rows", 0), columns = parameters.get("columns", 0),
             depth = parameters.get("depth", 0);
  return rows >= lanes && rows <= 8 * lanes && rows % lanes == 0 && columns >= 1 && columns <= 32 &&
         depth >= 8 && depth <= 4096;
}

std::string GemmGenerator::generate(const Request& request, const Parameters& parameters) const {
  const Facts facts(request);
  const GemmTiles tiles = GemmTiles::of(parameters);
  std::string text = fmt::format(
      "#define PRECISION {}\n#define ON_CPU 1\n#define LANES {}\n#define DEPTH {}\n"
      "#define CHUNK 16\n",
      facts.letter, facts.lanes, tiles.depth);
  text += template_text("prelude");
  const auto pack = [&](const char* name, std::size_t width) {
    text += fmt::format("#define PACK {}\n#define WIDTH {}\n", name, width);
    text += template_text("pack");
  };
  pack("pack_first", tiles.rows);
  pack("pack_second", tiles.columns);
  return text + cpu_product_text(facts.precision, facts.lanes, tiles);
}

}  // namespace kiln::blas
