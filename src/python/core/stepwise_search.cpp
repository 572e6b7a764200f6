// kiln.tune.StepwiseSearch: the strategies by ask and tell.
#include "kiln/tune/stepwise_search.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "python/core/runtime.hpp"
#include "python/core/values.hpp"

namespace kiln::python {
namespace {

using tune::StepwiseSearch;
using Table = py::array_t<std::uint16_t, py::array::c_style | py::array::forcecast>;

std::vector<StepwiseSearch::Parameter> stepwise_parameters(const py::dict& parameters) {
  std::vector<StepwiseSearch::Parameter> all;
  for (const auto& [name, values] : parameters) {
    auto& one = all.emplace_back(StepwiseSearch::Parameter{name.cast<std::string>(), {}});
    for (const auto value : values) one.values.push_back(value_of(value));
  }
  return all;
}

StepwiseSearch make_stepwise(const py::dict& parameters,
                             const std::vector<std::string>& constraints,
                             const std::optional<Table>& rows, const std::string& method,
                             std::uint64_t seed, const StepwiseSearch* start_from) {
  const StepwiseSearch::Options options{method_named(method), seed, start_from};
  auto read = stepwise_parameters(parameters);
  if (!rows) {
    const py::gil_scoped_release unlocked;  // a large space takes a second or more
    return {std::move(read), constraints, options};
  }
  if (rows->ndim() != 2) throw Error(Errc::bad_input, "rows: expected a table of positions");
  const auto count = static_cast<std::size_t>(rows->shape(0));
  const auto width = static_cast<std::size_t>(rows->shape(1));
  std::vector<StepwiseSearch::Positions> listed(count);
  for (std::size_t i = 0; i < count; ++i)
    listed[i].assign(rows->data() + i * width, rows->data() + (i + 1) * width);
  const py::gil_scoped_release unlocked;
  return StepwiseSearch::of(std::move(read), listed, options);
}

Table table_of(const StepwiseSearch& search, std::size_t width) {
  Table table({static_cast<std::size_t>(search.size()), width});
  std::uint16_t* to = table.mutable_data();
  const py::gil_scoped_release unlocked;
  for (StepwiseSearch::Id id = 0; id < search.size(); ++id)
    for (const std::uint16_t position : search.positions(id)) *to++ = position;
  return table;
}

}  // namespace

void bind_stepwise_search(py::module_& module) {
  using py::arg;
  py::class_<StepwiseSearch>(module, "StepwiseSearch",
                             R"(A search by ask and tell: the caller measures.

Configurations are numbers; positions() are those of their values. One thread at a time.)")
      .def(py::init(&make_stepwise), arg("parameters"), py::kw_only(),
           arg("constraints") = std::vector<std::string>(), arg("rows") = py::none(),
           arg("method") = "forest", arg("seed") = 0, arg("start_from") = py::none(),
           R"(parameters: name to list of values, numbers, bools or texts.

constraints: expressions in Python that must hold. rows: in their place the valid configurations, a
table of positions of values. method: "forest", "multi-start", "iterated-local", "annealing",
"genetic", "random" or "exhaustive". start_from: a search that was told of another device.)")
      .def("__len__", &StepwiseSearch::size)
      .def(
          "positions",
          [](const StepwiseSearch& self, StepwiseSearch::Id id) {
            return py::tuple(py::cast(self.positions(id)));
          },
          arg("configuration"))
      .def("find", &StepwiseSearch::find, arg("positions"),
           "int | None: the configuration at these positions")
      .def("neighbours", &StepwiseSearch::neighbours, arg("configuration"),
           "list of int: those in which one parameter has another value")
      .def(
          "table",
          [](const StepwiseSearch& self) { return table_of(self, self.positions(0).size()); },
          "numpy.ndarray: the positions of all configurations, one a row")
      .def(
          "ask",
          [](StepwiseSearch& self) {
            const py::gil_scoped_release unlocked;
            return self.ask();
          },
          "int | None: the next configuration to measure; None: all were asked for")
      .def("tell", &StepwiseSearch::tell, arg("configuration"), arg("cost"),
           "cost: a positive number, of which the least is sought; None: it failed.");
}

}  // namespace kiln::python
