#include "cli/failure.hpp"

#include <nlohmann/json.hpp>

#include "cli/context.hpp"
#include "cli/json_line.hpp"
#include "cli/output.hpp"

namespace kiln::cli {

void print_failure_json(std::string_view error, std::string_view kind, int exit_code,
                        std::string_view file) {
  nlohmann::ordered_json object;
  if (!file.empty()) object["file"] = file;
  object["error"] = error;
  object["kind"] = kind;
  object["exit_code"] = exit_code;
  print_json(object);
}

int tell_failure(const Context& context, const std::string& file, const Error& error) {
  const int code = exit_code(error.code());
  complain_of(file, error.message());
  if (context.flag("json")) print_failure_json(error.message(), name_of(error.code()), code, file);
  return code;
}

}  // namespace kiln::cli
