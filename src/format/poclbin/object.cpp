#include <string>

#include "format/poclbin.hpp"
#include "format/poclbin/elf.hpp"

namespace kiln::poclbin {

Expected<void> check_object(ByteView elf, std::string_view kernel) {
  const auto object = read_shared_object(elf);
  if (!object) return tl::unexpected(object.error());
  const std::string symbol = "_pocl_kernel_" + std::string(kernel) + "_workgroup";
  if (!has_function(*object, symbol))
    return fail(Errc::corrupt, "kernel object: the function " + symbol + " is not defined");
  return {};
}

}  // namespace kiln::poclbin
