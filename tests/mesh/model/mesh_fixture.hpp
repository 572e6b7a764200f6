#pragma once

#include <gtest/gtest.h>

#include <concepts>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "kiln/mesh.hpp"
#include "mesh/codegen/loop_generator.hpp"
#include "mesh/matrix/matrix_generator.hpp"
#include "mesh/model/session.hpp"

namespace kiln::mesh::testing {

/// What a refused call says; a text that no test expects where nothing was refused.
template <std::invocable Call>
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

/// A Generator whose defaults are these Parameters, where it accepts them.
template <class Base>
class WithDefaults final : public Base {
 public:
  explicit WithDefaults(Parameters form) : form_(std::move(form)) {}
  Parameters defaults(const Request& request) const override {
    return this->accepts(request, form_) ? form_ : Base::defaults(request);
  }

 private:
  Parameters form_;
};

/// Loops of a Mesh over a store without records get these Parameters from now on.
inline void use_form(const Mesh& mesh, const Parameters& form) {
  Handles::session(mesh)->resolver().replace(std::make_unique<WithDefaults<LoopGenerator>>(form));
}
/// The same of its matrices' kernels.
inline void use_matrix_form(const Mesh& mesh, const Parameters& form) {
  Handles::session(mesh)->resolver().replace(std::make_unique<WithDefaults<MatrixGenerator>>(form));
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
  void use_form(const Parameters& form) { testing::use_form(mesh, form); }
};

}  // namespace kiln::mesh::testing
