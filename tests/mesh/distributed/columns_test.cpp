// Columns over a base that is cut at random: loops, matrices and maps to their tops find what they
// find on the undivided mesh.
#include <numeric>

#include "mesh/distributed/part_mesh.hpp"
#include "mesh/distributed/whole_mesh.hpp"

namespace kiln::mesh::testing {
namespace {

/// Triangles of base nodes under columns. Points: over each base node one more than twice the cells
/// (as quadratic elements have), columns in any order, and some points in no column between them.
/// Boxes: the cells of all columns, each of which leads to some points without any offset.
struct ColumnsWhole {
  enum SetNumber : std::size_t { cells, nodes, points, boxes };
  std::size_t layers, height;
  std::vector<std::size_t> sizes;
  std::vector<std::int64_t> corners, to_points, to_boxes, box_points;
  std::vector<std::int32_t> up, box_up;
  bool is_upside_down;

  explicit ColumnsWhole(unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t limit) { return random() % limit; };
    layers = 2 + below(4), height = 2 * layers - 1;
    const std::size_t cell_count = 12 + below(20), node_count = 8 + below(12);
    is_upside_down = below(2) == 0;
    std::vector<std::size_t> order(node_count), lowest(node_count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::shuffle(order, random);
    std::size_t count = 0;
    for (const std::size_t node : order) {
      count += below(3);
      lowest[node] = count;
      count += height;
    }
    sizes = {cell_count, node_count, count + below(3), cell_count * (layers - 1)};
    const auto number = [](std::size_t of) { return static_cast<std::int64_t>(of); };
    for (std::size_t cell = 0; cell < cell_count; ++cell) {
      for (std::size_t corner = 0; corner < 3; ++corner) {
        // As in meshes that were made line by line.
        const std::size_t node = (cell * node_count / cell_count + below(4)) % node_count;
        corners.push_back(number(node));
        for (std::size_t k = 0; k < 3; ++k)
          to_points.push_back(number(lowest[node] + (is_upside_down ? height - 1 - k : k)));
      }
      to_boxes.push_back(number(cell * (layers - 1)));
    }
    up.assign(9, is_upside_down ? -2 : 2);
    box_up.assign(1, 1);
    for (std::size_t box = 0; box < sizes[boxes]; ++box)
      for (std::size_t k = 0; k < 2; ++k) box_points.push_back(number(below(sizes[points])));
  }
};

using Results = std::vector<std::vector<double>>;

const Kernel& gather() {
  static const Kernel made(
      "void gather(double *x[9], double *y[9], double *b) {\n"
      "  double sum = 0;\n  for (int k = 0; k < 9; ++k) sum += (k + 1) * x[k][0];\n"
      "  for (int k = 0; k < 9; ++k) y[k][0] += sum + k;\n  b[0] += sum; }",
      "gather");
  return made;
}

class ColumnsPart {
 public:
  ColumnsPart(const ColumnsWhole& whole, Transport& transport, Mesh& mesh, unsigned seed)
      : of_(whole), transport_(transport), mesh_(mesh), random_(seed) {
    WholeMesh plain;
    plain.sizes = whole.sizes;
    starts_ = random_starts(plain, transport.size(), random_);
    for (std::size_t set = 0; set < 4; ++set)
      sets_.push_back(mesh.set("set" + std::to_string(set), range(set).second));
    const ExtrudedSet columns = sets_[0].extruded(whole.layers);
    maps_.push_back(mesh.map("corners", sets_[0], sets_[1], 3, rows(whole.corners, 0, 3)));
    maps_.push_back(
        mesh.map("points", columns, sets_[2], 9, rows(whole.to_points, 0, 9), whole.up));
    maps_.push_back(
        mesh.map("boxes", columns, sets_[3], 1, rows(whole.to_boxes, 0, 1), whole.box_up));
    maps_.push_back(mesh.map("box_points", sets_[3], sets_[2], 2, rows(whole.box_points, 3, 2)));
    for (const std::size_t set : {2u, 2u, 3u, 0u}) {
      std::vector<double> values;
      for (std::size_t k = 0; k < range(set).second; ++k)
        values.push_back(static_cast<double>((range(set).first + k) % 7));
      dats_.push_back(mesh.dat<double>("dat", sets_[set], 1, values));
    }
  }

