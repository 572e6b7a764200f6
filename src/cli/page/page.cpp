#include "cli/page/page.hpp"

#include <nlohmann/json.hpp>

#include "base/data/text.hpp"

namespace kiln::cli {
namespace {

/// The text with another in the place of each such character.
std::string replaced(std::string_view text, char character, std::string_view by) {
  std::string result;
  for (const char c : text) c == character ? result += by : result += c;
  return result;
}

}  // namespace

std::string filled_page(std::string_view html, std::string_view summary,
                        const nlohmann::ordered_json& data) {
  constexpr std::string_view summary_place = "@summary@", data_place = "@data@";
  const auto first = html.find(summary_place), second = html.find(data_place, first);
  std::string page(html.substr(0, first));
  page += replaced(replaced(one_line(summary), '&', "&amp;"), '<', "&lt;");
  page += html.substr(first + summary_place.size(), second - first - summary_place.size());
  // As ASCII, and without the character that could end the data's element.
  page += replaced(data.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace), '<',
                   "\\u003c");
  return page += html.substr(second + data_place.size());
}

}  // namespace kiln::cli
