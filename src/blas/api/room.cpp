#include "blas/api/room.hpp"

#include <fmt/format.h>

#include "blas/api/refusal.hpp"
#include "blas/uses.hpp"

namespace kiln::blas {

void require_room(const Call& call, std::size_t in_one, std::size_t in_all) {
  constexpr std::string_view slots = "ABCxyzw";
  std::size_t all = 0;
  for (const Use& use : Uses(call)) {
    const Operand& operand = call[use.slot];
    if (operand.memory != nullptr) continue;
    std::size_t extent = 0, bytes = 0;
    const bool is_number =
        extent_of(use, operand, extent) && !__builtin_mul_overflow(extent, use.element, &bytes);
    const std::string takes = fmt::format("{}: {} takes {} bytes", full_name_of(call),
                                          slots[static_cast<std::size_t>(use.slot)],
                                          is_number ? std::to_string(bytes) : "2^64 or more");
    if (!is_number || bytes > in_one)
      throw Error(Errc::bad_input,
                  takes + (in_one == no_bound
                               ? ", more than any memory has"
                               : fmt::format(", found memory for {} in one buffer", in_one)));
    if (__builtin_add_overflow(all, bytes, &all) || all > in_all)
      throw Error(
          Errc::bad_input,
          fmt::format("{}, the arguments together more than the device's {}", takes, in_all));
  }
}

}  // namespace kiln::blas
