#include "blas/template/template_list.hpp"

#include <map>

namespace kiln::blas {
namespace {

struct Entry {
  const char* name;
  std::int64_t version;  ///< raised when the template's text changes
  TemplateGenerator::Defaults defaults;
};

Parameters nothing(const Request&) { return {}; }

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all{
      {"axpy", 1, nothing},
      {"invert_triangles", 1, nothing},
      {"scale_matrix", 1, nothing},
  };
  return all;
}

}  // namespace

std::vector<std::unique_ptr<Generator>> template_generators() {
  std::vector<std::unique_ptr<Generator>> made;
  for (const auto& [name, version, defaults] : entries())
    made.push_back(std::make_unique<TemplateGenerator>(name, version, defaults));
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
