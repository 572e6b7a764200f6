// What kiln.mpi is made of: ranks for kiln.op2's Meshes, their partitioners and files. The only
// module that links MPI; it is loaded when a communicator is given.
#include <pybind11/stl/filesystem.h>

#include "kiln/mpi.hpp"
#include "python/mesh/file_contents.hpp"
#include "python/mesh/turn.hpp"

namespace kiln::python {

/// That of the module _mesh.
std::timed_mutex& turn() {
  static auto& mutex = *static_cast<std::timed_mutex*>(
      py::module_::import("kiln._mesh").attr("_turn").cast<py::capsule>().get_pointer());
  return mutex;
}

namespace {

using mpi::Communicator;
using mpi::MeshFileBlock;

/// The name and version of the MPI library that calls go to.
std::string library_version() {
  std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  return text;
}

/// `address`: of the MPI_Comm that an object of mpi4py holds.
Communicator communicator_at(std::uintptr_t address) {
  const MPI_Comm comm = *reinterpret_cast<const MPI_Comm*>(address);
  return in_turn([comm] { return Communicator(comm); });
}

/// The rank's device, or the one of a queue of the application, unless `queue` is null.
Runtime runtime_of(const Communicator& comm, const std::string& device, const std::string& store,
                   cl_command_queue queue) {
  if (queue == nullptr) return mpi::runtime_for_rank(comm, {.devices = device, .store = store});
  cl_context context = nullptr;
  if (::clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr) !=
      CL_SUCCESS)
    throw Error(Errc::bad_input, "the handle is not that of a queue");
  return Runtime::adopt(context, {&queue, 1}, store);
}

/// A Mesh of which this rank has a part.
MeshHandle mesh_of(const Communicator& comm, const std::string& device, const std::string& store,
                   bool check, bool timeline, std::uintptr_t queue) {
  mesh::Mesh::Options options;
  options.check = check;
  options.timeline = timeline;
  options.queue = reinterpret_cast<cl_command_queue>(queue);
  return in_turn([=] {
    const Runtime runtime = runtime_of(comm, device, store, options.queue);
    return MeshHandle(new mesh::Mesh(runtime, mpi::transport(comm), options), DeleteInTurn{});
  });
}

std::vector<double> speeds(const Communicator& comm, const std::string& device,
                           const std::string& store, std::uintptr_t queue) {
  return in_turn([=] {
    return mpi::speeds(comm,
                       runtime_of(comm, device, store, reinterpret_cast<cl_command_queue>(queue)));
  });
}

/// Ends all ranks, with `text` on standard error behind "kiln: rank N: ".
void end_all(const Communicator& comm, const std::string& text, bool is_bad_input) {
  const py::gil_scoped_release unlocked;
  mpi::run(comm, [&] { throw Error(is_bad_input ? Errc::bad_input : Errc::internal, text); });
}

mesh::Partitioner scotch(const mesh::Set& primary, const std::vector<mesh::Map>& adjacency,
                         double imbalance, int seed, int attempts) {
  return mpi::scotch(primary, adjacency, {imbalance, seed, attempts});
}

mesh::Partitioner metis(const mesh::Set& primary, const std::vector<mesh::Map>& adjacency,
                        double imbalance, int seed, int attempts) {
  return mpi::metis(primary, adjacency, {imbalance, seed, attempts});
}

}  // namespace
}  // namespace kiln::python

PYBIND11_MODULE(_mpi, module) {
  using namespace kiln::python;
  module.doc() = "Ranks of MPI for kiln.op2. Import kiln.mpi instead.";
  bind_errors();
  (void)
      turn();  // imports _mesh, which has the classes of what is made here; later without the lock
  HandleClass<Communicator>(module, "Communicator")
      .def(py::init(
          [](std::uintptr_t address) { return new Communicator(communicator_at(address)); }))
      .def_property_readonly("rank", &Communicator::rank)
      .def_property_readonly("size", &Communicator::size);
  module.attr("size_of_handle") = sizeof(MPI_Comm);
  module.def("library_version", &library_version)
      .def("mesh", &mesh_of)
      .def("speeds", &speeds)
      .def("end_all", &end_all)
      .def("scotch", &scotch)
      .def("metis", &metis)
      .def("read_file",
           [](const Communicator& comm, const std::filesystem::path& path) {
             const auto file = in_turn([=] { return MeshFileBlock::read(comm, path); });
             return contents_of(file, [](const kiln::mpi::SetBlock& set) { return set.count; });
           })
      .def("write_file", [](const Communicator& comm, const py::dict& contents,
                            const std::filesystem::path& path) {
        auto file =
            file_of<MeshFileBlock>(contents, [](const std::string& name, std::int64_t rows) {
              return kiln::mpi::SetBlock{.name = name, .count = rows};
            });
        in_turn([comm, path, file = std::move(file)] { file.write(comm, path); });
      });
  // This module has threads of its own.
  py::module_::import("atexit").attr("register")(py::cpp_function(&finish_background));
}
