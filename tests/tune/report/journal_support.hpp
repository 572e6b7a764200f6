#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tune/search/journal.hpp"
#include "tune/support.hpp"

/// Journals to read, without a search.
namespace kiln::tune::testing {

inline const std::string head =
    R"x({"kiln tuning journal":1,"identity":"a kernel","device":"p|1|a device|2|3|64 bits|8 units",)x"
    R"x("strategy":"forest","seed":7,"space":"X=1,2 Y=1,2 (4 configurations)"})x"
    "\n";

/// The valley as a search that took every third configuration, for a second each.
inline std::string journal_of_valley(std::size_t step = 3) {
  const auto measured = valley();
  std::string text = head;
  double at = 0;
  for (ConfigurationId i = 0; i < measured.space.size(); i += step) {
    // Not in the order of the numbers: a search's best comes somewhere on the way.
    const ConfigurationId id = i * 37 % measured.space.size();
    Report report{measured.outcomes[id], ""};
    if (report.outcome.ok())
      report.outcome.time *= 1e-3;
    else
      report.message = "CL_INVALID_WORK_GROUP_SIZE";
    auto line = json_of_result(id, json_of_configuration(measured.space, id), report.outcome,
                               report.message);
    line["at"] = at += 1;
    text += dumped(line) + "\n";
  }
  return text;
}

}  // namespace kiln::tune::testing
