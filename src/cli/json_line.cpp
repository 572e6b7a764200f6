#include "cli/json_line.hpp"

#include <nlohmann/json.hpp>

#include "cli/output.hpp"

namespace kiln::cli {

void print_json(const nlohmann::ordered_json& object) {
  using Handler = nlohmann::ordered_json::error_handler_t;
  print(object.dump(-1, ' ', false, Handler::replace) + "\n");
}

}  // namespace kiln::cli
