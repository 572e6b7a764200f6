#include "kiln/error.hpp"

namespace kiln {

const char* name_of(Errc code) noexcept {
  switch (code) {
    case Errc::bad_input:
      return "bad_input";
    case Errc::not_found:
      return "not_found";
    case Errc::io:
      return "io";
    case Errc::corrupt:
      return "corrupt";
    case Errc::unsupported:
      return "unsupported";
    case Errc::refused:
      return "refused";
    case Errc::build:
      return "build";
    case Errc::device:
      return "device";
    case Errc::timeout:
      return "timeout";
    case Errc::internal:
      return "internal";
  }
  return "unknown";
}

int exit_code(Errc code) noexcept {
  switch (code) {
    case Errc::bad_input:
    case Errc::not_found:
    case Errc::build:
    case Errc::unsupported:
      return 2;
    default:
      return 1;
  }
}

}  // namespace kiln
