#include "spec/reader.hpp"

namespace kiln::spec {
namespace {

/// Numbers that the original stores and never uses; kept so that nothing of a file is lost.
void read_costs(const Json& root, Spec& spec, Reader& reader) {
  constexpr std::string_view what = "an object {dataset: number}";
  const auto number = [](const Json& value) -> std::optional<double> {
    if (value.is(Json::Kind::integer)) return static_cast<double>(value.integer);
    if (value.is(Json::Kind::real)) return value.real;
    return std::nullopt;
  };
  if (const Json* value = Reader::optional(root, "eco")) {
    spec.eco = number(*value);
    if (!spec.eco) reader.expected(*value, "eco", "a number");
  }
  const Json* costs = Reader::optional(root, "ecos");
  if (costs == nullptr) return;
  if (!costs->is(Json::Kind::object)) {
    reader.expected(*costs, "ecos", what);
    return;
  }
  for (const auto& member : costs->members) {
    const auto cost = number(member.value);
    if (cost) {
      spec.ecos[member.key] = *cost;
    } else {
      reader.expected(member.value, join("ecos", quote(member.key)), "a number");
    }
  }
}

/// Whether the ids exist is for the graph to say: one file knows only itself.
void read_depends(const Json& root, Spec& spec, Reader& reader) {
  const Json* list = Reader::optional(root, "depends");
  if (list == nullptr) return;
  if (!list->is(Json::Kind::list)) {
    reader.expected(*list, "depends", "a list of kernel ids");
    return;
  }
  auto& depends = spec.depends.emplace();
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    auto id = reader.read_id(list->items[i], join("depends", i));
    if (id && spec.id && *id == *spec.id) {
      reader.error(list->items[i].at, join("depends", i),
                   "found the kernel's own id, expected the id of another kernel");
    }
    if (id) depends.push_back(*std::move(id));
  }
}

}  // namespace

void read_graph(const Json& root, Spec& spec, Reader& reader) {
  if (const Json* value = Reader::optional(root, "id")) spec.id = reader.read_id(*value, "id");
  read_costs(root, spec, reader);
  read_depends(root, spec, reader);
  if (const Json* value = Reader::optional(root, "task")) {
    spec.task = reader.read_integer(*value, "task", INT64_MIN, INT64_MAX, "an integer");
  }
  if (const Json* value = Reader::optional(root, "dataset")) {
    spec.dataset = reader.read_integer(*value, "dataset", INT64_MIN, INT64_MAX, "an integer");
  }
}

// An empty `depends` is a root of a graph, and runs alone as well as any kernel.
bool is_part_of_graph(const Spec& spec) {
  if (spec.task || (spec.depends && !spec.depends->empty())) return true;
  for (const auto& buffer : spec.buffers) {
    if (buffer.from) return true;
  }
  return false;
}

}  // namespace kiln::spec
