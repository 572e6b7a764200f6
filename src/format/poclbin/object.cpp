#include <string>

#include "format/poclbin.hpp"
#include "format/poclbin/elf.hpp"
#include "format/poclbin/path.hpp"

namespace kiln::poclbin {
namespace {

/// Whether PoCL would load the file: "/FOLDER/VARIANT/FOLDER.so", or with the kernel's own name.
bool is_object(std::string_view path, std::string_view kernel) {
  const std::string_view folder = first_component(path);
  const std::size_t name = path.rfind('/') + 1;
  if (name <= folder.size() + 2 || path.find('/', folder.size() + 2) != name - 1) return false;
  std::string_view stem = path.substr(name);
  if (!stem.ends_with(".so")) return false;
  stem.remove_suffix(3);
  return stem == folder || stem == kernel;
}

}  // namespace

Expected<void> check_object(ByteView elf, std::string_view kernel) {
  const auto object = read_shared_object(elf);
  if (!object) return tl::unexpected(object.error());
  const std::string symbol = "_pocl_kernel_" + std::string(kernel) + "_workgroup";
  if (!has_function(*object, symbol))
    return fail(Errc::corrupt, "kernel object: the function " + symbol + " is not defined");
  return {};
}

std::vector<ObjectProblem> object_problems(const Archive& archive, ByteView bytes) {
  std::vector<ObjectProblem> problems;
  for (const Kernel& kernel : archive.kernels)
    for (const File& file : kernel.files) {
      if (!is_object(file.path, kernel.name)) continue;
      if (const auto checked = check_object(file.content, kernel.name); !checked)
        problems.push_back({file.path,
                            static_cast<std::uint64_t>(file.content.data() - bytes.data()),
                            checked.error().message()});
    }
  return problems;
}

}  // namespace kiln::poclbin
