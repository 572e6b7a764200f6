#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <random>

#include "mesh/distributed/plain_parts.hpp"
#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {

/// A loop of random structure over random data: its kernel as text, and what it means, element
/// after element. Integers are small, so that floats are exact in any order; of other numbers it
/// is known how far rounding may lead.
class RandomLoop {
 public:
  struct Limits {
    bool parts = true, extruded = true, subsets = true;
    /// Floating-point numbers that are no integers, of float and double alone.
    bool real = false;
  };
  /// @param size elements of the set that it runs over.
  RandomLoop(unsigned seed, std::size_t size, Limits limits);
  RandomLoop(unsigned seed, std::size_t size) : RandomLoop(seed, size, Limits()) {}

  /// All values of Dats, then of Globals, after it ran on a Mesh of these Options with this form.
  using Values = std::vector<std::vector<std::int64_t>>;
  Values run(const Mesh::Options& options, const Parameters& form) const;
  /// The same by the rules alone.
  Values expected() const;

  /// A sum or extreme of floating-point numbers, and how far from it rounding may lead.
  ///
  /// An addend is s + weight, where s is a sum of R products and numbers: computed with unit
  /// roundoff u = epsilon / 2 it is off by at most (R + 4) u times the sum S of their magnitudes,
  /// in first order, fused or not and in any order: a rounding of each product, R + 1 additions,
  /// one for the weight, one for the type of what it is added to. A sum of n such addends and what
  /// was there before is, in any order, off by n u times the sum M of their magnitudes (Higham,
  /// Accuracy and Stability of Numerical Algorithms, 4.2). Both together are below (n + R + 4)
  /// epsilon M / 2. The bound is twice that, which leaves room for terms of second order, and for
  /// the reference where long double is no wider than double.
  struct Real {
    long double value = 0, magnitude = 0;
    std::size_t addends = 0;
    long double bound = 0;
  };
  std::vector<std::vector<Real>> expected_reals() const;
  std::vector<std::vector<double>> run_reals(const Mesh::Options& options,
                                             const Parameters& form) const;
  /// On a part of the mesh that it runs over, with halos that are stale before: local values of
  /// Dats, then those of Globals. Of a loop without parts and layers.
  Values run_on_part(Mesh& mesh, const PlainPart& part) const {
    return run_on<std::int64_t>(mesh, &part);
  }
  std::vector<std::vector<double>> run_reals_on_part(Mesh& mesh, const PlainPart& part) const {
    return run_on<double>(mesh, &part);
  }
  PlainMesh whole() const;
  /// The set of each Dat, and its components.
  std::vector<std::pair<std::size_t, std::size_t>> dats() const;
  /// How many elements went at once when it last ran, or 0 where its Mesh keeps no reports.
  std::size_t lanes() const { return lanes_; }
  std::string text() const;      ///< the kernel
  std::string describe() const;  ///< everything, for messages

 private:
  enum class Way { direct, component, all, flat, index, global };
  struct Data {
    ScalarType type{};
    std::size_t set = 0, dim = 1;  ///< set: 0 the loop's own, 1 and 2 others; Globals: none
    DataLayout layout = DataLayout::aos;
    std::vector<std::int64_t> values;
  };
  struct MapData {
    std::size_t to = 0, arity = 1;
    Indices values, offsets;
  };
  struct Use {
    Way way{};
    std::size_t data = 0, map = 0;
    int number = 0;  ///< component or iteration index
    Access access{};
  };
  struct Point {
    std::size_t element;
    int layer, i, j;
  };
  std::int64_t pick(std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random_);
  }
  void add_maps();
  void add_use();
  bool needs_exec_halo() const;
  /// Which of Values and where in it, for what a use reaches.
  std::vector<std::pair<std::size_t, std::size_t>> places(const Use& use, const Point& point) const;
  void call(Values& values, const Values& old, const Point& point, bool counts) const;
  void call(std::vector<std::vector<Real>>& reals, const Point& point, bool counts) const;
  void for_all_points(const std::function<void(const Point&, bool counts)>& visit) const;
  template <class Number>
  std::vector<std::vector<Number>> run_as(const Mesh::Options& options,
                                          const Parameters& form) const;
  /// `part`: null for all of the mesh.
  template <class Number>
  std::vector<std::vector<Number>> run_on(Mesh& mesh, const PlainPart* part) const;
  const Data& data_of(const Use& use) const {
    return use.way == Way::global ? globals_[use.data] : dats_[use.data];
  }
  std::string work_type() const;
  std::string parameter(std::size_t i) const;
  std::size_t total(std::size_t set) const { return sizes_[set][3]; }

  mutable std::size_t lanes_ = 0;
  std::mt19937 random_;
  bool same_type_ = false, real_ = false;
  ScalarType type_{};
  std::array<std::array<std::size_t, 4>, 3> sizes_{};
  std::optional<Indices> subset_;
  std::size_t layers_ = 0;
  std::vector<MapData> maps_;
  std::vector<Data> dats_, globals_;
  std::vector<Use> uses_;
  std::array<std::size_t, 2> extents_{};
};

}  // namespace kiln::mesh::testing
