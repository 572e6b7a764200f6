#include "blas/template/template_list.hpp"

#include <map>

namespace kiln::blas {
namespace {

struct Entry {
  const char* name;
  std::int64_t version;  ///< raised when the template's text changes
  TemplateGenerator::Defaults defaults;
  std::vector<std::string> shared = {};
};

Parameters nothing(const Request&) { return {}; }

const std::vector<Entry>& entries() {
  // Raised with all of them when vectors.cl changes, or reduction.cl.
  constexpr std::int64_t level_1 = 2;
  static const std::vector<std::string> vectors{"vectors"}, reduction{"vectors", "reduction"};
  static const std::vector<Entry> all{
      // level 1
      {"swap", level_1, nothing, vectors},
      {"scal", level_1, nothing, vectors},
      {"copy", level_1, nothing, vectors},
      {"axpy", level_1, nothing, vectors},
      {"rot", level_1, nothing, vectors},
      {"rotm", level_1, nothing, vectors},
      {"dot_product", level_1, nothing, reduction},
      {"nrm2", level_1, nothing, reduction},
      {"asum", level_1, nothing, reduction},
      {"iamax", level_1, nothing, reduction},
      {"rotg", level_1, nothing},
      {"rotmg", level_1, nothing},
      // level 3
      {"invert_triangles", 1, nothing},
      {"scale_matrix", 1, nothing},
  };
  return all;
}

}  // namespace

std::vector<std::unique_ptr<Generator>> template_generators() {
  std::vector<std::unique_ptr<Generator>> made;
  for (const auto& [name, version, defaults, shared] : entries())
    made.push_back(std::make_unique<TemplateGenerator>(name, version, defaults, shared));
  return made;
}

std::int64_t template_version(const std::string& name) {
  static const auto versions = [] {
    std::map<std::string, std::int64_t> by_name;
    for (const auto& generator : template_generators())
      by_name[generator->family()] = generator->version();
    return by_name;
  }();
  const auto found = versions.find("blas." + name);
  if (found == versions.end()) throw Error(Errc::internal, "no kernel template " + name);
  return found->second;
}

}  // namespace kiln::blas
