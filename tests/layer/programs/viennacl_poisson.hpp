// The five-point Laplacian on a square grid, and a way to print a vector whose bytes tell every
// difference.
#pragma once
#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

#include "viennacl/compressed_matrix.hpp"
#include "viennacl/vector.hpp"

namespace poisson {

using Rows = std::vector<std::map<unsigned, double>>;

inline Rows laplacian(unsigned side) {
  Rows rows(side * side);
  for (unsigned i = 0; i < side * side; ++i) {
    rows[i][i] = 4.0;
    if (i >= side) rows[i][i - side] = -1.0;
    if (i + side < side * side) rows[i][i + side] = -1.0;
    if (i % side != 0) rows[i][i - 1] = -1.0;
    if (i % side != side - 1) rows[i][i + 1] = -1.0;
  }
  return rows;
}

inline viennacl::vector<double> right_side(unsigned size) {
  std::vector<double> host(size);
  for (unsigned i = 0; i < size; ++i) host[i] = 1.0 + std::sin(0.1 * i);
  viennacl::vector<double> device(size);
  viennacl::copy(host, device);
  return device;
}

/// Prints each eighth value in hexadecimal floating point.
inline void print(const char* name, const viennacl::vector<double>& device) {
  std::vector<double> host(device.size());
  viennacl::copy(device, host);
  std::printf("%s", name);
  for (std::size_t i = 0; i < host.size(); i += 8) std::printf(" %a", host[i]);
  std::printf("\n");
}

}  // namespace poisson
