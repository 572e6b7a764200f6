// Compiling beforehand what recorded calls and applications need.
#include "kiln/prebuild.hpp"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "python/core/store.hpp"

namespace kiln::python {
namespace {

py::dict result_of(const PrebuildResult& result) {
  using py::arg;
  py::list calls;
  for (const PrebuiltCall& call : result.calls) {
    py::object failure = py::none();
    if (call.failure) failure = py::str(call.failure->what());
    calls.append(py::dict(arg("kind") = call.kind, arg("name") = call.name,
                          arg("subject") = call.subject, arg("device") = call.device,
                          arg("count") = call.count, arg("share") = call.share,
                          arg("programs") = call.programs, arg("compiled") = call.compiled,
                          arg("failure") = failure));
  }
  return py::dict(arg("calls") = calls, arg("keys") = py::cast(result.keys),
                  arg("compiled") = result.compiled);
}

py::list used_by(const Store& store, const std::string& application) {
  using py::arg;
  py::list programs;
  for (const auto& one :
       without_lock([store, application] { return programs_used_by(store, application); }))
    programs.append(py::dict(arg("key") = one.key, arg("kernel") = one.kernel,
                             arg("options") = one.options, arg("fingerprint") = one.fingerprint,
                             arg("variants") = one.variants));
  return programs;
}

}  // namespace

void bind_prebuild(StoreClass& store, RuntimeClass& runtime) {
  using py::arg;
  store
      .def(
          "applications",
          [](const Store& self) {
            return without_lock([self] { return recorded_applications(self); });
          },
          "list of str: programs started by `kiln exec` that there is a record of")
      .def("used_by", &used_by, arg("application"),
           R"(list of dict: the programs that an application has built, in their order.

Raises NotFoundError where there is no record.)")
      .def(
          "keys_used_by",
          [](const Store& self, const std::string& application,
             const std::vector<std::string>& devices) {
            return without_lock(
                [self, application, devices] { return keys_used_by(self, application, devices); });
          },
          arg("application"), arg("devices") = std::vector<std::string>(),
          "list of str: the keys of all that an application needs, for entries() and "
          "export_pack()");
  runtime
      .def(
          "prebuild",
          [](const Runtime& self, const std::filesystem::path& record) {
            return result_of(without_lock([self, record] { return prebuild(self, record); }));
          },
          arg("record"),
          R"(Compiles what the calls of a record need, as `kiln prebuild`; nothing is run.

A dict: calls, a dict each with what came of it or why it failed, keys of the programs, and how many
were compiled. Loops over meshes are for the command.)")
      .def(
          "prebuild_used_by",
          [](const Runtime& self, const std::string& application) {
            return result_of(
                without_lock([self, application] { return prebuild_used_by(self, application); }));
          },
          arg("application"),
          R"(The same for what an application that `kiln exec` started is on record to have built.)");
}

}  // namespace kiln::python
