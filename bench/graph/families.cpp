#include "graph/families.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace graph_families {
namespace {

using Accesses = std::vector<Access>;
constexpr Mode read = Mode::read, write = Mode::write, change = Mode::read_write;

Scalar bits(int value) { return std::bit_cast<Scalar>(value); }
Scalar bits(float value) { return std::bit_cast<Scalar>(value); }

/// Adds kernels, buffers and tasks; a kernel of a name and geometry once.
class Maker {
 public:
  explicit Maker(std::string_view name) { graph_.name = name; }

  std::uint32_t floats(std::size_t count, Contents contents = Contents::none) {
    graph_.buffers.push_back({count * sizeof(float), contents, false});
    return static_cast<std::uint32_t>(graph_.buffers.size() - 1);
  }
  void keep(std::uint32_t buffer) { graph_.buffers[buffer].is_result = true; }

  void task(const Kernel& kernel, Accesses accesses, std::vector<Scalar> scalars = {}) {
    const auto found = std::ranges::find_if(graph_.kernels, [&](const Kernel& other) {
      return other.name == kernel.name && other.global == kernel.global;
    });
    const auto index = static_cast<std::uint32_t>(found - graph_.kernels.begin());
    if (found == graph_.kernels.end()) graph_.kernels.push_back(kernel);
    graph_.tasks.push_back({index, std::move(accesses), std::move(scalars), part_});
  }
  /// Tasks from now on belong to it.
  void part(std::uint32_t number) { part_ = number; }
  Graph take() { return std::move(graph_); }

