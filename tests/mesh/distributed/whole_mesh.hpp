#pragma once

#include <random>

#include "mesh/distributed/thread_transport.hpp"
#include "mesh/model/mesh_fixture.hpp"

/// Undivided meshes as plain data, and what parts of them hold, for tests of their distribution.
namespace kiln::mesh::testing {

struct WholeMesh {
  struct OneMap {
    std::size_t from = 0, to = 0, arity = 1;
    std::vector<std::int64_t> values;
  };
  struct OneDat {
    std::size_t set = 0, dim = 1;
    DataLayout layout = DataLayout::aos;
  };
  std::vector<std::size_t> sizes;  ///< of sets
  std::vector<OneMap> maps;
  std::vector<OneDat> dats;

  /// What a component of a dat is.
  static double value(std::size_t dat, std::int64_t element, std::size_t component) {
    return static_cast<double>(element) * 10 + static_cast<double>(component) +
           static_cast<double>(dat) * 0.125;
  }
  std::span<const std::int64_t> row(const OneMap& map, std::int64_t element) const {
    return std::span(map.values).subspan(static_cast<std::size_t>(element) * map.arity, map.arity);
  }
};

/// Where the blocks of rows of each set begin, and the end; some are empty.
using Starts = std::vector<std::vector<std::int64_t>>;
inline Starts random_starts(const WholeMesh& whole, int parts, std::mt19937& random) {
  Starts all;
  for (const std::size_t size : whole.sizes) {
    std::vector<std::int64_t> starts{0, static_cast<std::int64_t>(size)};
    for (int part = 1; part < parts; ++part)
      starts.push_back(static_cast<std::int64_t>(random() % (size + 1)));
    std::ranges::sort(starts);
    all.push_back(std::move(starts));
  }
  return all;
}

inline std::string name_of(const char* kind, std::size_t number) {
  return kind + std::to_string(number);
}

/// A part's handles.
struct DeclaredMesh {
  std::vector<Set> sets;
  std::vector<Map> maps;
  std::vector<Dat> dats;

  DeclaredMesh(Mesh& mesh, const WholeMesh& whole, const Starts& starts, int rank) {
    const auto first = [&](std::size_t set) {
      return static_cast<std::size_t>(starts[set][static_cast<std::size_t>(rank)]);
    };
    const auto count = [&](std::size_t set) {
      return static_cast<std::size_t>(starts[set][static_cast<std::size_t>(rank) + 1]) - first(set);
    };
    for (std::size_t set = 0; set < whole.sizes.size(); ++set)
      sets.push_back(mesh.set(name_of("set", set), count(set)));
    for (const auto& map : whole.maps) {
      const auto rows =
          std::span(map.values).subspan(first(map.from) * map.arity, count(map.from) * map.arity);
      const std::string name = name_of("map", maps.size());
      if (maps.size() % 2 == 0)
        maps.push_back(mesh.map(name, sets[map.from], sets[map.to], map.arity, rows));
      else
        maps.push_back(mesh.map(name, sets[map.from], sets[map.to], map.arity,
                                Indices(rows.begin(), rows.end())));
    }
    for (const auto& dat : whole.dats) {
      std::vector<double> values;
      for (std::size_t at = 0; at < count(dat.set); ++at)
        for (std::size_t k = 0; k < dat.dim; ++k)
          values.push_back(
              WholeMesh::value(dats.size(), static_cast<std::int64_t>(first(dat.set) + at), k));
      dats.push_back(mesh.dat<double>(name_of("dat", dats.size()), sets[dat.set], dat.dim,
                                      std::span<const double>(values), dat.layout));
    }
  }
};

/// What a part holds afterwards, as plain data.
struct HeldPart {
  std::vector<SetPart> sets;
  std::vector<std::array<std::size_t, 4>> sizes;  ///< as Sets tell them
  std::vector<Indices> maps;
  std::vector<std::vector<double>> dats;
  std::vector<std::vector<std::int64_t>> fetched_maps;
  std::vector<std::vector<double>> fetched_dats;
  // What the partitioner was given:
  std::int64_t first = 0;
  std::vector<std::int64_t> starts, neighbours;

  void take(Mesh& mesh, const DeclaredMesh& declared) {
    for (const Set& set : declared.sets) {
      sets.push_back(mesh.part(set));
      sizes.push_back(set.sizes());
    }
    for (const Map& map : declared.maps) {
      maps.emplace_back(map.values().begin(), map.values().end());
      fetched_maps.push_back(map.fetch());
    }
    for (const Dat& dat : declared.dats) {
      EXPECT_FALSE(dat.is_halo_stale());
      dats.push_back(read<double>(dat));
      fetched_dats.push_back(dat.fetch<double>());
    }
  }
};

/// Tests share a device and its context.
inline const Runtime& test_runtime() {
  static const Runtime runtime({.devices = "", .store = "off"});
  return runtime;
}
inline Mesh part_mesh(const std::shared_ptr<Transport>& transport) {
  Mesh::Options options;
  options.check = true;
  return {test_runtime(), transport, options};
}

}  // namespace kiln::mesh::testing
