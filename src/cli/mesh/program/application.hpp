#pragma once

#include <optional>
#include <span>
#include <string>

#include "kiln/mesh.hpp"
#include "mesh/file/mesh_file.hpp"
#include "mesh/generate/naca0012.hpp"

/// What the commands that run an application share.
namespace kiln::cli {

class Context;

/// The mesh that --grid names, or the large one. Throws Error.
mesh::MeshFile application_mesh(const Context& context, mesh::Naca0012::Variant variant);

/// The parts of a mesh file that an application needs. Throws bad_input, naming the file, for what
/// is absent or of another shape. Views of the file.
class ApplicationFile {
 public:
  /// `expected`: how the mesh is made, for errors.
  ApplicationFile(const Context& context, const mesh::MeshFile& file, std::string expected);

  std::size_t set(const char* name) const;
  std::span<const std::int32_t> map(const char* name, const char* from, const char* to,
                                    int arity) const;
  template <class T>
  std::span<const T> dat(const char* name, const char* on, int dim) const {
    return mesh::values_of<T>(find_dat(name, on, dim, mesh::scalar_type_of<T>()));
  }

 private:
  [[noreturn]] void fail(const std::string& what) const;
  const mesh::FileDat& find_dat(const char* name, const char* on, int dim,
                                mesh::ScalarType type) const;
  std::string path_;
  const mesh::MeshFile& file_;
  std::string expected_;
};

/// How far a result is from its reference.
struct Deviation {
  bool passed = false;
  double percent = 0;
  double allowed_percent = 0;
};
/// Throws bad_input for a --reference that nothing can be held against: 0. Before the run.
void check_reference(const Context& context);
Deviation deviation_from(double reference, double result, double tolerance_percent);

/// Prints whether the check was passed, as text or JSON, where there was one, and gives the exit
/// code: 1 where it failed.
int print_deviation(const Context& context, const std::optional<Deviation>& deviation);
/// The same of a count of what is wrong: `wrong` of `all` `things`.
int print_wrong(const Context& context, std::size_t wrong, std::size_t all, const char* things);

}  // namespace kiln::cli
