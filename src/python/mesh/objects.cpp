// Sets, maps and data: what loops are over, and what they work on.
#include <pybind11/stl.h>

#include "python/mesh/turn.hpp"
#include "python/mesh/types.hpp"

namespace kiln::python {
namespace {

using mesh::Dat;
using mesh::DataLayout;
using mesh::DataSet;
using mesh::Global;
using mesh::Map;
using mesh::Mesh;
using mesh::Set;
using mesh::Subset;

enum class HostUse : std::uint8_t { read, write };

/// All components of a Dat on the host, (elements, *shape), without a copy; keeps the Dat.
py::array host_of(const py::object& self, HostUse use) {
  auto dat = self.cast<Dat>();
  const void* begin = in_turn([dat, use]() mutable -> const void* {
    return with_scalar(dat.type(), [&]<class T>(T*) -> const void* {
      return use == HostUse::read ? dat.template read<T>().data() : dat.template write<T>().data();
    });
  });
  std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(dat.set().total_size())};
  for (const std::size_t extent : dat.shape()) shape.push_back(static_cast<py::ssize_t>(extent));
  py::array view(dtype_of(dat.type()), shape, begin, self);
  if (use == HostUse::read) view.attr("setflags")(py::arg("write") = false);
  return view;
}

void combine(Dat& self, char operation, const py::object& other) {
  const auto apply = [&](const auto& operand) {
    in_turn_now([&self, operation, operand] {
      switch (operation) {
        case '+':
          self += operand;
          break;
        case '-':
          self -= operand;
          break;
        case '*':
          self *= operand;
          break;
        default:
          self /= operand;
      }
    });
  };
  if (py::isinstance<Dat>(other))
    apply(other.cast<Dat>());
  else
    apply(number_of(other));
}

Set make_set(Mesh& mesh, const std::string& name, const std::array<std::size_t, 4>& sizes) {
  return in_turn_now([&] { return mesh.set(name, sizes); });
}

Map make_map(Mesh& mesh, const std::string& name, const Set& from, const Set& to, std::size_t arity,
             const Indices& values, const std::optional<Indices>& offsets) {
  return in_turn_now([&] {
    return mesh.map(name, from, to, arity, span_of(values),
                    offsets ? span_of(*offsets) : std::span<const std::int32_t>());
  });
}

Dat make_dat(Mesh& mesh, const std::string& name, const Set& set,
             const std::vector<std::size_t>& shape, const py::dtype& type,
             const std::optional<py::array>& values, bool soa) {
  return in_turn_now([&] {
    return mesh.dat(name, DataSet(set, shape), scalar_type_of(type),
                    values ? values->data() : nullptr,
                    values ? static_cast<std::size_t>(values->size()) : 0,
                    soa ? DataLayout::soa : DataLayout::aos);
  });
}

/// `offset`: bytes.
Dat wrap_dat(Mesh& mesh, const std::string& name, const Set& set,
             const std::vector<std::size_t>& shape, const py::dtype& type, std::uintptr_t memory,
             std::size_t offset) {
  const mesh::ScalarType scalar = scalar_type_of(type);
  if (offset % size_of(scalar) != 0)
    throw Error(Errc::bad_input, "dat " + name + ": found data from byte " +
                                     std::to_string(offset) + " on, expected a multiple of " +
                                     std::to_string(size_of(scalar)));
  return in_turn_now([&] {
    return mesh.wrap(name, DataSet(set, shape), scalar, reinterpret_cast<cl_mem>(memory),
                     offset / size_of(scalar), DataLayout::aos);
  });
}

MeshHandle owned(Mesh* mesh) { return {mesh, DeleteInTurn{}}; }

MeshHandle on_queue_of_others(Mesh::Options options, std::uintptr_t handle,
                              const std::string& store) {
  options.queue = reinterpret_cast<cl_command_queue>(handle);
  return in_turn([options, store] {
    cl_context context = nullptr;
    if (::clGetCommandQueueInfo(options.queue, CL_QUEUE_CONTEXT, sizeof context, &context,
                                nullptr) != CL_SUCCESS)
      throw Error(Errc::bad_input, "the handle is not that of a queue");
    return owned(new Mesh(Runtime::adopt(context, {&options.queue, 1}, store), options));
  });
}

py::array global_values(const Global& self) {
  return with_scalar(self.type(), [&]<class T>(T*) -> py::array {
    // Waits for the loops that change them.
    const std::vector<T> values = in_turn([self] { return self.template values<T>(); });
    return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
  });
}

void set_global_values(Global& self, const py::array& values) {
  in_turn_now([&] {
    with_scalar(self.type(), [&]<class T>(T*) {
      self.set(
          std::span(static_cast<const T*>(values.data()), static_cast<std::size_t>(values.size())));
    });
  });
}

}  // namespace

