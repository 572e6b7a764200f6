// Recursive coordinate bisection over parts gives what sorting the undivided list gives.
#include <cmath>

#include "kiln/mesh/file.hpp"
#include "mesh/distributed/whole_mesh.hpp"

namespace kiln::mesh::testing {
namespace {

struct PointCloud {
  std::size_t dim = 1;
  std::vector<double> coordinates;
  std::size_t size() const { return coordinates.size() / dim; }
  double at(std::size_t point, std::size_t axis) const { return coordinates[point * dim + axis]; }
};

/// By the definition: the longest side, and those before the cut in the order of coordinates, equal
/// ones by number.
void bisect(const PointCloud& points, const std::vector<double>& weights, int begin, int end,
            std::vector<std::size_t> which, std::vector<std::int32_t>& parts) {
  if (end - begin == 1 || which.empty()) {
    for (const std::size_t point : which) parts[point] = begin;
    return;
  }
  std::size_t axis = 0;
  double longest = -1;
  for (std::size_t k = 0; k < points.dim; ++k) {
    const auto less = [&](std::size_t a, std::size_t b) {
      return points.at(a, k) < points.at(b, k);
    };
    const auto [least, most] = std::ranges::minmax_element(which, less);
    const double side = points.at(*most, k) - points.at(*least, k);
    if (side > longest) longest = side, axis = k;
  }
  std::ranges::sort(which, [&](std::size_t a, std::size_t b) {
    return std::pair(points.at(a, axis), a) < std::pair(points.at(b, axis), b);
  });
  const int middle = begin + (end - begin) / 2;
  const auto share = [&](int from, int to) {
    return std::accumulate(weights.begin() + from, weights.begin() + to, 0.0);
  };
  const auto left =
      std::llround(static_cast<double>(which.size()) * share(begin, middle) / share(begin, end));
  bisect(points, weights, begin, middle, {which.begin(), which.begin() + left}, parts);
  bisect(points, weights, middle, end, {which.begin() + left, which.end()}, parts);
}

std::vector<std::int32_t> plain_rcb(const PointCloud& points, const std::vector<double>& weights) {
  std::vector<std::int32_t> parts(points.size());
  std::vector<std::size_t> all(points.size());
  std::iota(all.begin(), all.end(), 0u);
  bisect(points, weights, 0, static_cast<int>(weights.size()), all, parts);
  return parts;
}

std::vector<std::int32_t> owners_by(const std::vector<std::vector<std::int64_t>>& owned,
                                    std::size_t size) {
  std::vector<std::int32_t> parts(size, -1);
  for (std::size_t rank = 0; rank < owned.size(); ++rank)
    for (const std::int64_t number : owned[rank])
      parts[static_cast<std::size_t>(number)] = static_cast<std::int32_t>(rank);
  return parts;
}

std::vector<std::int64_t> owned_numbers(const SetPart& part) {
  return {part.numbers.begin(), part.numbers.begin() + static_cast<std::ptrdiff_t>(part.sizes[1])};
}

TEST(Rcb, is_what_sorting_gives) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    constexpr std::size_t sizes[] = {0, 1, 2, 5, 37, 200};
    PointCloud points{1 + random() % 3, {}};
    const std::size_t size = sizes[random() % std::size(sizes)];
    const bool has_ties = random() % 2 == 0;
    std::uniform_real_distribution<double> real(-3, 2);
    for (std::size_t at = 0; at < size * points.dim; ++at)
      points.coordinates.push_back(has_ties ? static_cast<double>(random() % 5) - 2 : real(random));
    const int parts = 1 + static_cast<int>(random() % 7);
    std::vector<double> weights(static_cast<std::size_t>(parts), 1.0);
    const bool is_weighted = random() % 2 == 0;
    if (is_weighted) {
      for (double& weight : weights) weight = static_cast<double>(random() % 5);
      weights[random() % weights.size()] += 1;  // not all are 0
    }
    // As partition() makes them, so that halves are rounded alike.
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& weight : weights) weight /= is_weighted ? sum : 1.0;
    WholeMesh whole{{size}, {}, {}};
    const auto starts = random_starts(whole, parts, random);
    std::vector<std::vector<std::int64_t>> owned(static_cast<std::size_t>(parts));
    in_parts(parts, [&](const auto& transport) {
      Mesh mesh = part_mesh(transport);
      const auto rank = static_cast<std::size_t>(transport->rank());
      const auto first = static_cast<std::size_t>(starts[0][rank]);
      const auto count = static_cast<std::size_t>(starts[0][rank + 1]) - first;
      const Set set = mesh.set("points", count);
      const Dat x = mesh.dat<double>("x", set, points.dim,
                                     std::span<const double>(points.coordinates)
                                         .subspan(first * points.dim, count * points.dim));
      mesh.partition(rcb(set, x), is_weighted ? weights : std::vector<double>());
      owned[rank] = owned_numbers(mesh.part(set));
    });
    ASSERT_EQ(owners_by(owned, size), plain_rcb(points, weights));
  }
}

