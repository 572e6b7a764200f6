#include "tune/worker/device_loss.hpp"

#include <algorithm>
#include <iterator>

namespace kiln::tune {
namespace {

/// The runtime's own checks of a launch and its memory: nothing of it has reached the device.
constexpr std::string_view harmless[] = {
    "CL_INVALID_WORK_GROUP_SIZE",  "CL_INVALID_WORK_ITEM_SIZE",        "CL_INVALID_WORK_DIMENSION",
    "CL_INVALID_GLOBAL_WORK_SIZE", "CL_INVALID_KERNEL_ARGS",           "CL_INVALID_ARG_SIZE",
    "CL_INVALID_BUFFER_SIZE",      "CL_MEM_OBJECT_ALLOCATION_FAILURE",
};

}  // namespace

bool may_have_lost_device(Failure failure, std::string_view message) {
  if (failure == Failure::launch)
    return std::none_of(std::begin(harmless), std::end(harmless), [&](std::string_view status) {
      return message.find(status) != message.npos;
    });
  // Too many registers and an access out of bounds have one name: the text does not tell them
  // apart, and a new process costs less than a search whose every later candidate fails.
  return failure == Failure::resources && message.find("CL_OUT_OF_RESOURCES") != message.npos;
}

}  // namespace kiln::tune