  void cut() {
    const std::size_t set = random_() % 4;
    std::vector<std::int32_t> parts;
    for (std::size_t k = 0; k < of_.sizes[set]; ++k)
      parts.push_back(
          static_cast<std::int32_t>(random_() % static_cast<unsigned>(transport_.size())));
    const auto [first, count] = range(set);
    mesh_.partition(
        owners(sets_[set], {parts.begin() + static_cast<std::ptrdiff_t>(first),
                            parts.begin() + static_cast<std::ptrdiff_t>(first + count)}));
  }

  /// Halves of columns would be seen here at once.
  void expect_whole_columns() {
    const auto& numbers = mesh_.part(sets_[2]).numbers;
    const auto values = maps_[1].values();
    const auto up = static_cast<std::int64_t>(of_.layers - 2) * of_.up[0];
    for (std::size_t at = 0; at < sets_[0].exec_size() * 9; ++at) {
      const auto top = static_cast<std::size_t>(values[at] + up);
      ASSERT_LT(top, numbers.size());
      ASSERT_EQ(numbers[top], numbers[static_cast<std::size_t>(values[at])] + up);
    }
  }

  void run() {
    Dat &x = dats_[0], &y = dats_[1], &b = dats_[2], &c = dats_[3];
    for (int round = 0; round < 2; ++round) {
      par_loop(Kernel("void add(double *x) { x[0] += 1; }", "add"), sets_[2], arg(x, RW));
      par_loop(gather(), sets_[0].extruded(of_.layers), arg(x, maps_[1], READ),
               arg(y, maps_[1], INC), arg(b, maps_[2][0], INC));
      if (of_.layers > 2)
        par_loop(gather(), sets_[0].extruded(of_.layers - 1), arg(y, maps_[1], READ),
                 arg(x, maps_[1], INC), arg(b, maps_[2][0], INC));
      par_loop(
          Kernel("void box(double *b, double *y[2]) { y[0][0] += 3 * b[0]; y[1][0] += 1; }", "box"),
          sets_[3], arg(b, READ), arg(y, maps_[3], INC));
      const Map top = maps_[1].above(of_.layers - 2);
      par_loop(Kernel("void top(double *x[9], double *y[9], double *c) {\n"
                      "  for (int k = 0; k < 9; ++k) { y[k][0] += 2; c[0] += x[k][0]; } }",
                      "top"),
               sets_[0], arg(x, top, READ), arg(y, top, INC), arg(c, RW));
      std::vector<std::int32_t> odd;
      const auto& numbers = mesh_.part(sets_[0]).numbers;
      for (std::size_t k = 0; k < numbers.size(); ++k)
        if (numbers[k] % 2 == 1) odd.push_back(static_cast<std::int32_t>(k));
      par_loop(
          Kernel("void some(double *y[9]) { for (int k = 0; k < 9; ++k) y[k][0] += k; }", "some"),
          sets_[0].subset(odd), arg(y, maps_[1], INC));
      // Small numbers, so that sums are exact in any order. (The trial of fmod() in lanes takes a
      // minute where PoCL does not optimise: its vectors with a denormal number take 2^32 steps.)
      const Kernel small("void small(double *x) { x[0] -= 1021 * floor(x[0] / 1021); }", "small");
      for (const Dat* dat : {&x, &y, &b, &c}) par_loop(small, dat->set(), arg(*dat, RW));
    }
  }

  void multiply_by_matrices() {
    const ExtrudedSet columns = sets_[0].extruded(of_.layers);
    const auto assembled = [&](std::size_t row, std::size_t column) {
      const std::pair<Map, Map> pair{maps_[row], maps_[column]};
      Mat mat = mesh_.mat<double>("mat", mesh_.sparsity(columns, {&pair, 1}));
      const std::size_t size = maps_[row].arity() * maps_[column].arity();
      par_loop(Kernel(fmt::format("void entries(double *a) {{\n"
                                  "  for (int k = 0; k < {}; ++k) a[k] += k % 5; }}",
                                  size),
                      "entries"),
               columns, arg(mat, maps_[row], maps_[column], INC));
      return mat;
    };
    multiply(assembled(1, 1), dats_[0], dats_[1]);
    const Dat boxes = mesh_.dat<double>("boxes", sets_[3], 1);
    multiply(assembled(2, 1), dats_[0], boxes);
    products_ = boxes.fetch<double>();
  }

  Results rows_here() {
    Results found;
    for (const Dat& dat : dats_) found.push_back(dat.fetch<double>());
    found.push_back(products_);
    return found;
  }
  const std::vector<Set>& sets() const { return sets_; }
  const std::vector<Map>& maps() const { return maps_; }
  const std::vector<Dat>& dats() const { return dats_; }

