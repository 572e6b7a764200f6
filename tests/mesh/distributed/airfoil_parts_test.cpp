// OP2's airfoil and jac on parts: the numbers of the undivided mesh, and no message too many.
#include <cmath>

#include "airfoil/airfoil.hpp"
#include "airfoil/kernels.hpp"
#include "jac/problem.hpp"
#include "mesh/apps/app_mesh.hpp"
#include "mesh/distributed/part_mesh.hpp"

namespace kiln::mesh::testing::distributed {
namespace {

enum AirfoilSet : std::size_t { nodes, edges, bedges, cells };
enum AirfoilMap : std::size_t { pedge, pecell, pbedge, pbecell, pcell };

PlainMesh whole_of(const MeshFile& file) {
  PlainMesh mesh;
  for (const char* set : {"nodes", "edges", "bedges", "cells"})
    mesh.sizes.push_back(static_cast<std::size_t>(file.find_set(set)->size));
  const auto add = [&](const char* name, std::size_t from, std::size_t to) {
    const auto& values = file.find_map(name)->values;
    mesh.maps.push_back(
        {from, to, values.size() / mesh.sizes[from], {values.begin(), values.end()}});
  };
  add("pedge", edges, nodes);
  add("pecell", edges, cells);
  add("pbedge", bedges, nodes);
  add("pbecell", bedges, cells);
  add("pcell", cells, nodes);
  return mesh;
}

/// Cells in blocks, or anywhere; the others with a cell of theirs.
Owners airfoil_owners(const PlainMesh& mesh, int parts, bool is_random) {
  std::mt19937 random(7);
  Owners owners;
  for (const std::size_t size : mesh.sizes) owners.emplace_back(size, 0);
  const std::size_t count = mesh.sizes[cells];
  for (std::size_t c = 0; c < count; ++c)
    owners[cells][c] = is_random ? std::uniform_int_distribution<int>(0, parts - 1)(random)
                                 : static_cast<int>(c * static_cast<std::size_t>(parts) / count);
  for (std::size_t e = 0; e < mesh.sizes[edges]; ++e)
    owners[edges][e] = owners[cells][static_cast<std::size_t>(mesh.maps[pecell].values[2 * e])];
  for (std::size_t e = 0; e < mesh.sizes[bedges]; ++e)
    owners[bedges][e] = owners[cells][static_cast<std::size_t>(mesh.maps[pbecell].values[e])];
  for (std::size_t c = count; c-- > 0;)
    for (std::size_t k = 0; k < 4; ++k)
      owners[nodes][static_cast<std::size_t>(mesh.maps[pcell].values[4 * c + k])] =
          owners[cells][c];
  return owners;
}

/// The five loops on a part, as examples/mesh/airfoil has them.
class AirfoilPart {
 public:
  AirfoilPart(Mesh& mesh, const PlainPart& part, const MeshFile& file)
      : part_(part),
        nodes_(set(mesh, "nodes", nodes)),
        edges_(set(mesh, "edges", edges)),
        bedges_(set(mesh, "bedges", bedges)),
        cells_(set(mesh, "cells", cells)),
        edge_nodes_(mesh.map("pedge", edges_, nodes_, 2, part.maps[pedge])),
        edge_cells_(mesh.map("pecell", edges_, cells_, 2, part.maps[pecell])),
        bedge_nodes_(mesh.map("pbedge", bedges_, nodes_, 2, part.maps[pbedge])),
        bedge_cells_(mesh.map("pbecell", bedges_, cells_, 1, part.maps[pbecell])),
        cell_nodes_(mesh.map("pcell", cells_, nodes_, 4, part.maps[pcell])),
        bound_(dat<std::int32_t>(mesh, "p_bound", bedges_, bedges, 1,
                                 kiln::mesh::values_of<std::int32_t>(*file.find_dat("p_bound")))),
        x_(dat<double>(mesh, "p_x", nodes_, nodes, 2,
                       kiln::mesh::values_of<double>(*file.find_dat("p_x")))),
        q_(dat<double>(mesh, "p_q", cells_, cells, 4, free_stream())),
        qold_(mesh.dat<double>("p_qold", cells_, 4)),
        adt_(mesh.dat<double>("p_adt", cells_, 1)),
        res_(mesh.dat<double>("p_res", cells_, 4)),
        rms_(mesh.global("rms", 0.0)) {
    mesh.constant("gam", static_cast<double>(1.4F));
    mesh.constant("gm1", static_cast<double>(1.4F) - 1);
    mesh.constant("cfl", static_cast<double>(0.9F));
    mesh.constant("eps", static_cast<double>(0.05F));
    const auto q = stream();
    mesh.constant("qinf", std::span<const double>(q));
  }

