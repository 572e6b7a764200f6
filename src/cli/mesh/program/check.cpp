#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/context.hpp"
#include "cli/json_line.hpp"
#include "cli/mesh/program/files.hpp"
#include "cli/mesh/program/verbs.hpp"
#include "cli/output.hpp"
#include "mesh/file/inspect.hpp"

namespace kiln::cli {
namespace {

nlohmann::ordered_json json_of(const mesh::Finding& finding) {
  nlohmann::ordered_json out{{"part", finding.part}, {"what", finding.what}};
  if (finding.count > 0) out.update({{"elements", finding.count}, {"first", finding.first}});
  return out;
}

std::string text_of(const mesh::Finding& finding) {
  const std::string text = fmt::format("{}: {}", finding.part, finding.what);
  if (finding.count == 0) return text;
  return fmt::format("{}: {}, the first is {}", text, finding.count, finding.first);
}

}  // namespace

int mesh_check(Context& context) {
  const std::string& path = context.arguments().front();
  const mesh::MeshFile mesh = read_mesh_argument(context);
  const auto findings = mesh::inspect(mesh);
  const int code = findings.empty() ? 0 : 1;
  if (context.flag("json")) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& finding : findings) list.push_back(json_of(finding));
    print_json({{"file", path}, {"ok", findings.empty()}, {"findings", std::move(list)}});
    return code;
  }
  for (const auto& finding : findings) print_text(fmt::format("{}: {}\n", path, text_of(finding)));
  if (findings.empty())
    print_text(fmt::format("{}: {} sets, {} maps, {} data, nothing wrong\n", path, mesh.sets.size(),
                           mesh.maps.size(), mesh.dats.size()));
  return code;
}

}  // namespace kiln::cli
