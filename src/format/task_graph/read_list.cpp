// The JSON list of kernels: each has its specification's attributes, and those of the graph.
#include <fmt/format.h>

#include <unordered_set>

#include "base/data/number.hpp"
#include "format/task_graph/json_node.hpp"

namespace kiln::task_graph {
namespace {

class ListReader {
 public:
  explicit ListReader(File& file) : file_(file) {}

  void read(const JsonNode& root) {
    root.each("a list of kernels", [&](const JsonNode& kernel) { read_kernel(kernel); });
    file_.edges.insert(file_.edges.end(), orders_.begin(), orders_.end());
  }

 private:
  void read_kernel(const JsonNode& kernel) {
    kernel.expect_object("a kernel, an object");
    Task task{.line = kernel.line()};
    task.id = id(kernel.required("id", "the task's number"));
    std::optional<int> among_symbols;
    kernel.optional("symbolicVariables", [&](const JsonNode& node) {
      TaskSymbols symbols = node.symbols();
      task.symbols = std::move(symbols.symbols);
      if (symbols.partition) among_symbols = partition_of(*symbols.partition);
      if (symbols.partition && !among_symbols)
        node.wrong("the partition " + symbols.partition->text(), partition_words);
    });
    task.partition = among_symbols;
    kernel.optional("partition", [&](const JsonNode& node) {
      task.partition = node.partition();
      if (among_symbols && among_symbols != task.partition) warn_of_partition(node, *among_symbols);
    });
    kernel.optional("task", [&](const JsonNode& node) { task.cluster = id(node); });
    sources_.clear();
    for (const std::string_view buffers : fed_buffers)
      kernel.optional(buffers, [&](const JsonNode& node) { read_buffers(node, task.id); });
    kernel.optional("outputBuffers", [](const JsonNode& node) { refuse_sources(node); });
    kernel.optional("depends", [&](const JsonNode& node) { read_parents(node, task.id); });
    task.inline_spec = spec_text(kernel.value());
    file_.tasks.push_back(std::move(task));
  }

  void warn_of_partition(const JsonNode& node, int other) {
    file_.warnings.push_back(
        fmt::format("{}: found the partition {} and among the symbols {}, expected one: the first "
                    "counts",
                    place_of(file_.name, node.line()), node.partition(), other));
  }

  /// A number, or a string of its digits.
  static std::int64_t id(const JsonNode& node) {
    constexpr std::string_view expected = "an integer";
    if (!node.is(JsonValue::Kind::string)) return node.integer(expected);
    const auto number = parse_number<std::int64_t>(node.value().text);
    if (!number) node.wrong(expected);
    return *number;
  }

  void read_buffers(const JsonNode& buffers, std::int64_t task) {
    buffers.each("a list of buffers", [&](const JsonNode& buffer) {
      buffer.expect_object("a buffer, an object");
      buffer.optional("from", [&](const JsonNode& from) {
        from.expect_object("{\"kernel\": id, \"pos\": position}");
        Edge edge{.to = task, .line = from.line()};
        edge.from = id(from.required("kernel", "the id of the task that fills the buffer"));
        edge.from_position = from.required("pos", "the position of its argument").position();
        edge.to_position = buffer.required("pos", "the buffer's position").position();
        sources_.insert(edge.from);
        file_.edges.push_back(edge);
      });
    });
  }

  static void refuse_sources(const JsonNode& buffers) {
    if (!buffers.is(JsonValue::Kind::list)) return;  // the specification's reader says so
    buffers.each("", [](const JsonNode& buffer) {
      buffer.optional("from", [](const JsonNode& from) {
        from.wrong("an edge to an output buffer", "it at an input or io buffer");
      });
    });
  }

  /// Those that hand over no data are an order alone.
  void read_parents(const JsonNode& parents, std::int64_t task) {
    parents.each("a list of ids", [&](const JsonNode& parent) {
      const std::int64_t from = id(parent);
      if (!sources_.insert(from).second) return;
      orders_.push_back({.from = from, .to = task, .line = parent.line()});
    });
  }

  File& file_;
  std::vector<Edge> orders_;
  std::unordered_set<std::int64_t> sources_;  ///< of the kernel that is read
};

}  // namespace

void read_list(const JsonValue& root, const LineTable& lines, File& file) {
  ListReader(file).read(JsonNode(root, lines, file));
}

}  // namespace kiln::task_graph