  void step() {
    par_loop(save_soln_, cells_, arg(q_, READ), arg(qold_, WRITE));
    for (int stage = 0; stage < 2; ++stage) {
      par_loop(adt_calc_, cells_, arg(x_, cell_nodes_[0], READ), arg(x_, cell_nodes_[1], READ),
               arg(x_, cell_nodes_[2], READ), arg(x_, cell_nodes_[3], READ), arg(q_, READ),
               arg(adt_, WRITE));
      par_loop(res_calc_, edges_, arg(x_, edge_nodes_[0], READ), arg(x_, edge_nodes_[1], READ),
               arg(q_, edge_cells_[0], READ), arg(q_, edge_cells_[1], READ),
               arg(adt_, edge_cells_[0], READ), arg(adt_, edge_cells_[1], READ),
               arg(res_, edge_cells_[0], INC), arg(res_, edge_cells_[1], INC));
      par_loop(bres_calc_, bedges_, arg(x_, bedge_nodes_[0], READ), arg(x_, bedge_nodes_[1], READ),
               arg(q_, bedge_cells_[0], READ), arg(adt_, bedge_cells_[0], READ),
               arg(res_, bedge_cells_[0], INC), arg(bound_, READ));
      rms_.set(0.0);
      par_loop(update_, cells_, arg(qold_, READ), arg(q_, WRITE), arg(res_, RW), arg(adt_, READ),
               arg(rms_, INC));
    }
  }
  double rms() {
    return std::sqrt(rms_.value<double>() / static_cast<double>(part_.sets[cells].global_size));
  }

 private:
  Set set(Mesh& mesh, const char* name, std::size_t number) const {
    return mesh.set(name, SetPart(part_.sets[number]));
  }
  template <class T>
  Dat dat(Mesh& mesh, const char* name, const Set& on, std::size_t number, std::size_t dim,
          std::span<const T> whole) const {
    return mesh.dat<T>(
        name, on, dim,
        local_values(std::vector<T>(whole.begin(), whole.end()), part_.sets[number], dim));
  }
  static std::vector<double> stream() {
    const double gam = 1.4F, gm1 = gam - 1, u = std::sqrt(gam) * static_cast<double>(0.4F);
    return {1, u, 0, 1 / gm1 + 0.5 * u * u};
  }
  std::vector<double> free_stream() const {
    std::vector<double> all;
    for (std::int64_t c = 0; c < part_.sets[cells].global_size; ++c)
      for (const double value : stream()) all.push_back(value);
    return all;
  }
  static Kernel kernel(const char* code, const char* name) {
    return Kernel(std::string("typedef double real;\n") + code, name);
  }