 private:
  Graph graph_;
  std::uint32_t part_ = 0;
};

double cube(std::size_t n) { return static_cast<double>(n) * static_cast<double>(n * n); }

Kernel over(const char* name, std::size_t items, double operations_an_item) {
  const std::size_t local = items % 64 == 0 ? 64 : 32;
  return {name, 1, {items, 1, 1}, {local, 1, 1}, operations_an_item * static_cast<double>(items)};
}
Kernel over_matrix(const char* name, std::size_t n, double operations_an_item) {
  return {name, 2, {n, n, 1}, {32, 4, 1}, operations_an_item * static_cast<double>(n * n)};
}
Kernel product_of(const char* name, std::size_t n) {
  return {name, 2, {n / 16, n / 4, 1}, {2, 8, 1}, 2 * cube(n)};
}
Kernel alone(const char* name, double operations) {
  return {name, 1, {1, 1, 1}, {1, 1, 1}, operations};
}

void transformer(Maker& make, std::size_t heads, std::size_t n, bool shared) {
  const auto size = bits(static_cast<int>(n));
  const Kernel product = product_of("product", n), transpose = over_matrix("transpose", n, 1);
  const Kernel softmax = over("softmax", n, 8 * static_cast<double>(n));
  const auto matrix = [&](Contents contents = Contents::none) {
    return make.floats(n * n, contents);
  };
  std::uint32_t x = 0;
  std::vector<std::uint32_t> outputs;
  for (std::size_t head = 0; head < heads; ++head) {
    make.part(static_cast<std::uint32_t>(head));
    if (head == 0 || !shared) {
      x = matrix(Contents::random);
      make.task(over("scale", n * n, 1), {{x, change}}, {bits(0.9F)});
    }
    const auto multiply = [&](std::uint32_t a, std::uint32_t b) {
      const auto c = matrix();
      make.task(product, {{a, read}, {b, read}, {c, write}}, {size});
      return c;
    };
    const auto q = multiply(x, matrix(Contents::random));
    const auto k = multiply(x, matrix(Contents::random));
    const auto v = multiply(x, matrix(Contents::random));
    const auto turned = matrix(), weights = matrix();
    make.task(transpose, {{k, read}, {turned, write}}, {size});
    make.task(softmax, {{multiply(q, turned), read}, {weights, write}}, {size});
    const auto attention = multiply(weights, v);
    outputs.push_back(multiply(attention, matrix(Contents::random)));
  }
  while (shared && outputs.size() > 1) {
    std::vector<std::uint32_t> sums;
    for (std::size_t i = 0; i + 1 < outputs.size(); i += 2) {
      make.part(static_cast<std::uint32_t>(i));
      sums.push_back(matrix());
      make.task(over("add", n * n, 1),
                {{outputs[i], read}, {outputs[i + 1], read}, {sums.back(), write}});
    }
    if (outputs.size() % 2 == 1) sums.push_back(outputs.back());
    outputs = std::move(sums);
  }
  for (const auto output : outputs) make.keep(output);
}

/// The tiles of a square matrix, by row and column; all are results.
std::vector<std::vector<std::uint32_t>> tiles_of(Maker& make, std::size_t tiles, std::size_t n,
                                                 bool lower) {
  std::vector<std::vector<std::uint32_t>> tile(tiles, std::vector<std::uint32_t>(tiles));
  for (std::size_t i = 0; i < tiles; ++i)
    for (std::size_t j = 0; j < (lower ? i + 1 : tiles); ++j) {
      tile[i][j] = make.floats(n * n, i == j ? Contents::diagonal : Contents::random);
      make.keep(tile[i][j]);
    }
  return tile;
}

void cholesky(Maker& make, std::size_t tiles, std::size_t n) {
  const auto size = bits(static_cast<int>(n));
  const auto a = tiles_of(make, tiles, n, true);
  Kernel update{"product_off_transposed", 2, {n / 4, n / 4, 1}, {8, 8, 1}, 2 * cube(n)};
  for (std::size_t k = 0; k < tiles; ++k) {
    make.task(alone("cholesky_tile", cube(n)), {{a[k][k], change}}, {size});
    for (std::size_t i = k + 1; i < tiles; ++i)
      make.task(over("solve_lower_transposed", n, static_cast<double>(n * n)),
                {{a[k][k], read}, {a[i][k], change}}, {size});
    for (std::size_t i = k + 1; i < tiles; ++i)
      for (std::size_t j = k + 1; j <= i; ++j)
        make.task(update, {{a[i][k], read}, {a[j][k], read}, {a[i][j], change}}, {size});
  }
}

void lu(Maker& make, std::size_t tiles, std::size_t n) {
  const auto size = bits(static_cast<int>(n));
  const auto a = tiles_of(make, tiles, n, false);
  const double solve = static_cast<double>(n * n);
  for (std::size_t k = 0; k < tiles; ++k) {
    make.task(alone("lu_tile", cube(n)), {{a[k][k], change}}, {size});
    for (std::size_t j = k + 1; j < tiles; ++j)
      make.task(over("solve_unit_lower", n, solve), {{a[k][k], read}, {a[k][j], change}}, {size});
    for (std::size_t i = k + 1; i < tiles; ++i)
      make.task(over("solve_upper", n, solve), {{a[k][k], read}, {a[i][k], change}}, {size});
    for (std::size_t i = k + 1; i < tiles; ++i)
      for (std::size_t j = k + 1; j < tiles; ++j)
        make.task(product_of("product_off", n),
                  {{a[i][k], read}, {a[k][j], read}, {a[i][j], change}}, {size});
  }
}

void chain(Maker& make, std::size_t tasks, std::size_t count) {
  const auto a = make.floats(count, Contents::random);
  for (std::size_t i = 0; i < tasks; ++i) make.task(over("bump", count, 1), {{a, change}});
  make.keep(a);
}

void independent(Maker& make, std::size_t tasks, std::size_t count) {
  for (std::size_t i = 0; i < tasks; ++i) {
    const auto a = make.floats(count, Contents::random);
    make.task(over("bump", count, 1), {{a, change}});
    make.keep(a);
  }
}

void layered(Maker& make, std::size_t tasks, std::size_t count, std::size_t seed) {
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
  const std::size_t width = std::max<std::size_t>(tasks / 10, std::min<std::size_t>(tasks, 10));
  std::vector<std::uint32_t> before, layer;
  for (std::size_t i = 0; i < width; ++i) before.push_back(make.floats(count, Contents::random));
  std::vector<char> is_read(width + tasks);
  for (std::size_t i = 0; i < tasks; ++i) {
    const auto first = before[random() % before.size()], second = before[random() % before.size()];
    const auto out = make.floats(count);
    is_read[first] = is_read[second] = 1;
    const char* const names[] = {"blend", "gap", "peak"};
    make.task(over(names[random() % 3], count, 4), {{first, read}, {second, read}, {out, write}});
    layer.push_back(out);
    if (layer.size() < width) continue;
    // Some of the layer before stay, so that edges reach over two.
    for (std::size_t kept = 0; kept < width / 5; ++kept)
      layer.push_back(before[random() % before.size()]);
    before = std::exchange(layer, {});
  }
  for (std::uint32_t buffer = 0; buffer < is_read.size(); ++buffer)
    if (buffer >= width && is_read[buffer] == 0) make.keep(buffer);
}

void fdtd(Maker& make, std::size_t steps, std::size_t n) {
  const auto size = bits(static_cast<int>(n));
  const auto ex = make.floats(n * n, Contents::random), ey = make.floats(n * n, Contents::random);
  const auto hz = make.floats(n * n, Contents::random);
  for (std::size_t step = 0; step < steps; ++step) {
    make.task(over_matrix("fdtd_ey", n, 3), {{hz, read}, {ey, change}}, {size});
    make.task(over_matrix("fdtd_ex", n, 3), {{hz, read}, {ex, change}}, {size});
    make.task(over_matrix("fdtd_hz", n, 5), {{ex, read}, {ey, read}, {hz, change}}, {size});
  }
  for (const auto field : {ex, ey, hz}) make.keep(field);
}

/// Small chains of linear algebra.
bool algebra(Maker& make, const std::string& name, std::size_t n) {
  const auto size = bits(static_cast<int>(n));
  const auto matrix = [&](Contents contents) { return make.floats(n * n, contents); };
  const auto vector = [&](Contents contents) { return make.floats(n, contents); };
  const auto given = Contents::random, made = Contents::none;
  const auto multiply = [&](std::uint32_t a, std::uint32_t b) {
    const auto c = matrix(made);
    make.task(product_of("product", n), {{a, read}, {b, read}, {c, write}}, {size});
    return c;
  };
  const auto apply = [&](const char* kernel, std::uint32_t m, std::uint32_t x, std::uint32_t y,
                         Mode mode) {
    make.task(over(kernel, n, 2 * static_cast<double>(n)), {{m, read}, {x, read}, {y, mode}},
              {size});
    return y;
  };
  if (name == "2mm") {
    const auto ab = multiply(matrix(given), matrix(given));
    make.keep(multiply(ab, matrix(given)));
  } else if (name == "3mm") {
    const auto ab = multiply(matrix(given), matrix(given));
    const auto cd = multiply(matrix(given), matrix(given));
    make.keep(multiply(ab, cd));
  } else if (name == "atax") {
    const auto a = matrix(given);
    const auto ax = apply("matrix_vector", a, vector(given), vector(made), write);
    make.keep(apply("transposed_vector", a, ax, vector(made), write));
  } else if (name == "bicg") {
    const auto a = matrix(given);
    make.keep(apply("matrix_vector", a, vector(given), vector(made), write));
    make.keep(apply("transposed_vector", a, vector(given), vector(made), write));
  } else if (name == "mvt") {
    const auto a = matrix(given);
    make.keep(apply("matrix_vector_on", a, vector(given), vector(given), change));
    make.keep(apply("transposed_vector_on", a, vector(given), vector(given), change));
  } else if (name == "corr" || name == "covar") {
    const auto a = matrix(given), mean = vector(made), products = matrix(made);
    const double column = 2 * static_cast<double>(n);
    make.task(over("column_mean", n, column), {{a, read}, {mean, write}}, {size});
    if (name == "corr") {
      const auto deviation = vector(made);
      make.task(over("column_deviation", n, column), {{a, read}, {mean, read}, {deviation, write}},
                {size});
      make.task(over_matrix("column_standard", n, 4),
                {{mean, read}, {deviation, read}, {a, change}}, {size});
    } else {
      make.task(over_matrix("column_center", n, 1), {{mean, read}, {a, change}}, {size});
    }
    make.task(over_matrix("columns_product", n, column), {{a, read}, {products, write}}, {size});
    make.keep(products);
  } else if (name == "gemver") {
    const auto a = matrix(given), x = vector(given), z = vector(given), sum = vector(made);
    make.task(over_matrix("two_ranks", n, 4),
              {{vector(given), read},
               {vector(given), read},
               {vector(given), read},
               {vector(given), read},
               {a, change}},
              {size});
    apply("transposed_vector_on", a, vector(given), x, change);
    make.task(over("add", n, 1), {{x, read}, {z, read}, {sum, write}});
    make.keep(apply("matrix_vector", a, sum, vector(made), write));
    make.keep(sum);
  } else {
    return false;
  }
  return true;
}

void gramschmidt(Maker& make, std::size_t columns, std::size_t n) {
  const auto a = make.floats(n * n, Contents::diagonal), q = make.floats(n * n, Contents::random);
  const auto r = make.floats(n * n, Contents::random);
  const auto size = bits(static_cast<int>(n));
  for (std::size_t k = 0; k < columns; ++k) {
    const auto column = bits(static_cast<int>(k));
    make.task(alone("column_norm", 2 * static_cast<double>(n)), {{a, read}, {r, change}},
              {size, column});
    make.task(over("column_scale", n, 1), {{a, read}, {r, read}, {q, change}}, {size, column});
    make.task(over("columns_off", n, 4 * static_cast<double>(n)),
              {{q, read}, {a, change}, {r, change}}, {size, column});
  }
  for (const auto matrix : {q, r}) make.keep(matrix);
}

}  // namespace

