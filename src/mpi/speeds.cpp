// How fast the devices of ranks are.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "kiln/mesh.hpp"
#include "kiln/mpi/runtime.hpp"
#include "mpi/shares.hpp"
#include "mpi/transport.hpp"

namespace kiln::mpi {
namespace {

using Clock = std::chrono::steady_clock;

/// Rows of cells with an edge between neighbours in a row, and to the next row: what meshes do.
class Probe {
 public:
  explicit Probe(const Runtime& runtime)
      : mesh_(runtime),
        cells_(mesh_.set("cells", size)),
        edges_(mesh_.set("edges", 2 * size)),
        ends_(mesh_.map("ends", edges_, cells_, 2, ends())),
        q_(mesh_.dat<double>("q", cells_, 4)),
        sums_(mesh_.dat<double>("sums", cells_, 4)) {}

  void enqueue() {
    par_loop(flux_, edges_, arg(q_, ends_[0], mesh::READ), arg(q_, ends_[1], mesh::READ),
             arg(sums_, ends_[0], mesh::INC), arg(sums_, ends_[1], mesh::INC));
    par_loop(update_, cells_, arg(q_, mesh::RW), arg(sums_, mesh::RW));
  }
  void finish() { mesh_.finish(); }

 private:
  static constexpr std::size_t width = 500, size = 400 * width;
  static std::vector<std::int32_t> ends() {
    std::vector<std::int32_t> values;
    for (std::size_t cell = 0; cell < size; ++cell)
      for (const std::size_t step : {std::size_t{1}, width}) {
        values.push_back(static_cast<std::int32_t>(cell));
        values.push_back(static_cast<std::int32_t>((cell + step) % size));
      }
    return values;
  }

  mesh::Mesh mesh_;
  mesh::Set cells_, edges_;
  mesh::Map ends_;
  mesh::Dat q_, sums_;
  mesh::Kernel flux_{
      "void kiln_speed_flux(const double *a, const double *b, double *c, double *d) {\n"
      "  for (int k = 0; k < 4; ++k) {\n"
      "    const double flux = 0.5 * (a[k] - b[k]) + 0.25 * a[0] * b[1];\n"
      "    c[k] -= flux; d[k] += flux;\n  }\n}",
      "kiln_speed_flux"};
  mesh::Kernel update_{
      "void kiln_speed_update(double *q, double *sums) {\n"
      "  for (int k = 0; k < 4; ++k) { q[k] += 0.125 * sums[k]; sums[k] = 0; }\n}",
      "kiln_speed_update"};
};

}  // namespace

std::vector<double> speeds(const Communicator& comm, const Runtime& runtime) {
  const auto among = transport(comm);
  constexpr const char* what = "speeds of ranks";
  Probe probe(runtime);
  const auto seconds_of = [&](std::size_t runs) {
    const auto begin = Clock::now();
    for (std::size_t run = 0; run < runs; ++run) probe.enqueue();
    probe.finish();
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  seconds_of(1);  // compiles, and brings data to the device
  // As many runs as take a while on this device; then all ranks at once, for about as long.
  constexpr double wanted = 0.05;
  constexpr std::size_t most = 2000;
  std::size_t runs = 2;
  for (double seconds = seconds_of(runs); seconds < wanted && runs < most;
       seconds = seconds_of(runs))
    runs = std::min(most, 2 * runs);
  constexpr int rounds = 3;
  double best = 0;
  for (int round = 0; round < rounds; ++round) {
    of_all(*among, 0.0, what);
    best = std::max(best, static_cast<double>(runs) / seconds_of(runs));
  }
  return shares_from(of_all(*among, best, what));
}

std::vector<double> shares_of(const Communicator& comm, double elements, double seconds) {
  const auto among = transport(comm);
  constexpr const char* what = "speeds of ranks";
  const auto all_elements = of_all(*among, elements, what),
             all_seconds = of_all(*among, seconds, what);
  std::vector<double> found;
  for (std::size_t rank = 0; rank < all_elements.size(); ++rank) {
    for (const double number : {all_elements[rank], all_seconds[rank]})
      if (!(number >= 0) || !std::isfinite(number))
        throw Error(Errc::bad_input,
                    fmt::format("shares of ranks: rank {} gives {} elements in {} s, expected "
                                "numbers from 0 on",
                                rank, all_elements[rank], all_seconds[rank]));
    found.push_back(all_elements[rank] > 0 && all_seconds[rank] > 0
                        ? all_elements[rank] / all_seconds[rank]
                        : 0);
  }
  return shares_from(std::move(found));
}

}  // namespace kiln::mpi
