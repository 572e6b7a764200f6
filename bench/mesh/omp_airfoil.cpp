// Compiled with -O3 -march=native -fopenmp (bench/CMakeLists.txt).
#include "mesh/omp_airfoil.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace kiln::bench {
namespace {

/// Doubles in large pages.
class Array {
 public:
  explicit Array(std::size_t count) {
    constexpr std::size_t page = std::size_t{2} << 20;
    const std::size_t bytes = (count * sizeof(double) + page - 1) / page * page;
    data_ = static_cast<double*>(std::aligned_alloc(page, bytes));
    ::madvise(data_, bytes, MADV_HUGEPAGE);
    std::memset(data_, 0, bytes);
  }
  ~Array() { std::free(data_); }
  Array(const Array&) = delete;
  double* get() const { return data_; }

 private:
  double* data_;
};

/// Blocks of consecutive elements, coloured greedily.
struct Blocks {
  std::vector<std::vector<int>> by_colour;
  std::size_t size;

  Blocks(std::span<const std::int32_t> targets, std::size_t arity, std::size_t target_count,
         std::size_t block)
      : size(block) {
    const std::size_t elements = targets.size() / arity, count = (elements + block - 1) / block;
    std::vector<std::uint32_t> mask(target_count, 0);
    for (std::size_t b = 0; b < count; ++b) {
      const std::size_t first = b * block * arity,
                        end = std::min(targets.size(), first + block * arity);
      std::uint32_t taken = 0;
      for (std::size_t i = first; i < end; ++i) taken |= mask[static_cast<std::size_t>(targets[i])];
      const auto colour = static_cast<std::size_t>(__builtin_ctz(~taken));
      for (std::size_t i = first; i < end; ++i)
        mask[static_cast<std::size_t>(targets[i])] |= 1U << colour;
      if (by_colour.size() <= colour) by_colour.resize(colour + 1);
      by_colour[colour].push_back(static_cast<int>(b));
    }
  }
};

constexpr double gam = 1.4F, gm1 = gam - 1, cfl = 0.9F, eps = 0.05F, mach = 0.4F;

}  // namespace

struct OmpAirfoil::State {
  airfoil::Grid grid;
  Array x, q, qold, adt, res;
  Blocks edge_blocks;
  double qinf[4];
  double rms = 0;
  State(const airfoil::Grid& g, std::size_t block)
      : grid(g),
        x(2 * g.nodes),
        q(4 * g.cells),
        qold(4 * g.cells),
        adt(g.cells),
        res(4 * g.cells),
        edge_blocks(g.edge_cells, 2, g.cells, block) {}
};

OmpAirfoil::OmpAirfoil(const airfoil::Grid& grid, std::size_t block)
    : state_(std::make_unique<State>(grid, block)) {
  State& s = *state_;
  const double u = std::sqrt(gam) * mach;
  s.qinf[0] = 1, s.qinf[1] = u, s.qinf[2] = 0, s.qinf[3] = 1 / gm1 + 0.5 * u * u;
  std::copy(grid.x.begin(), grid.x.end(), s.x.get());
  for (std::size_t c = 0; c < grid.cells; ++c) std::copy_n(s.qinf, 4, s.q.get() + 4 * c);
}
OmpAirfoil::~OmpAirfoil() = default;

void OmpAirfoil::save_soln() {
  const State& s = *state_;
  const double* __restrict q = s.q.get();
  double* __restrict qold = s.qold.get();
  const auto n = static_cast<std::int64_t>(4 * s.grid.cells);
#pragma omp parallel for simd schedule(static) aligned(q, qold : 64)
  for (std::int64_t i = 0; i < n; ++i) qold[i] = q[i];
}

void OmpAirfoil::adt_calc() {
  const State& s = *state_;
  const double* __restrict x = s.x.get(), * __restrict q = s.q.get();
  double* __restrict adt = s.adt.get();
  const std::int32_t* __restrict nodes = s.grid.cell_nodes.data();
  const auto n = static_cast<std::int64_t>(s.grid.cells);
#pragma omp parallel for simd schedule(static) simdlen(8)
  for (std::int64_t c = 0; c < n; ++c) {
    const double ri = 1 / q[4 * c], u = ri * q[4 * c + 1], v = ri * q[4 * c + 2];
    const double a = std::sqrt(gam * gm1 * (ri * q[4 * c + 3] - 0.5 * (u * u + v * v)));
    const std::int32_t n0 = nodes[4 * c], n1 = nodes[4 * c + 1], n2 = nodes[4 * c + 2],
                       n3 = nodes[4 * c + 3];
    const double x0 = x[2 * n0], y0 = x[2 * n0 + 1], x1 = x[2 * n1], y1 = x[2 * n1 + 1];
    const double x2 = x[2 * n2], y2 = x[2 * n2 + 1], x3 = x[2 * n3], y3 = x[2 * n3 + 1];
    const auto side = [&](double dx, double dy) {
      return std::fabs(u * dy - v * dx) + a * std::sqrt(dx * dx + dy * dy);
    };
    adt[c] = (side(x1 - x0, y1 - y0) + side(x2 - x1, y2 - y1) + side(x3 - x2, y3 - y2) +
              side(x0 - x3, y0 - y3)) /
             cfl;
  }
}