Graph make(std::string_view description) {
  std::istringstream words{std::string(description)};
  std::string name, word;
  std::vector<std::size_t> numbers;
  bool shared = false;
  words >> name;
  while (words >> word)
    if (word == "shared")
      shared = true;
    else
      numbers.push_back(std::stoul(word));
  Maker make(description);
  const auto number = [&](std::size_t index, std::size_t usual_value) {
    return index < numbers.size() ? numbers[index] : usual_value;
  };
  // The last number of most is a size.
  const std::size_t count = number(1, name == "chain" || name == "independent" ? 64 : 0);
  const bool is_algebra = numbers.size() == 1 && numbers[0] > 0 && numbers[0] % 32 == 0 &&
                          algebra(make, name, numbers[0]);
  if (is_algebra) return make.take();
  if (number(0, 0) == 0 || count == 0 || count % 32 != 0)
    throw std::invalid_argument("no such graph: " + std::string(description));
  if (name == "transformer")
    transformer(make, numbers[0], count, shared);
  else if (name == "cholesky")
    cholesky(make, numbers[0], count);
  else if (name == "lu")
    lu(make, numbers[0], count);
  else if (name == "chain")
    chain(make, numbers[0], count);
  else if (name == "independent")
    independent(make, numbers[0], count);
  else if (name == "layered")
    layered(make, numbers[0], count, number(2, 1));
  else if (name == "fdtd")
    fdtd(make, numbers[0], count);
  else if (name == "gramschmidt" && numbers[0] <= count)
    gramschmidt(make, numbers[0], count);
  else
    throw std::invalid_argument("no such graph: " + std::string(description));
  return make.take();
}

