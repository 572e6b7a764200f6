#include "cli/output_file.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/file.hpp"

namespace kiln::cli {

const std::string& required_output(const Context& context) {
  if (!context.has("output"))
    throw Error(Errc::bad_input,
                fmt::format("{}: found no --output, expected the file to write (-o FILE)",
                            context.command().name));
  return context.text("output");
}

void write_output(const std::string& path, ByteView bytes) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw Error(Errc::bad_input,
                fmt::format("{} is no regular file, which could be replaced", path));
  value_or_throw(write_file(path, bytes));
}

}  // namespace kiln::cli
