#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/text/kernel_writer.hpp"
#include "kernel/text/templates.hpp"
#include "mesh/codegen/layout.hpp"
#include "mesh/model/basics.hpp"

namespace kiln::mesh {

std::string_view template_text(std::string_view name);
std::uint64_t template_mark(std::string_view name);

/// The head of a loop over the components kiln_k of something. Short ones are to be unrolled:
/// PoCL leaves loops of four rounds standing, and then what they go through stays in memory.
inline std::string over_components(int count) {
  return fmt::format("{}for (int kiln_k = 0; kiln_k < {}; ++kiln_k)",
                     count <= 32 ? "_Pragma(\"unroll\") " : "", count);
}

/// Functions that a loop's kernel calls: bisection in a matrix's row, atomic additions,
/// non-temporal stores. Those that it needs only.
void write_helpers(KernelWriter& out, const LoopShape& shape, const Parameters& parameters);

/// Elements lie in memory row by row; lanes want one component of several elements each: the
/// transpose. Its text moves whole pieces of elements and then exchanges numbers within such pieces
/// only, which CPUs do with one instruction for each vector. Written out in these steps, since
/// compilers find worse ones by themselves.
struct Transpose {
  ScalarType type = ScalarType::f64;
  int lanes = 1, dim = 1;

  /// Numbers that move together.
  int piece() const { return dim % 4 == 0 && lanes % 4 == 0 ? 4 : 2; }
  /// Whether elements and lanes come in whole pieces.
  bool possible() const {
    return lanes > 1 && dim % piece() == 0 && lanes % piece() == 0 && size_of(type) >= 4;
  }
  /// `name`[k], vectors of lanes, from the elements that `rows` point to, one for each lane.
  void to_lanes(KernelWriter& out, const std::string& name,
                const std::vector<std::string>& rows) const;
  /// Declares the pieces of `name`'s elements.
  void to_rows(KernelWriter& out, const std::string& name) const;
  /// One of them: numbers `piece() * number` … of a lane's element.
  std::string row_piece(const std::string& name, int lane, int number) const;

 private:
  std::string vector() const { return fmt::format("{}{}", name_of(type), lanes); }
  std::string interleaved(int size, int pair, bool upper, const std::string& a,
                          const std::string& b) const;
  void settle(KernelWriter& out, const std::string& name) const;
  void exchange(KernelWriter& out, const std::vector<std::string>& from,
                const std::vector<std::string>& to, const std::string& made) const;
};

/// A name made of that of an array's element: kiln_a0[1] becomes kiln_a0_1_.
std::string flat_name(std::string name);

}  // namespace kiln::mesh