void OmpAirfoil::res_calc() {
  const State& s = *state_;
  const double* __restrict x = s.x.get(), * __restrict q = s.q.get(), * __restrict adt = s.adt.get();
  double* __restrict res = s.res.get();
  const std::int32_t* __restrict nodes = s.grid.edge_nodes.data(), * __restrict cells =
                                                                       s.grid.edge_cells.data();
  const auto edges = static_cast<std::int64_t>(s.grid.edge_cells.size() / 2);
  const auto block = static_cast<std::int64_t>(s.edge_blocks.size);
  for (const auto& colour : s.edge_blocks.by_colour) {
    const auto count = static_cast<std::int64_t>(colour.size());
#pragma omp parallel for schedule(dynamic, 1)
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t first = colour[static_cast<std::size_t>(k)] * block,
                         end = std::min(edges, first + block);
      for (std::int64_t e = first; e < end; ++e) {
        const std::int64_t a = nodes[2 * e], b = nodes[2 * e + 1];
        const std::int64_t c = cells[2 * e], d = cells[2 * e + 1];
        const double dx = x[2 * a] - x[2 * b], dy = x[2 * a + 1] - x[2 * b + 1];
        const double *q1 = q + 4 * c, *q2 = q + 4 * d;
        const double r1 = 1 / q1[0], r2 = 1 / q2[0];
        const double p1 = gm1 * (q1[3] - 0.5 * r1 * (q1[1] * q1[1] + q1[2] * q1[2]));
        const double p2 = gm1 * (q2[3] - 0.5 * r2 * (q2[1] * q2[1] + q2[2] * q2[2]));
        const double v1 = r1 * (q1[1] * dy - q1[2] * dx), v2 = r2 * (q2[1] * dy - q2[2] * dx);
        const double mu = 0.5 * (adt[c] + adt[d]) * eps;
        const double f[4] = {
            0.5 * (v1 * q1[0] + v2 * q2[0]) + mu * (q1[0] - q2[0]),
            0.5 * (v1 * q1[1] + p1 * dy + v2 * q2[1] + p2 * dy) + mu * (q1[1] - q2[1]),
            0.5 * (v1 * q1[2] - p1 * dx + v2 * q2[2] - p2 * dx) + mu * (q1[2] - q2[2]),
            0.5 * (v1 * (q1[3] + p1) + v2 * (q2[3] + p2)) + mu * (q1[3] - q2[3])};
        double *one = res + 4 * c, *two = res + 4 * d;
        for (int n = 0; n < 4; ++n) one[n] += f[n];
        for (int n = 0; n < 4; ++n) two[n] -= f[n];
      }
    }
  }
}

/// On one thread: less work than waking the others.
void OmpAirfoil::bres_calc() {
  const State& s = *state_;
  const double *x = s.x.get(), *q = s.q.get(), *adt = s.adt.get(), *o = s.qinf;
  double* res = s.res.get();
  for (std::size_t e = 0; e < s.grid.bound.size(); ++e) {
    const auto a = static_cast<std::size_t>(s.grid.bedge_nodes[2 * e]);
    const auto b = static_cast<std::size_t>(s.grid.bedge_nodes[2 * e + 1]);
    const auto c = static_cast<std::size_t>(s.grid.bedge_cells[e]);
    const double dx = x[2 * a] - x[2 * b], dy = x[2 * a + 1] - x[2 * b + 1];
    const double *q1 = q + 4 * c, r1 = 1 / q1[0];
    const double p1 = gm1 * (q1[3] - 0.5 * r1 * (q1[1] * q1[1] + q1[2] * q1[2]));
    double* r = res + 4 * c;
    if (s.grid.bound[e] == 1) {
      r[1] += p1 * dy;
      r[2] -= p1 * dx;
      continue;
    }
    const double r2 = 1 / o[0], p2 = gm1 * (o[3] - 0.5 * r2 * (o[1] * o[1] + o[2] * o[2]));
    const double v1 = r1 * (q1[1] * dy - q1[2] * dx), v2 = r2 * (o[1] * dy - o[2] * dx);
    const double mu = adt[c] * eps;
    r[0] += 0.5 * (v1 * q1[0] + v2 * o[0]) + mu * (q1[0] - o[0]);
    r[1] += 0.5 * (v1 * q1[1] + p1 * dy + v2 * o[1] + p2 * dy) + mu * (q1[1] - o[1]);
    r[2] += 0.5 * (v1 * q1[2] - p1 * dx + v2 * o[2] - p2 * dx) + mu * (q1[2] - o[2]);
    r[3] += 0.5 * (v1 * (q1[3] + p1) + v2 * (o[3] + p2)) + mu * (q1[3] - o[3]);
  }
}

void OmpAirfoil::update() {
  State& s = *state_;
  const double* __restrict qold = s.qold.get(), * __restrict adt = s.adt.get();
  double* __restrict q = s.q.get(), * __restrict res = s.res.get();
  const auto n = static_cast<std::int64_t>(s.grid.cells);
  double rms = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : rms)
  for (std::int64_t c = 0; c < n; ++c) {
    const double adti = 1 / adt[c];
    for (int k = 0; k < 4; ++k) {
      const double del = adti * res[4 * c + k];
      q[4 * c + k] = qold[4 * c + k] - del;
      res[4 * c + k] = 0;
      rms += del * del;
    }
  }
  s.rms = rms;
}

void OmpAirfoil::step() {
  save_soln();
  for (int stage = 0; stage < 2; ++stage) {
    adt_calc();
    res_calc();
    bres_calc();
    update();
  }
}

double OmpAirfoil::rms() const {
  return std::sqrt(state_->rms / static_cast<double>(state_->grid.cells));
}

}  // namespace kiln::bench
