// Kiln's own JSON. What it does not know is refused, since a misspelt name would be without effect.
#include <fmt/format.h>

#include <algorithm>

#include "base/data/text.hpp"
#include "format/task_graph/json_node.hpp"

namespace kiln::task_graph {
namespace {

constexpr std::int64_t version = 1;

/// Each of an object's members must be one of these, and be there once.
void check_keys(const JsonNode& object, std::initializer_list<std::string_view> known) {
  std::uint32_t seen = 0;
  for (const JsonMember& member : object.value().members) {
    const auto* const found = std::find(known.begin(), known.end(), member.key);
    if (found == known.end())
      object.wrong("the unknown " + shown(member.key),
                   fmt::format("one of {}{}", fmt::join(known, ", "),
                               did_you_mean(member.key, std::span(known.begin(), known.size()))));
    const std::uint32_t bit = 1u << (found - known.begin());
    if (seen & bit) object.wrong("a second " + shown(member.key), "one");
    seen |= bit;
  }
}

class OwnReader {
 public:
  explicit OwnReader(File& file) : file_(file) {}

  void read(const JsonNode& root) {
    const JsonNode found = root.required(
        "kiln-graph", fmt::format("\"kiln-graph\": {}: a graph of tasks, or a list", version));
    if (found.integer("the format's version") != version)
      found.wrong(fmt::format("version {}", found.value().integer), fmt::format("{}", version),
                  Errc::unsupported);
    check_keys(root,
               {"kiln-graph", "tasks", "edges", "orders", "results", "description", "$schema"});
    root.required("tasks", "a list of tasks").each("a list of tasks", [&](const JsonNode& node) {
      read_task(node);
    });
    root.optional("edges", [&](const JsonNode& list) {
      list.each("a list of edges", [&](const JsonNode& node) { read_edge(node); });
    });
    root.optional("orders", [&](const JsonNode& list) {
      list.each("a list of orders", [&](const JsonNode& node) { read_order(node); });
    });
    root.optional("results", [&](const JsonNode& list) {
      list.each("a list of results", [&](const JsonNode& node) { read_result(node); });
    });
  }

 private:
  void read_task(const JsonNode& node) {
    node.expect_object("a task, an object");
    check_keys(node, {"id", "spec", "symbols", "partition", "cluster"});
    Task task{.line = node.line()};
    task.id = node.required("id", "the task's number").integer("an integer");
    read_spec(node.required("spec", "its specification's file name, or the specification"), task);
    node.optional("symbols", [&](const JsonNode& list) {
      TaskSymbols symbols = list.symbols();
      if (symbols.partition) list.wrong("a symbol partition", "the task's \"partition\" alone");
      task.symbols = std::move(symbols.symbols);
    });
    node.optional("partition", [&](const JsonNode& value) { task.partition = value.partition(); });
    node.optional("cluster",
                  [&](const JsonNode& value) { task.cluster = value.integer("an integer"); });
    file_.tasks.push_back(std::move(task));
  }

  static void read_spec(const JsonNode& node, Task& task) {
    if (node.is(JsonValue::Kind::string)) {
      task.spec = node.value().text;
      if (task.spec.empty()) node.wrong("a file name");
      return;
    }
    node.expect_object("a file name, or a specification's object");
    for (const JsonMember& member : node.value().members) {
      if (is_graph_key(member.key)) refuse_graph_key(node, member);
      if (!is_fed_buffers(member.key)) continue;
      for (const JsonValue& buffer : member.value.items)
        if (const auto* from = buffer.find("from")) refuse_graph_key(node, *from);
    }
    task.inline_spec = spec_text(node.value());
  }

  [[noreturn]] static void refuse_graph_key(const JsonNode& node, const JsonMember& member) {
    node.member(member).wrong(shown(member.key) + " in a specification", "it in the graph alone");
  }

  void read_edge(const JsonNode& node) {
    node.expect_object("an edge, {\"from\": [id, position], \"to\": [id, position]}");
    check_keys(node, {"from", "to"});
    const End from = end(node.required("from", "[id, position]"));
    const End to = end(node.required("to", "[id, position]"));
    file_.edges.push_back({from.task, to.task, from.position, to.position, node.line()});
  }

  void read_order(const JsonNode& node) {
    node.expect_object("an order, {\"from\": id, \"to\": id}");
    check_keys(node, {"from", "to"});
    Edge edge{.line = node.line()};
    edge.from = node.required("from", "a task's id").integer("a task's id");
    edge.to = node.required("to", "a task's id").integer("a task's id");
    file_.edges.push_back(edge);
  }

  void read_result(const JsonNode& node) {
    const End result = end(node);
    file_.results.push_back(result);
  }

  static End end(const JsonNode& node) {
    constexpr std::string_view expected = "[id, position]";
    if (!node.is(JsonValue::Kind::list) || node.value().items.size() != 2) node.wrong(expected);
    return {node.item(0).integer("a task's id"), node.item(1).position()};
  }

  File& file_;
};

}  // namespace

void read_own(const JsonValue& root, const LineTable& lines, File& file) {
  OwnReader(file).read(JsonNode(root, lines, file));
}

}  // namespace kiln::task_graph