TEST(Rcb, sends_a_packet_or_two_a_part_in_each_step_however_scattered_elements_are) {
  constexpr int parts = 8;
  constexpr std::size_t size = 400;
  std::vector<std::size_t> packets(parts), steps(parts);
  in_parts(parts, [&](const auto& transport) {
    Mesh mesh = part_mesh(transport);
    const auto rank = static_cast<std::size_t>(transport->rank());
    std::mt19937 random(static_cast<unsigned>(rank) + 1);
    std::vector<double> values;
    for (std::size_t at = 0; at < 2 * size / parts; ++at)
      values.push_back(static_cast<double>(random() % 1000));
    const Set set = mesh.set("points", size / parts);
    const Partitioner by = rcb(set, mesh.dat<double>("x", set, 2, values));
    const auto [coordinates, dim] = by.coordinates();
    transport->delivered = transport->deliveries = 0;
    PartitionInput input{
        *transport, static_cast<std::int64_t>(rank * size / parts), {}, {}, coordinates, dim, {}};
    const auto owners = by.cut(input);
    EXPECT_EQ(owners.size(), size / parts);
    packets[rank] = transport->delivered, steps[rank] = transport->deliveries;
  });
  // Two where halves go to their ranks, which they do 3 times by 2 lists; at last each element's
  // rank is told where it goes, which is a packet to any other one.
  EXPECT_LE(std::accumulate(packets.begin(), packets.end(), std::size_t{0}),
            parts * (steps.front() - 1) + 3 * 2 * parts + parts * (parts - 1));
  EXPECT_LE(steps.front(), 3 * (2 * (1 + 8 + 2) + 2) + 1u);  // 3 times halved
}

/// A file's mesh as a part declares it, in blocks of equal size.
struct FileInParts {
  std::map<std::string, Set> sets;
  std::map<std::string, Map> maps;
  std::map<std::string, Dat> dats;
  FileInParts(Mesh& mesh, const MeshFile& file) {
    const auto rank = mesh.transport()->rank(), size = mesh.transport()->size();
    const auto begin = [&](std::int64_t total) {
      return static_cast<std::size_t>(total * rank / size);
    };
    const auto count = [&](std::int64_t total) {
      return static_cast<std::size_t>(total * (rank + 1) / size) - begin(total);
    };
    for (const FileSet& set : file.sets)
      sets.emplace(set.name, mesh.set(set.name, count(set.size)));
    for (const FileMap& map : file.maps) {
      const std::int64_t total = file.find_set(map.from)->size;
      const auto arity = static_cast<std::size_t>(map.arity);
      maps.emplace(
          map.name,
          mesh.map(map.name, sets.at(map.from), sets.at(map.to), arity,
                   std::span(map.values).subspan(begin(total) * arity, count(total) * arity)));
    }
    for (const FileDat& dat : file.dats) {
      if (dat.type != ScalarType::f64) continue;
      const std::int64_t total = file.find_set(dat.set)->size;
      const auto dim = static_cast<std::size_t>(dat.dim);
      dats.emplace(dat.name, mesh.dat<double>(dat.name, sets.at(dat.set), dim,
                                              values_of<double>(dat).subspan(begin(total) * dim,
                                                                             count(total) * dim)));
    }
  }
};

