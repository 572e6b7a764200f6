#include "tune/worker/device_loss.hpp"

namespace kiln::tune {

bool may_have_lost_device(Failure failure, std::string_view message) {
  if (failure == Failure::launch) return true;
  // Too many registers and an access out of bounds have one name: the text does not tell them
  // apart, and a new process costs less than a search whose every later candidate fails.
  return failure == Failure::resources && message.find("CL_OUT_OF_RESOURCES") != message.npos;
}

}  // namespace kiln::tune