void fill(const Graph& graph, std::uint32_t buffer, float* values) {
  const Buffer& entry = graph.buffers[buffer];
  const std::size_t count = entry.bytes / sizeof(float);
  if (entry.contents == Contents::none) {
    std::fill_n(values, count, 0.0F);
    return;
  }
  std::uint64_t state = buffer * 0x9E3779B97F4A7C15ULL + 1;
  const auto next = [&] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<float>(state >> 40) / static_cast<float>(1 << 24) - 0.5F;
  };
  std::generate_n(values, count, next);
  if (entry.contents != Contents::diagonal) return;
  const auto n = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(count))));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) values[j * n + i] = values[i * n + j];
    // Above the sum of a row of 16 tiles and more.
    values[i * n + i] = 16 * static_cast<float>(n);
  }
}

std::vector<std::string> usual() {
  return {"transformer 1 64",
          "transformer 4 64",
          "transformer 8 128",
          "transformer 4 256",
          "transformer 8 128 shared",
          "transformer 4 512",
          "cholesky 4 64",
          "cholesky 8 64",
          "cholesky 16 64",
          "lu 4 64",
          "lu 8 64",
          "2mm 256",
          "3mm 256",
          "atax 1024",
          "bicg 1024",
          "mvt 1024",
          "gemver 1024",
          "corr 256",
          "covar 256",
          "fdtd 50 256",
          "gramschmidt 32 256",
          "chain 64",
          "chain 1000",
          "independent 128",
          "independent 128 65536",
          "independent 1000",
          "layered 60 16384",
          "layered 600 16384"};
}

std::vector<std::vector<std::uint32_t>> predecessors(const Graph& graph) {
  constexpr auto no_task = static_cast<std::uint32_t>(-1);
  std::vector<std::uint32_t> writer(graph.buffers.size(), no_task);
  std::vector<std::vector<std::uint32_t>> readers(graph.buffers.size()), all(graph.tasks.size());
  for (std::uint32_t task = 0; task < graph.tasks.size(); ++task) {
    auto& before = all[task];
    for (const Access& access : graph.tasks[task].accesses) {
      if (writer[access.buffer] != no_task) before.push_back(writer[access.buffer]);
      if (access.mode != Mode::read)
        before.insert(before.end(), readers[access.buffer].begin(), readers[access.buffer].end());
    }
    for (const Access& access : graph.tasks[task].accesses)
      if (access.mode == Mode::read) {
        readers[access.buffer].push_back(task);
      } else {
        writer[access.buffer] = task;
        readers[access.buffer].clear();
      }
    std::ranges::sort(before);
    before.erase(std::unique(before.begin(), before.end()), before.end());
    std::erase(before, task);
  }
  return all;
}

std::vector<double> priorities(const Graph& graph) {
  const auto before = predecessors(graph);
  std::vector<double> longest(graph.tasks.size());
  for (std::size_t task = graph.tasks.size(); task-- > 0;) {
    // A launch has its price, too.
    longest[task] += graph.kernels[graph.tasks[task].kernel].operations + 10000;
    for (const auto other : before[task]) longest[other] = std::max(longest[other], longest[task]);
  }
  return longest;
}

std::uint64_t digest(std::uint64_t before, const void* data, std::size_t bytes) {
  const auto* byte = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) before = (before ^ byte[i]) * 1099511628211ULL;
  return before;
}

}  // namespace graph_families