TEST(Rcb, of_the_mesh_round_a_profile_is_balanced) {
  const MeshFile file = MeshFile::make(Naca0012{40, 60});
  const auto cells = static_cast<std::size_t>(file.find_set("cells")->size);
  const FileMap& edge_cells = *file.find_map("pecell");
  for (const int parts : {1, 2, 3, 4, 5, 8}) {
    std::vector<std::vector<std::int64_t>> owned(static_cast<std::size_t>(parts));
    std::vector<std::size_t> redundant(static_cast<std::size_t>(parts));
    in_parts(parts, [&](const auto& transport) {
      Mesh mesh = part_mesh(transport);
      const FileInParts declared(mesh, file);
      mesh.partition(
          rcb(declared.sets.at("cells"), declared.dats.at("p_x"), declared.maps.at("pcell")));
      const auto rank = static_cast<std::size_t>(transport->rank());
      owned[rank] = owned_numbers(mesh.part(declared.sets.at("cells")));
      // Those that add to cells of this part: pecell is the second map from edges.
      for (const std::uint64_t bits : mesh.part(declared.sets.at("edges")).exec_maps)
        redundant[rank] += bits >> 1 & 1;
    });
    const auto owners = owners_by(owned, cells);
    std::size_t cut = 0, most = 0;
    for (std::size_t edge = 0; edge < edge_cells.values.size(); edge += 2)
      cut += owners[static_cast<std::size_t>(edge_cells.values[edge])] !=
             owners[static_cast<std::size_t>(edge_cells.values[edge + 1])];
    for (const auto& part : owned) most = std::max(most, part.size());
    const double balance = static_cast<double>(most) * parts / static_cast<double>(cells);
    std::printf("rcb, %zu cells, %d parts: %zu edges cut, largest part %.4f of the average\n",
                cells, parts, cut, balance);
    EXPECT_LE(most,
              (cells + static_cast<std::size_t>(parts) - 1) / static_cast<std::size_t>(parts) + 1);
    // Each edge that is cut is executed once on the side that does not own it.
    EXPECT_EQ(std::accumulate(redundant.begin(), redundant.end(), std::size_t{0}), cut);
    EXPECT_LT(cut, cells / 5);
  }
}

TEST(Rcb, refuses_what_are_no_coordinates) {
  in_parts(2, [](const auto& transport) {
    Mesh mesh = part_mesh(transport);
    const Set cells = mesh.set("cells", 2), nodes = mesh.set("nodes", 2);
    const Dat x = mesh.dat<double>("x", nodes, 1, std::span<const double>(list({1.0, 2.0})));
    const Dat n = mesh.dat<int>("n", cells, 1, {});
    const Map corners = mesh.map("corners", cells, nodes, 1, list<std::int64_t>({0, 3}));
    const Map back = mesh.map("back", nodes, cells, 1, list<std::int64_t>({0, 3}));
    EXPECT_EQ(refusal([&] { rcb(cells, x); }), "rcb: dat x is on set nodes, expected cells");
    EXPECT_EQ(refusal([&] { rcb(cells, n); }), "rcb: dat n is of int, expected float or double");
    EXPECT_EQ(refusal([&] { rcb(cells, n, corners); }),
              "rcb: dat n is on set cells, expected nodes");
    EXPECT_EQ(refusal([&] { rcb(cells, n, back); }),
              "rcb: map back leads from set nodes, expected cells");
    // all parts hear of what one of them has
    Dat y = mesh.dat<double>("y", cells, 1, {});
    if (transport->rank() == 1) y.write<double>()[1] = std::nan("");
    EXPECT_EQ(refusal([&] { mesh.partition(rcb(cells, y)); }),
              "rcb: coordinate 0 of element 3 is nan, expected a finite number");
    // and the mesh may still be cut
    mesh.partition(rcb(cells, x, corners));
    EXPECT_EQ(mesh.part(cells).global_size, 4);
  });
}

}  // namespace
}  // namespace kiln::mesh::testing
