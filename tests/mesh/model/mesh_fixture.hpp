#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "kiln/mesh.hpp"
#include "mesh/model/session.hpp"

namespace kiln::mesh::testing {

/// What a refused call says; a text that no test expects where nothing was refused.
template <class Call>
std::string refusal(Call&& call, Errc expected = Errc::bad_input) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), expected) << error.what();
    return error.what();
  }
  return "(nothing was refused)";
}

/// Spans of literals.
template <class T>
std::vector<T> list(std::initializer_list<T> values) {
  return values;
}
using Indices = std::vector<std::int32_t>;

template <class T>
std::vector<T> read(const Dat& dat) {
  const auto values = dat.read<T>();
  return {values.begin(), values.end()};
}

/// 0, 1, 2, … as any type.
template <class T>
std::vector<T> counting(std::size_t count, T first = T{}) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

/// A Mesh that keeps nothing and holds every plan against its definition.
inline Mesh::Options quiet_options() {
  Mesh::Options options;
  options.store = "off";
  options.check = true;
  return options;
}

class MeshTest : public ::testing::Test {
 protected:
  Mesh mesh{quiet_options()};

  template <class T>
  Dat dat(const char* name, const Set& set, std::size_t dim, const std::vector<T>& values,
          DataLayout layout = DataLayout::aos) {
    return mesh.dat<T>(name, set, dim, std::span<const T>(values), layout);
  }
  template <class T>
  Dat zeros(const char* name, const Set& set, std::size_t dim = 1,
            DataLayout layout = DataLayout::aos) {
    return mesh.dat<T>(name, set, dim, {}, layout);
  }
  /// The Session's Resolver gives these to loops from now on.
  void use_form(Parameters parameters) {
    Handles::session(mesh)->resolver().try_out("mesh.par_loop", std::move(parameters));
  }
};

}  // namespace kiln::mesh::testing
