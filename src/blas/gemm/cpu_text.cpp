#include "blas/gemm/cpu_text.hpp"

#include <fmt/format.h>

namespace kiln::blas {
namespace {

/// Writes the micro-kernel: names c[part]J_V for vector V of column J of the tile.
class MicroKernel {
 public:
  MicroKernel(Precision precision, std::size_t lanes, const GemmTiles& tiles)
      : complex_(is_complex(precision)),
        is_double_(is_double(precision)),
        lanes_(lanes),
        vectors_(tiles.rows / lanes),
        columns_(tiles.columns),
        rows_(tiles.rows) {}

  std::string text() {
    line(
        "// A tile of C from columns [from, to) of two panels. `next` is read later, `step` reals "
        "of");
    line("// it for every column: what the caches are told of in time costs nothing.");
    line("inline void tile(int from, int to, global const REAL* restrict a,");
    line(
        "                 global const REAL* restrict b, global T* restrict c, long ld, int rows,");
    line("                 int columns, T alpha, T beta, long above, int triangle, int hermitian,");
    line("                 global const REAL* next, int step) {{");
    declare();
    multiply();
    scale();
    line("  const bool whole = rows >= {0} && columns >= {1} &&", rows_, columns_);
    line("                     (triangle == 0 || (triangle == 1 ? above >= {} : above <= {}));",
         columns_ - 1, -static_cast<long>(rows_ - 1));
    line("  const bool off_diagonal = above >= {} || above <= -{};", columns_, rows_);
    line("  if (whole && (hermitian == 0 || off_diagonal)) {{");
    store_whole();
    line("  }} else {{");
    store_part();
    line("  }}\n}}\n");
    return std::move(text_);
  }

 private:
  template <class... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    text_ += fmt::format(format, std::forward<Values>(values)...) + "\n";
  }
  template <class Each>
  void for_tile(Each each) {
    for (std::size_t j = 0; j < columns_; ++j)
      for (std::size_t v = 0; v < vectors_; ++v) each(j, v);
  }

  void declare() {
    for_tile([&](std::size_t j, std::size_t v) {
      if (complex_)
        line("  VEC re{0}_{1} = 0, im{0}_{1} = 0;", j, v);
      else
        line("  VEC c{}_{} = 0;", j, v);
    });
  }

  void multiply() {
    line("  a += (long)from * {} * PARTS;", rows_);
    line("  b += (long)from * {} * PARTS;", columns_);
    line("  for (int j = 0; j < min(columns, {}); ++j)", columns_);
    line("    for (int i = 0; i < {}; i += 64) WILL_WRITE((global const char*)(c + j * ld) + i);",
         rows_ * (complex_ ? 2 : 1) * (is_double_ ? 8 : 4));
    line("  for (int k = from; k < to; ++k) {{");
    line("    WILL_READ(next);");
    line("    next += step;");
    for (std::size_t v = 0; v < vectors_; ++v) {
      if (complex_)
        line("    const VEC ar{0} = LOAD({0}, a), ai{0} = LOAD({0}, a + {1});", v, rows_);
      else
        line("    const VEC a{0} = LOAD({0}, a);", v);
    }
    for (std::size_t j = 0; j < columns_; ++j) complex_ ? complex_column(j) : real_column(j);
    line("    a += {} * PARTS;", rows_);
    line("    b += {} * PARTS;", columns_);
    line("  }}");
  }
  void real_column(std::size_t j) {
    line("    {{ const VEC x = (VEC)(b[{}]);", j);
    for (std::size_t v = 0; v < vectors_; ++v)
      line("      c{0}_{1} = fma(a{1}, x, c{0}_{1});", j, v);
    line("    }}");
  }
  void complex_column(std::size_t j) {
    line("    {{ const VEC x = (VEC)(b[{}]), y = (VEC)(b[{}]);", j, columns_ + j);
    for (std::size_t v = 0; v < vectors_; ++v) {
      line("      re{0}_{1} = fma(ar{1}, x, re{0}_{1}); im{0}_{1} = fma(ai{1}, x, im{0}_{1});", j,
           v);
      line("      re{0}_{1} = fma(-ai{1}, y, re{0}_{1}); im{0}_{1} = fma(ar{1}, y, im{0}_{1});", j,
           v);
    }
    line("    }}");
  }