  const PlainPart& part_;
  Set nodes_, edges_, bedges_, cells_;
  Map edge_nodes_, edge_cells_, bedge_nodes_, bedge_cells_, cell_nodes_;
  Dat bound_, x_, q_, qold_, adt_, res_;
  Global rms_;
  Kernel save_soln_ = kernel(airfoil::save_soln, "save_soln"),
         adt_calc_ = kernel(airfoil::adt_calc, "adt_calc"),
         res_calc_ = kernel(airfoil::res_calc, "res_calc"),
         bres_calc_ = kernel(airfoil::bres_calc, "bres_calc"),
         update_ = kernel(airfoil::update, "update");
};

constexpr int steps = 20;

double rms_of_the_whole(const MeshFile& file) {
  Mesh mesh(parts_runtime());
  airfoil::Grid grid;
  const auto map = [&](const char* name) {
    return std::span<const std::int32_t>(file.find_map(name)->values);
  };
  grid.nodes = static_cast<std::size_t>(file.find_set("nodes")->size);
  grid.cells = static_cast<std::size_t>(file.find_set("cells")->size);
  grid.cell_nodes = map("pcell");
  grid.edge_nodes = map("pedge");
  grid.edge_cells = map("pecell");
  grid.bedge_nodes = map("pbedge");
  grid.bedge_cells = map("pbecell");
  grid.bound = kiln::mesh::values_of<std::int32_t>(*file.find_dat("p_bound"));
  grid.x = kiln::mesh::values_of<double>(*file.find_dat("p_x"));
  airfoil::Airfoil<double> flow(mesh, grid);
  for (int i = 0; i < steps; ++i) flow.step();
  return flow.rms();
}

/// What a step sends, found from the partition alone: cells that res_calc reads and others own.
struct Counts {
  std::size_t messages = 0, copies = 0, redundant = 0;
};
Counts expected_of(const PlainParts& plain, int rank, int parts) {
  Counts expected;
  const std::uint64_t cells_bit = 2;  // the second map from edges
  expected.redundant = plain.executed(rank, edges, cells_bit).size();
  for (int other = 0; other < parts; ++other) {
    if (other == rank) continue;
    std::set<std::int64_t> sent;
    auto executed = plain.executed(other, edges, cells_bit);
    for (std::int64_t e = 0; e < plain.size(edges); ++e)
      if (plain.owner(edges, e) == other) executed.insert(e);
    for (const std::int64_t e : executed)
      for (const std::int32_t cell : plain.targets(pecell, e))
        if (plain.owner(cells, cell) == rank) sent.insert(cell);
    expected.messages += sent.empty() ? 0 : 1;
    expected.copies += sent.size();
  }
  return expected;
}

class AirfoilInParts : public ::testing::TestWithParam<std::tuple<int, Staging>> {};

TEST_P(AirfoilInParts, has_the_rms_of_the_whole_and_the_messages_of_the_partition) {
  const auto [parts, staging] = GetParam();
  const MeshFile file = naca(10, 12);
  const PlainMesh whole = whole_of(file);
  const double reference = rms_of_the_whole(file);
  for (const bool is_random : {false, true}) {
    const PlainParts plain(whole, airfoil_owners(whole, parts, is_random), parts);
    std::vector<double> found(static_cast<std::size_t>(parts));
    std::size_t cut = 0, redundant = 0;
    for (std::int64_t e = 0; e < plain.size(edges); ++e) {
      const auto both = plain.targets(pecell, e);
      cut += plain.owner(cells, both[0]) != plain.owner(cells, both[1]) ? 1 : 0;
    }
    std::vector<std::size_t> executed(static_cast<std::size_t>(parts));
    in_parts(parts, [&, staging = staging, parts = parts](const auto& transport) {
      const int rank = transport->rank();
      PartMesh mesh(transport, staging);
      AirfoilPart flow(mesh, plain[rank], file);
      flow.step();
      mesh.finish();
      transport->sent.clear();
      mesh.clear_report();
      const std::size_t gathers = transport->gathers, deliveries = transport->deliveries;
      for (int i = 1; i < steps; ++i) flow.step();
      mesh.finish();
      // Sums wait until they are asked for, and lists were made at the first calls.
      EXPECT_EQ(transport->gathers, gathers);
      EXPECT_EQ(transport->deliveries, deliveries);
      found[static_cast<std::size_t>(rank)] = flow.rms();
      if (parts == 1) return;  // it is as any Mesh
      EXPECT_EQ(transport->gathers, gathers + 1);
      const Counts expected = expected_of(plain, rank, parts);
      const LoopReport loop = mesh.of("res_calc");
      constexpr std::size_t exchanges = 2 * (steps - 1);
      EXPECT_EQ(loop.halo.exchanges, exchanges);
      EXPECT_EQ(loop.halo.messages, exchanges * expected.messages);
      EXPECT_EQ(loop.halo.bytes, exchanges * expected.copies * 40);
      ASSERT_EQ(loop.halos.size(), 3u);  // p_x is read of others, and never stale
      for (const HaloTraffic& one : loop.halos)
        EXPECT_EQ(one.bytes, one.dat == "p_q"     ? exchanges * expected.copies * 32
                             : one.dat == "p_adt" ? exchanges * expected.copies * 8
                                                  : 0)
            << one.dat;
      EXPECT_EQ(loop.redundant, expected.redundant);
      executed[static_cast<std::size_t>(rank)] = loop.redundant;
      EXPECT_EQ(transport->sent.size(), exchanges * expected.messages);
      std::size_t bytes = 0;
      for (const auto& sent : transport->sent) bytes += sent.bytes;
      EXPECT_EQ(bytes, loop.halo.bytes);
      for (const char* name : {"save_soln", "adt_calc", "bres_calc", "update"})
        EXPECT_EQ(mesh.of(name).halo.messages, 0u) << name;
    });
    for (const std::size_t of_part : executed) redundant += of_part;
    EXPECT_EQ(redundant, cut);  // each by the one of its two sides that does not own it
    for (const double rms : found) {
      EXPECT_EQ(rms, found[0]);  // the same bits
      EXPECT_NEAR(rms, reference, 1e-12 * reference);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, AirfoilInParts,
                         ::testing::Combine(::testing::Values(1, 2, 3, 4),
                                            ::testing::Values(Staging::host, Staging::device)),
                         parts_name);

class JacInParts : public ::testing::TestWithParam<std::tuple<int, Staging>> {};

TEST_P(JacInParts, is_right_at_every_node_on_any_partition) {
  const auto [parts, staging] = GetParam();
  const jac::Problem problem(20);
  const PlainMesh whole{{problem.nodes, problem.a.size()}, {{1, 0, 2, problem.edge_nodes}}};
  std::mt19937 random(static_cast<unsigned>(parts));
  const PlainParts plain(whole, random_owners(whole, parts, random), parts);
  std::vector<double> u(problem.nodes);
  std::mutex mutex;
  in_parts(parts, [&, staging = staging](const auto& transport) {
    const PlainPart& part = plain[transport->rank()];
    PartMesh mesh(transport, staging);
    const Set on_nodes = mesh.set("nodes", SetPart(part.sets[0]));
    const Set on_edges = mesh.set("edges", SetPart(part.sets[1]));
    const Map ppedge = mesh.map("ppedge", on_edges, on_nodes, 2, part.maps[0]);
    const Dat a = mesh.dat<double>("p_A", on_edges, 1, local_values(problem.a, part.sets[1], 1));
    const Dat r = mesh.dat<double>("p_r", on_nodes, 1, local_values(problem.r, part.sets[0], 1));
    const Dat p_u = mesh.dat<double>("p_u", on_nodes, 1),
              du = mesh.dat<double>("p_du", on_nodes, 1);
    Global u_sum = mesh.global("u_sum", 0.0), u_max = mesh.global("u_max", 0.0);
    const Kernel res(
        "void res(const double *a, const double *u, double *du) {\n"
        "  du[0] += a[0] * u[0]; }",
        "res");
    const Kernel update(
        "void update(const double *r, double *du, double *u, double *u_sum, double *u_max) {\n"
        "  u[0] += du[0] + r[0];\n  du[0] = 0.0;\n  u_sum[0] += u[0] * u[0];\n"
        "  u_max[0] = fmax(u_max[0], u[0]); }",
        "update");
    const double largest[] = {0.5, 0.625};
    for (int sweep = 0; sweep < 2; ++sweep) {
      par_loop(res, on_edges, arg(a, READ), arg(p_u, ppedge[1], READ), arg(du, ppedge[0], INC));
      u_sum.set(0.0);
      u_max.set(0.0);
      par_loop(update, on_nodes, arg(r, READ), arg(du, RW), arg(p_u, RW), arg(u_sum, INC),
               arg(u_max, MAX));
      EXPECT_EQ(u_max.value<double>(), largest[sweep]);
    }
    const std::lock_guard lock(mutex);
    collect_owned<double>(u, p_u.read<double>(), part.sets[0], 1);
  });
  EXPECT_EQ(jac::wrong_nodes(problem, u), 0u);
}

INSTANTIATE_TEST_SUITE_P(Parts, JacInParts,
                         ::testing::Combine(::testing::Values(1, 2, 3, 4),
                                            ::testing::Values(Staging::host, Staging::device)),
                         parts_name);

}  // namespace
}  // namespace kiln::mesh::testing::distributed
