#include "blas/template/template_list.hpp"

#include <algorithm>
#include <map>

#include "blas/types.hpp"

namespace kiln::blas {
namespace {

struct Entry {
  const char* name;
  TemplateGenerator::Defaults defaults;
  std::vector<std::string> shared = {};  ///< files that come before the template's own
};

Parameters nothing(const Request&) { return {}; }

Precision precision_of(const Request& request) {
  for (const auto& fact : request.facts)
    if (const auto* text = std::get_if<std::string>(&fact.value); text && fact.name == "precision")
      for (const auto precision : {Precision::s, Precision::d, Precision::c, Precision::z})
        if (*text == std::string(1, letter(precision))) return precision;
  throw Error(Errc::internal, "a kernel template without a precision");
}

/// The results that a CPU's work-item sums at a time fill a quarter of the nearest cache.
Parameters block_of_results(const Request& request) {
  return {{"block", static_cast<std::int64_t>(16384 / size_of(precision_of(request)))}};
}

/// `rows`: unknowns that are solved for between two updates of the rest; `sums`: how many of the
/// rest a CPU's work-item updates at a time. A GPU's are 64: the template says.
Parameters rows_of_solution(const Request& request) {
  const auto sums = static_cast<std::int64_t>(8192 / size_of(precision_of(request)));
  for (const auto& fact : request.facts)
    if (const auto* on_cpu = std::get_if<std::int64_t>(&fact.value);
        on_cpu != nullptr && fact.name == "on_cpu" && *on_cpu != 0)
      return {{"rows", std::min<std::int64_t>(512, sums)}, {"sums", sums}};
  return {{"rows", 64}, {"sums", 64}};
}

const std::vector<Entry>& entries() {
  static const std::vector<std::string> vectors{"vectors"}, reduction{"vectors", "reduction"};
  static const std::vector<Entry> all{
      // level 1
      {"swap", nothing, vectors},
      {"scal", nothing, vectors},
      {"copy", nothing, vectors},
      {"axpy", nothing, vectors},
      {"rot", nothing, vectors},
      {"rotm", nothing, vectors},
      {"dot_product", nothing, reduction},
      {"nrm2", nothing, reduction},
      {"asum", nothing, reduction},
      {"iamax", nothing, reduction},
      {"rotg", nothing},
      {"rotmg", nothing},
      // level 2
      {"pack_vector", nothing},
      {"mv_n", block_of_results, {"matrix", "lanes"}},
      {"mv_t", block_of_results, {"matrix", "lanes"}},
      {"mv_sum", nothing, {"matrix"}},
      {"mv_sym", nothing, {"matrix", "lanes"}},
      {"rank_update", nothing, {"matrix", "lanes"}},
      {"solve", rows_of_solution, {"matrix", "lanes"}},
      // level 3
      {"invert_triangles", nothing},
      {"scale_matrix", nothing},
  };
  return all;
}

}  // namespace

std::vector<std::unique_ptr<Generator>> template_generators() {
  std::vector<std::unique_ptr<Generator>> made;
  for (const auto& [name, defaults, shared] : entries())
    made.push_back(std::make_unique<TemplateGenerator>(name, defaults, shared));
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
