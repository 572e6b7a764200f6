// The Cholesky factor of a matrix in tiles: every product, update and triangular solve is a call of
// Kiln's BLAS and a task of a graph, the small factors of diagonal tiles are tasks of a kernel.
// What waits for what follows from the tiles that they read and write.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <kiln/blas/level3.hpp>
#include <kiln/graph.hpp>
#include <memory>
#include <vector>

namespace {

using namespace kiln;

constexpr std::size_t n = 64;  // rows of a tile

// Column by column; what stands above the diagonal becomes zero.
constexpr const char* diagonal_text = R"(
kernel void diagonal_factor(global float* a, int n) {
  for (int j = 0; j < n; ++j) {
    float pivot = a[j * n + j];
    for (int k = 0; k < j; ++k) pivot -= a[j * n + k] * a[j * n + k];
    a[j * n + j] = pivot = sqrt(pivot);
    for (int i = j + 1; i < n; ++i) {
      float sum = a[i * n + j];
      for (int k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = sum / pivot;
    }
    for (int i = 0; i < j; ++i) a[i * n + j] = 0;
  }
})";

/// Symmetric, and positive definite: the diagonal outweighs its row.
float element(std::size_t row, std::size_t column, std::size_t rows) {
  if (row == column) return static_cast<float>(rows);
  const std::size_t low = std::min(row, column), high = std::max(row, column);
  return static_cast<float>((low * 7 + high * 13) % 17) / 17.0f;
}

/// The largest difference between A and L times its transpose, over the rows of A.
double residual(const std::vector<std::vector<std::vector<float>>>& lower, std::size_t tiles) {
  const std::size_t rows = tiles * n;
  double worst = 0;
  const auto l = [&](std::size_t i, std::size_t j) -> double {
    return j / n > i / n ? 0 : lower[i / n][j / n][i % n * n + j % n];
  };
  for (std::size_t i = 0; i < rows; i += 5)
    for (std::size_t j = 0; j <= i; j += 3) {
      double sum = 0;
      for (std::size_t k = 0; k <= j; ++k) sum += l(i, k) * l(j, k);
      worst = std::max(worst, std::abs(sum - element(i, j, rows)));
    }
  return worst / static_cast<double>(rows);
}

}  // namespace

int main(int count, char** words) {
  try {
    using blas::Order, blas::Side, blas::Uplo, blas::Transpose, blas::Diag;
    const auto tiles = static_cast<std::size_t>(count > 1 ? std::atoi(words[1]) : 6);
    if (tiles == 0 || tiles > 64) {
      std::fprintf(stderr, "cholesky: found '%s', expected 1 to 64 tiles\n", words[1]);
      return 2;
    }
    const Runtime runtime(Runtime::Options{.devices = count > 2 ? words[2] : "cpu/2"});
    Graph graph(runtime);
    // The lower half of the matrix, tile by tile: lasting Arrays, which each run factorises anew.
    std::vector<std::vector<Array<float>>> a(tiles);
    const auto fill = [&] {
      for (std::size_t i = 0; i < tiles; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
          const auto values = a[i][j].write();
          for (std::size_t e = 0; e < n * n; ++e)
            values[e] = element(i * n + e / n, j * n + e % n, tiles * n);
        }
    };
    for (std::size_t i = 0; i < tiles; ++i)
      for (std::size_t j = 0; j <= i; ++j) a[i].push_back(runtime.array<float>(n * n));
    fill();
    const Kernel factor = runtime.kernel(Source::text(diagonal_text), "diagonal_factor");
    const auto tile = [&](std::size_t i, std::size_t j) {
      return blas::Matrix{graph.memory(a[i][j]), 0, n};
    };
    for (std::size_t k = 0; k < tiles; ++k) {
      graph.add(factor(a[k][k], static_cast<int>(n)), Range{{1}});
      for (std::size_t i = k + 1; i < tiles; ++i)
        graph.add(blas::trsm<float>(Order::row_major, Side::right, Uplo::lower,
                                    Transpose::transpose, Diag::non_unit, n, n, 1, tile(k, k),
                                    tile(i, k)));
      for (std::size_t i = k + 1; i < tiles; ++i) {
        graph.add(blas::syrk<float>(Order::row_major, Uplo::lower, Transpose::none, n, n, -1,
                                    tile(i, k), 1, tile(i, i)));
        for (std::size_t j = k + 1; j < i; ++j)
          graph.add(blas::gemm<float>(Order::row_major, Transpose::none, Transpose::transpose, n, n,
                                      n, -1, tile(i, k), tile(j, k), 1, tile(i, j)));
      }
    }
    GraphPlan plan = graph.plan();
    // The first runs find out what tasks take; the matrix is another one after each.
    double ms = 0;
    for (int run = 0; run < 4; ++run) {
      fill();
      ms = static_cast<double>(plan.run().wall_ns) * 1e-6;
    }
    std::vector<std::vector<std::vector<float>>> lower(tiles);
    for (std::size_t i = 0; i < tiles; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        const auto values = a[i][j].read();
        lower[i].emplace_back(values.begin(), values.end());
      }
    const double error = residual(lower, tiles);
    const GraphReport report = plan.report();
    std::vector<std::size_t> on(report.devices.size());
    for (const auto& task : report.tasks) ++on[task.device];
    std::printf("%zu tiles: %zu tasks in %.3f ms, planned %.3f, bound %.3f\n", tiles,
                report.tasks.size(), ms, report.makespan_ns * 1e-6, report.bound_ns * 1e-6);
    for (std::size_t d = 0; d < on.size(); ++d) std::printf("  device %zu: %zu tasks\n", d, on[d]);
    const bool right = error < 1e-5;
    std::printf("L times its transpose is A: %s\n", right ? "yes" : "no");
    return right ? 0 : 1;
  } catch (const kiln::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kiln::exit_code(error.code());
  }
}
