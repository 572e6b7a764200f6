#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "airfoil.hpp"

namespace kiln::bench {

/// Airfoil by hand with OpenMP, as good as it could be made: what kiln::mesh is measured against.
/// Cells in SIMD loops; edges in blocks whose colours share no cell, one after another within a
/// block (eight at a time, gathered and scattered by hand, is no faster); data in large pages.
/// Double precision.
class OmpAirfoil {
 public:
  /// `block`: edges of a block. The grid's lists must outlive it.
  OmpAirfoil(const airfoil::Grid& grid, std::size_t block);
  ~OmpAirfoil();

  void save_soln();
  void adt_calc();
  void res_calc();
  void bres_calc();
  void update();
  void clear_and_update() { update(); }  ///< as kiln::mesh's side has it
  void step();
  double rms() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kiln::bench
