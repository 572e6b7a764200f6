// Sparsities, matrices and solvers.
#include <pybind11/stl.h>

#include "python/mesh/turn.hpp"
#include "python/mesh/types.hpp"

namespace kiln::python {
namespace {

using mesh::Dat;
using mesh::Mat;
using mesh::Mesh;
using mesh::Sparsity;
using mesh::Subset;

/// Entries of blocks, (nonzeros, rows of a block, columns of a block), without a copy.
py::array entries_of(const py::object& self, bool to_write) {
  auto mat = self.cast<Mat>();
  const void* begin = in_turn([mat, to_write]() mutable -> const void* {
    return with_scalar(mat.type(), [&]<class T>(T*) -> const void* {
      return to_write ? mat.template write<T>().data() : mat.template values<T>().data();
    });
  });
  const Sparsity& sparsity = mat.sparsity();
  py::array view(
      dtype_of(mat.type()),
      std::vector<std::size_t>{sparsity.nonzeros(), sparsity.row_dim(), sparsity.column_dim()},
      begin, self);
  if (!to_write) view.attr("setflags")(py::arg("write") = false);
  return view;
}

/// Indices of an array of NumPy, for work without the interpreter's lock.
std::vector<std::int32_t> copied(const Indices& indices) {
  const auto all = span_of(indices);
  return {all.begin(), all.end()};
}

/// All of the matrix comes to the host, after the loops that change it, and goes back.
void put_values(Mat& self, const Indices& rows, const Indices& columns, const py::array& values,
                bool adds) {
  with_scalar(self.type(), [&]<class T>(T*) {
    const auto* begin = static_cast<const T*>(values.data());
    in_turn([self, adds, rows = copied(rows), columns = copied(columns),
             all = std::vector<T>(begin, begin + values.size())]() mutable {
      adds ? self.template add_values<T>(rows, columns, all)
           : self.template set_values<T>(rows, columns, all);
    });
  });
}

py::array_t<std::int32_t> copy_of(std::span<const std::int32_t> values) {
  return py::array_t<std::int32_t>(static_cast<py::ssize_t>(values.size()), values.data());
}

mesh::SolveOptions options_of(double relative, double absolute, double divergence,
                              std::size_t most_iterations, bool jacobi) {
  mesh::SolveOptions options;
  options.relative = relative;
  options.absolute = absolute;
  options.divergence = divergence;
  options.most_iterations = most_iterations;
  options.preconditioner = jacobi ? mesh::SolveOptions::Preconditioner::jacobi
                                  : mesh::SolveOptions::Preconditioner::none;
  return options;
}

}  // namespace

void bind_matrices(py::module_& module) {
  using py::arg;
  HandleClass<Sparsity>(module, "Sparsity")
      .def_property_readonly("rows", &Sparsity::rows)
      .def_property_readonly("columns", &Sparsity::columns)
      .def_property_readonly("nonzeros", &Sparsity::nonzeros)
      .def("rowptr", [](const Sparsity& self) { return copy_of(self.rowptr()); })
      .def("colidx", [](const Sparsity& self) { return copy_of(self.colidx()); });
  HandleClass<Mat>(module, "Mat")
      .def("entries", &entries_of, arg("to_write") = false)
      .def("zero", [](Mat& self) { in_turn([self]() mutable { self.zero(); }); })
      .def("zero_rows",
           [](Mat& self, const Indices& rows, double diagonal) {
             in_turn([self, rows = copied(rows), diagonal]() mutable {
               self.zero_rows(rows, diagonal);
             });
           })
      .def("set_diagonal",
           [](Mat& self, const Indices& rows, double value) {
             in_turn(
                 [self, rows = copied(rows), value]() mutable { self.set_diagonal(rows, value); });
           })
      .def("set_diagonal_from",
           [](Mat& self, const Dat& values) {
             in_turn([self, values]() mutable { self.set_diagonal(values); });
           })
      .def("diagonal",
           [](const Mat& self, const Dat& to) { in_turn([self, to] { self.diagonal(to); }); })
      .def("put_values", &put_values);
  module.def("multiply", [](const Mat& mat, const Dat& x, const Dat& y) {
    in_turn([=] { mesh::multiply(mat, x, y); });
  });
  py::class_<mesh::SolveResult>(module, "SolveResult")
      .def_readonly("iterations", &mesh::SolveResult::iterations)
      .def_readonly("residual", &mesh::SolveResult::residual)
      .def_readonly("converged", &mesh::SolveResult::converged)
      .def_property_readonly("end", [](const mesh::SolveResult& self) {
        constexpr const char* names[] = {"converged", "iterations", "diverged", "indefinite"};
        return names[static_cast<std::size_t>(self.end)];
      });
  using Solver = std::shared_ptr<mesh::Solver>;
  py::class_<mesh::Solver, Solver>(module, "Solver")
      .def(py::init([](double relative, double absolute, double divergence,
                       std::size_t most_iterations, bool jacobi) {
             return std::make_shared<mesh::Solver>(
                 options_of(relative, absolute, divergence, most_iterations, jacobi));
           }),
           arg("relative"), arg("absolute"), arg("divergence"), arg("most_iterations"),
           arg("jacobi"))
      .def("solve", [](const Solver& self, const Mat& mat, const Dat& x, const Dat& b) {
        return in_turn([=] { return self->solve(mat, x, b); });
      });
}

void bind_mesh_matrices(MeshClass& mesh) {
  using Pairs = std::vector<std::pair<mesh::Map, mesh::Map>>;
  mesh.def(
          "sparsity",
          [](const MeshHandle& self, const Pairs& maps, std::size_t row_dim, std::size_t column_dim,
             const std::optional<mesh::Set>& columns, std::size_t layers) {
            return in_turn([self, maps, row_dim, column_dim, columns, layers] {
              if (!columns) return self->sparsity(maps, row_dim, column_dim);
              return self->sparsity(mesh::ExtrudedSet(*columns, layers), maps, row_dim, column_dim);
            });
          },
          py::keep_alive<0, 1>())
      .def(
          "mat",
          [](const MeshHandle& self, const std::string& name, const Sparsity& sparsity,
             const py::dtype& type) {
            return in_turn([self, name, sparsity, scalar = scalar_type_of(type)] {
              return self->mat(name, sparsity, scalar);
            });
          },
          py::keep_alive<0, 1>());
}

}  // namespace kiln::python