 private:
  std::pair<std::size_t, std::size_t> range(std::size_t set) const {
    const auto rank = static_cast<std::size_t>(transport_.rank());
    const auto first = static_cast<std::size_t>(starts_[set][rank]);
    return {first, static_cast<std::size_t>(starts_[set][rank + 1]) - first};
  }
  std::span<const std::int64_t> rows(const std::vector<std::int64_t>& all, std::size_t set,
                                     std::size_t arity) const {
    return std::span(all).subspan(range(set).first * arity, range(set).second * arity);
  }

  const ColumnsWhole& of_;
  Transport& transport_;
  Mesh& mesh_;
  std::mt19937 random_;
  Starts starts_;
  std::vector<Set> sets_;
  std::vector<Map> maps_;
  std::vector<Dat> dats_;
  std::vector<double> products_;
};

Results results(const ColumnsWhole& whole, int parts, Staging staging, unsigned seed) {
  std::vector<Results> by_rank(static_cast<std::size_t>(parts));
  in_parts(parts, [&](const auto& transport) {
    PartMesh mesh(transport, staging);
    ColumnsPart part(whole, *transport, mesh, seed);
    for (int time = 0; time < 2; ++time) {
      part.cut();
      part.expect_whole_columns();
      part.run();
    }
    part.multiply_by_matrices();
    by_rank[static_cast<std::size_t>(transport->rank())] = part.rows_here();
  });
  Results all(by_rank.front().size());
  for (const Results& one : by_rank)
    for (std::size_t k = 0; k < all.size(); ++k)
      all[k].insert(all[k].end(), one[k].begin(), one[k].end());
  return all;
}

class ColumnsInParts : public ::testing::TestWithParam<std::tuple<int, Staging>> {};

TEST_P(ColumnsInParts, give_what_they_give_undivided) {
  const auto [parts, staging] = GetParam();
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ColumnsWhole whole(seed);
    EXPECT_EQ(results(whole, parts, staging, 100 * seed + static_cast<unsigned>(parts)),
              results(whole, 1, staging, seed));
    if (HasFailure()) return;
  }
}

TEST_P(ColumnsInParts, are_refused_where_parts_would_not_have_them) {
  const auto [parts, staging] = GetParam();
  const ColumnsWhole whole(3);
  in_parts(parts, [&, parts = parts, staging = staging](const auto& transport) {
    PartMesh mesh(transport, staging);
    ColumnsPart part(whole, *transport, mesh, 3);
    part.cut();
    const auto& [x, y, b, c] =
        std::tie(part.dats()[0], part.dats()[1], part.dats()[2], part.dats()[3]);
    if (parts > 1) {
      const std::string text = refused([&, &x = x, &y = y, &b = b] {
        par_loop(gather(), part.sets()[0].extruded(whole.layers + 1), arg(x, part.maps()[1], READ),
                 arg(y, part.maps()[1], INC), arg(b, part.maps()[2][0], INC));
      });
      EXPECT_NE(
          text.find("declared from " + std::to_string(whole.layers) + " layers over set set0"),
          std::string::npos)
          << text;
    }
    const Map top = part.maps()[1].above(whole.layers - 2);
    part.cut();
    EXPECT_EQ(refused([&, &x = x] {
                par_loop(Kernel("void k(double *x[9]) { x[0][0] += 1; }", "k"), part.sets()[0],
                         arg(x, top, INC));
              }),
              "loop k, argument 0 (dat dat): map points is of the mesh as it was cut before");
    mesh.finish();
  });
  in_parts(parts, [&, staging = staging](const auto& transport) {
    PartMesh mesh(transport, staging);
    const bool is_first = transport->rank() == 0;
    const Set base = mesh.set("base", is_first ? 2 : 0),
              above = mesh.set("above", is_first ? 6 : 0);
    const Map feet = mesh.map("feet", base.extruded(4), above, 1,
                              is_first ? Indices{0, 4} : Indices{}, Indices{1});
    const std::string text =
        refused([&] { mesh.partition(owners(base, std::vector<std::int32_t>(base.size(), 0))); });
    EXPECT_EQ(text,
              "map feet: element 1, component 0 is 4, which 4 layers take to 6, expected 0 to 5 "
              "(set above)");
  });
}

INSTANTIATE_TEST_SUITE_P(Parts, ColumnsInParts,
                         ::testing::Combine(::testing::Values(1, 2, 3, 4),
                                            ::testing::Values(Staging::host, Staging::device)),
                         parts_name);

}  // namespace
}  // namespace kiln::mesh::testing
