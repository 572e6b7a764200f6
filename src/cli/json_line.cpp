#include "cli/json_line.hpp"

#include <nlohmann/json.hpp>

#include "cli/output.hpp"

namespace kiln::cli {
namespace {

/// JSON asks for no escape of DEL and of U+0080 to U+009F, which terminals obey, too.
std::string fit_for_terminals(const std::string& json) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const auto byte = static_cast<unsigned char>(json[i]);
    const auto next = static_cast<unsigned char>(i + 1 < json.size() ? json[i + 1] : 0);
    if (byte == 0x7f) {
      out += "\\u007f";
    } else if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {
      out += "\\u00";
      out += digits[next >> 4];
      out += digits[next & 0xf];
      ++i;
    } else {
      out += json[i];
    }
  }
  return out;
}

}  // namespace

void print_json(const nlohmann::ordered_json& object) {
  using Handler = nlohmann::ordered_json::error_handler_t;
  print(fit_for_terminals(object.dump(-1, ' ', false, Handler::replace)) + "\n");
}

}  // namespace kiln::cli