  void scale() {
    for_tile([&](std::size_t j, std::size_t v) {
      if (complex_)
        line(
            "  {{ const VEC r = re{0}_{1}; re{0}_{1} = alpha.x * r - alpha.y * im{0}_{1};"
            " im{0}_{1} = alpha.x * im{0}_{1} + alpha.y * r; }}",
            j, v);
      else
        line("  c{0}_{1} *= alpha;", j, v);
    });
  }

  void store_whole() {
    line("    if (is_zero(beta)) {{");
    for_tile([&](std::size_t j, std::size_t v) { store(j, v, false); });
    line("    }} else {{");
    for_tile([&](std::size_t j, std::size_t v) { store(j, v, true); });
    line("    }}");
  }
  void store(std::size_t j, std::size_t v, bool adds) {
    if (!complex_) {
      const std::string old = adds ? fmt::format(" + beta * LOAD({}, c + {} * ld)", v, j) : "";
      line("      STORE(c{0}_{1}{2}, {1}, c + {0} * ld);", j, v, old);
      return;
    }
    // Real and imaginary parts side by side: half of a vector of each makes a vector of elements.
    line("      {{ global REAL* at = (global REAL*)(c + {} * ld + {});", j, v * lanes_);
    line("        VEC low, high;");
    line("        low.even = re{0}_{1}.lo; low.odd = im{0}_{1}.lo;", j, v);
    line("        high.even = re{0}_{1}.hi; high.odd = im{0}_{1}.hi;", j, v);
    if (adds)
      for (const char* half : {"low", "high"}) {
        const int index = half[0] == 'l' ? 0 : 1;
        line("        {{ const VEC o = LOAD({}, at);", index);
        line("          {0}.even += beta.x * o.even - beta.y * o.odd;", half);
        line("          {0}.odd += beta.x * o.odd + beta.y * o.even; }}", half);
      }
    line("        STORE(low, 0, at); STORE(high, 1, at); }}");
  }

  void store_part() {
    line("    REAL t[{}];", columns_ * rows_ * (complex_ ? 2 : 1));
    for_tile([&](std::size_t j, std::size_t v) {
      const std::size_t at = j * rows_ + v * lanes_;
      if (complex_) {
        line("    KEEP(re{}_{}, t + {});", j, v, at);
        line("    KEEP(im{}_{}, t + {});", j, v, columns_ * rows_ + at);
      } else {
        line("    KEEP(c{}_{}, t + {});", j, v, at);
      }
    });
    line("    for (int j = 0; j < min(columns, {}); ++j)", columns_);
    line("      for (int i = 0; i < min(rows, {}); ++i) {{", rows_);
    line("        const long under = above + i - j;  // the diagonal");
    line("        if ((triangle == 1 && under < 0) || (triangle == 2 && under > 0)) continue;");
    if (complex_)
      line("        T value = (T)(t[j * {0} + i], t[{1} + j * {0} + i]);", rows_, columns_ * rows_);
    else
      line("        T value = t[j * {} + i];", rows_);
    line("        global T* at = c + j * ld + i;");
    // A diagonal of which the imaginary part is not read, whatever it is.
    line("        const bool real = hermitian && under == 0;");
    line("        if (!is_zero(beta)) value = mul_add(beta, real ? real_part(*at) : *at, value);");
    line("        if (real) value = real_part(value);");
    line("        *at = value;");
    line("      }}");
  }

  bool complex_, is_double_;
  std::size_t lanes_, vectors_, columns_, rows_;
  std::string text_;
};

}  // namespace

std::string cpu_tile_text(Precision precision, std::size_t lanes, const GemmTiles& tiles) {
  return fmt::format("#define ROWS {}\n#define COLUMNS {}\n", tiles.rows, tiles.columns) +
         MicroKernel(precision, lanes, tiles).text();
}

}  // namespace kiln::blas
