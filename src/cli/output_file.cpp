#include "cli/output_file.hpp"

#include <fmt/format.h>

namespace kiln::cli {

const std::string& required_output(const Context& context) {
  if (!context.has("output"))
    throw Error(Errc::bad_input, fmt::format("{}: missing --output FILE (-o), the file to write",
                                             context.command().name));
  return context.text("output");
}

}  // namespace kiln::cli