void bind_objects(py::module_& module) {
  HandleClass<Set>(module, "Set").def("subset", [](const Set& self, const Indices& indices) {
    return in_turn_now([&] { return self.subset(span_of(indices)); });
  });
  HandleClass<Subset>(module, "Subset");
  HandleClass<Map>(module, "Map").def("set_values", [](Map& self, const Indices& values) {
    in_turn_now([&] { self.set_values(span_of(values)); });
  });
  HandleClass<Dat>(module, "Dat")
      .def_property_readonly("nbytes", &Dat::bytes)
      .def("read", [](const py::object& self) { return host_of(self, HostUse::read); })
      .def("write", [](const py::object& self) { return host_of(self, HostUse::write); })
      .def("buffer",
           [](Dat& self) {
             return in_turn(
                 [self]() mutable { return reinterpret_cast<std::uintptr_t>(self.buffer()); });
           })
      .def("combine", &combine)
      .def("fill",
           [](Dat& self, const py::object& value) {
             in_turn_now([&self, number = number_of(value)] { self.fill(number); });
           })
      .def("zero", [](Dat& self, const Subset& subset) { in_turn_now([&] { self.zero(subset); }); })
      .def("copy", [](const Dat& self, Dat& to) { in_turn_now([&] { self.copy(to); }); })
      .def("copy", [](const Dat& self, Dat& to,
                      const Subset& subset) { in_turn_now([&] { self.copy(to, subset); }); })
      .def("axpy",
           [](Dat& self, const py::object& alpha, const Dat& x) {
             in_turn_now([&, number = number_of(alpha)] { self.axpy(number, x); });
           })
      .def("inner", [](const Dat& self,
                       const Dat& other) { return in_turn([=] { return self.inner(other); }); })
      .def("norm", [](const Dat& self) { return in_turn([=] { return self.norm(); }); })
      .def("is_halo_stale",
           [](Dat& self) { return in_turn_now([&] { return self.is_halo_stale(); }); })
      .def("halo_is_fresh", [](Dat& self) { in_turn_now([&] { self.halo_is_fresh(); }); });
  HandleClass<Global>(module, "Global")
      .def("values", &global_values)
      .def("set", &set_global_values);
  HandleClass<mesh::Const>(module, "Const")
      .def("set", [](mesh::Const& self, const py::array& values) {
        in_turn_now([&] {
          with_scalar(self.type(), [&]<class T>(T*) {
            self.set(std::span(static_cast<const T*>(values.data()),
                               static_cast<std::size_t>(values.size())));
          });
        });
      });
}

void bind_mesh(py::module_& module) {
  using mesh::TimelineSpan;
  using py::arg;
  py::class_<TimelineSpan>(module, "TimelineSpan", "One span of time of a Mesh: plain data.")
      .def_readonly("lane", &TimelineSpan::lane)
      .def_readonly("name", &TimelineSpan::name)
      .def_readonly("category", &TimelineSpan::category)
      .def_readonly("start_ns", &TimelineSpan::start_ns)
      .def_readonly("end_ns", &TimelineSpan::end_ns)
      .def_property_readonly("details", [](const TimelineSpan& self) {
        py::dict details;
        if (!self.reason.empty()) details["reason"] = self.reason;
        return details;
      });
  MeshClass mesh(module, "Mesh",
                 "Sets, maps and data, and loops over them, on one device (kiln/mesh.hpp).");
  mesh.def(py::init([](const std::string& device, const std::string& store, bool check, bool timing,
                       std::size_t queued, std::uintptr_t queue, bool timeline) {
             Mesh::Options options;
             options.check = check;
             options.timing = timing;
             options.timeline = timeline;
             options.queued = queued;
             if (queue != 0) return on_queue_of_others(options, queue, store);
             options.device = device;
             options.store = store;
             return in_turn([options] { return owned(new Mesh(options)); });
           }),
           arg("device") = "", arg("store") = "", arg("check") = false, arg("timing") = false,
           arg("queued") = 32, arg("queue") = 0, arg("timeline") = false)
      .def_property_readonly(
          "queue", [](const Mesh& self) { return reinterpret_cast<std::uintptr_t>(self.queue()); })
      .def("wrap", &wrap_dat, py::keep_alive<0, 1>())
      .def("set", &make_set, py::keep_alive<0, 1>())
      .def("map", &make_map, py::keep_alive<0, 1>())
      .def("dat", &make_dat, py::keep_alive<0, 1>())
      .def(
          "global_",
          [](Mesh& self, const std::string& name, const py::array& values) {
            return in_turn_now([&] {
              return self.global(name, scalar_type_of(values.dtype()), values.data(),
                                 static_cast<std::size_t>(values.size()));
            });
          },
          py::keep_alive<0, 1>())
      .def(
          "constant",
          [](Mesh& self, const std::string& name, const py::array& values) {
            return in_turn_now([&] {
              return self.constant(name, scalar_type_of(values.dtype()), values.data(),
                                   static_cast<std::size_t>(values.size()));
            });
          },
          py::keep_alive<0, 1>())
      .def("flush", [](const MeshHandle& self) { in_turn([self] { self->flush(); }); })
      .def("finish", [](const MeshHandle& self) { in_turn([self] { self->finish(); }); })
      .def("timeline",
           [](const MeshHandle& self) { return in_turn([self] { return self->timeline(); }); })
      .def("device_name", &Mesh::device_name);
  bind_mesh_matrices(mesh);
  bind_distribution(module, mesh);
}

}  // namespace kiln::python
