// A distributed set's halo. Here one process is its own neighbour: behind the elements of a line
// lies a copy of the first one, as if the line went round. With several, begin() would send.
// Shows kiln/mesh/halo.hpp.
#include <algorithm>
#include <cstdio>
#include <kiln/mesh.hpp>

using namespace kiln::mesh;

namespace {

/// What travels is kept between begin() and end().
class RoundTheEnd : public HaloExchange {
 public:
  void begin(const HaloValues& dat) override {
    const auto first = dat.as<double>().first(dat.dim);
    message_.assign(first.begin(), first.end());
  }
  void end(const HaloValues& dat) override {
    std::ranges::copy(message_,
                      dat.as<double>().begin() + static_cast<std::ptrdiff_t>(dat.owned * dat.dim));
  }

 private:
  std::vector<double> message_;
};

}  // namespace

int main() {
  try {
    Mesh mesh;
    const std::size_t n = 8;
    // Core elements need no copy; the last owned one does; no exec halo, one copy behind it.
    const Set cells = mesh.set("cells", {n - 1, n, n, n + 1}, std::make_shared<RoundTheEnd>());
    std::vector<std::int32_t> next(n + 1);
    for (std::size_t i = 0; i <= n; ++i) next[i] = static_cast<std::int32_t>(std::min(i + 1, n));
    const Map right = mesh.map("right", cells, cells, 1, next);
    Dat x = mesh.dat<double>("x", cells, 1);
    const Dat difference = mesh.dat<double>("difference", cells, 1);
    auto values = x.write<double>();  // the copy is stale now
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<double>(i * i);
    par_loop(Kernel("void step(double* d, double* here, double* there) { *d = *there - *here; }",
                    "step"),
             cells, arg(difference, WRITE), arg(x, READ), arg(x, right[0], READ));
    std::printf("%g %g\n", difference.read<double>()[0], difference.read<double>()[n - 1]);
  } catch (const kiln::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kiln::exit_code(error.code());
  }
}
