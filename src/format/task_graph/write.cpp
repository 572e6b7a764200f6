// Graphs as texts of each format. What one cannot hold is refused: left out, it would be missed by
// no reader.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/expected.hpp"
#include "expr/text.hpp"
#include "format/task_graph/form.hpp"

namespace kiln::task_graph {
namespace {

template <class... Values>
void put(std::string& to, fmt::format_string<Values...> text, Values&&... values) {
  fmt::format_to(std::back_inserter(to), text, std::forward<Values>(values)...);
}

std::string task_words(const Task& task) { return fmt::format("task {}", task.id); }
std::string edge_words(const Edge& edge) { return fmt::format("{} -> {}", edge.from, edge.to); }

[[noreturn]] void cannot(const File& file, std::uint32_t line, std::string_view found,
                         std::string_view expected) {
  refuse(file.name, line, found, expected, Errc::unsupported);
}

// ---- The text of two sections

/// A literal without blanks, since the first readers of these files split lines at them.
std::string literal(std::string_view text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < '\x7f' && c != '"' && c != '\\';
  });
  if (plain) return fmt::format("\"{}\"", text);
  std::string escaped;
  for (const char c : expr::string_text(text)) {
    if (c == ' ') {
      escaped += "\\x20";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

void check_text(const File& file) {
  for (const Task& task : file.tasks) {
    if (!task.inline_spec.empty())
      cannot(file, task.line, task_words(task) + " with its specification inline",
             "a file name, which is all that the text holds");
    if (task.spec.find(' ') != task.spec.npos)
      cannot(file, task.line, "the specification " + shown(task.spec),
             "a name without blanks, which the text cannot hold");
    if (task.cluster)
      cannot(file, task.line, fmt::format("{} in cluster {}", task_words(task), *task.cluster),
             "none: the text has no clusters");
  }
  for (const Edge& edge : file.edges)
    if (edge.is_order())
      cannot(file, edge.line, "the order " + edge_words(edge),
             "edges with data: the text has no orders");
  if (!file.results.empty())
    cannot(file, 0, fmt::format("{} results", file.results.size()),
           "none: the text has no results");
}

void put_text_task(std::string& to, const Task& task) {
  put(to, "{} {} {{", task.id, task.spec);
  std::string_view comma;
  for (const auto& [name, value] : task.symbols) {
    const auto* text = std::get_if<std::string>(&value.data());
    put(to, "{}{}:{}", comma, literal(name), text ? literal(*text) : value.text());
    comma = ",";
  }
  if (task.partition) put(to, "{}\"partition\":{}", comma, *task.partition);
  to += "}\n";
}

// ---- JSON of both kinds

void put_value(std::string& to, const expr::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value.data())) {
    append_json(to, std::string_view(*text));
  } else if (const auto* truth = std::get_if<bool>(&value.data())) {
    to += *truth ? "true" : "false";
  } else {
    to += value.text();
  }
}

void put_symbols(std::string& to, const std::vector<Symbol>& symbols) {
  to += '{';
  for (const Symbol& symbol : symbols) {
    if (&symbol != &symbols.front()) to += ", ";
    append_json(to, std::string_view(symbol.first));
    to += ": ";
    put_value(to, symbol.second);
  }
  to += '}';
}

/// The items of a list, a line each.
template <class List, class PutOne>
void put_lines(std::string& to, std::string_view indent, const List& list, PutOne put_one) {
  to += '[';
  std::string_view comma;
  for (const auto& item : list) {
    put(to, "{}\n{}", comma, indent);
    put_one(item);
    comma = ",";
  }
  if (!comma.empty()) put(to, "\n{}", indent.substr(2));
  to += ']';
}

// ---- The list of kernels

using EdgesByTask = std::unordered_map<std::int64_t, std::vector<const Edge*>>;

class ListWriter {
 public:
  explicit ListWriter(const File& file) : file_(file) {
    for (const Edge& edge : file.edges) edges_[edge.to].push_back(&edge);
    if (!file.results.empty())
      cannot(file, 0, fmt::format("{} results", file.results.size()),
             "none: a list has no results");
  }

  std::string write() {
    put_lines(text_, "  ", file_.tasks, [&](const Task& task) { put_kernel(task); });
    return std::move(text_) + '\n';
  }

 private:
  void put_kernel(const Task& task) {
    if (task.inline_spec.empty())
      cannot(file_, task.line, fmt::format("{} with {}", task_words(task), shown(task.spec)),
             "the specification itself, which a list has inline");
    JsonDocument document = parse_json(task.inline_spec);
    JsonValue& kernel = *document.root;
    feed(kernel, edges_[task.id]);
    put(text_, "{{\"id\": {}", task.id);
    for (const JsonMember* member : counting_members(kernel)) {
      text_ += ", ";
      append_json(text_, std::string_view(member->key));
      text_ += ": ";
      append_json(text_, member->value);
    }
    text_ += ", \"symbolicVariables\": ";
    put_symbols(text_, task.symbols);
    put_parents(edges_[task.id]);
    if (task.partition) put(text_, ", \"partition\": {}", *task.partition);
    if (task.cluster) put(text_, ", \"task\": {}", *task.cluster);
    text_ += '}';
  }

  /// Writes at buffers which argument of which task fills them.
  void feed(JsonValue& kernel, const std::vector<const Edge*>& edges) const {
    auto buffers = buffers_of(kernel);
    for (const Edge* edge : edges) {
      if (edge->is_order()) continue;
      const auto found = buffers.find(*edge->to_position);
      if (found == buffers.end())
        cannot(file_, edge->line,
               fmt::format("the edge {} to argument {}", edge_words(*edge), *edge->to_position),
               "one to an input or io buffer of the specification");
      JsonValue from{.kind = JsonValue::Kind::object};
      from.members.push_back({"kernel", 0, number(edge->from)});
      from.members.push_back({"pos", 0, number(*edge->from_position)});
      found->second->members.push_back({"from", 0, std::move(from)});
    }
  }

  /// By position, of equal ones the first.
  static std::unordered_map<std::int64_t, JsonValue*> buffers_of(JsonValue& kernel) {
    std::unordered_map<std::int64_t, JsonValue*> buffers;
    for (JsonMember& member : kernel.members) {
      if (!is_fed_buffers(member.key) || &member != kernel.find(member.key)) continue;
      for (JsonValue& buffer : member.value.items) {
        const JsonMember* const position = buffer.find("pos");
        if (position && position->value.is(JsonValue::Kind::integer))
          buffers.try_emplace(position->value.integer, &buffer);
      }
    }
    return buffers;
  }

  static JsonValue number(std::int64_t value) {
    return {.kind = JsonValue::Kind::integer, .integer = value};
  }

  /// Each once. Without any the member is left out: an empty list confuses the original's reader.
  void put_parents(const std::vector<const Edge*>& edges) {
    std::vector<std::int64_t> parents;
    for (const bool orders : {false, true})
      for (const Edge* edge : edges)
        if (edge->is_order() == orders) parents.push_back(edge->from);
    std::unordered_map<std::int64_t, bool> seen;
    std::erase_if(parents, [&](std::int64_t id) { return !seen.try_emplace(id, true).second; });
    if (!parents.empty()) put(text_, ", \"depends\": [{}]", fmt::join(parents, ", "));
  }

  const File& file_;
  EdgesByTask edges_;
  std::string text_;
};

// ---- Kiln's own

void put_own_task(std::string& to, const Task& task) {
  put(to, "{{\"id\": {}, \"spec\": ", task.id);
  if (!task.spec.empty()) {
    append_json(to, std::string_view(task.spec));
  } else {
    to += spec_text(*parse_json(task.inline_spec).root);
  }
  if (!task.symbols.empty()) {
    to += ", \"symbols\": ";
    put_symbols(to, task.symbols);
  }
  if (task.partition) put(to, ", \"partition\": {}", *task.partition);
  if (task.cluster) put(to, ", \"cluster\": {}", *task.cluster);
  to += '}';
}

/// A member that holds a list, where that has items.
template <class List, class PutOne>
void put_member(std::string& to, std::string_view name, const List& list, PutOne put_one) {
  if (list.empty()) return;
  put(to, ",\n  \"{}\": ", name);
  put_lines(to, "    ", list, put_one);
}

/// The edges that are orders, or those that are none.
std::vector<Edge> edges_of(const File& file, bool orders) {
  std::vector<Edge> edges;
  std::copy_if(file.edges.begin(), file.edges.end(), std::back_inserter(edges),
               [&](const Edge& edge) { return edge.is_order() == orders; });
  return edges;
}

std::string own_text(const File& file) {
  std::string to = "{\n  \"kiln-graph\": 1,\n  \"tasks\": ";
  put_lines(to, "    ", file.tasks, [&](const Task& task) { put_own_task(to, task); });
  put_member(to, "edges", edges_of(file, false), [&](const Edge& edge) {
    put(to, "{{\"from\": [{}, {}], \"to\": [{}, {}]}}", edge.from, *edge.from_position, edge.to,
        *edge.to_position);
  });
  put_member(to, "orders", edges_of(file, true), [&](const Edge& edge) {
    put(to, "{{\"from\": {}, \"to\": {}}}", edge.from, edge.to);
  });
  put_member(to, "results", file.results,
             [&](const End& end) { put(to, "[{}, {}]", end.task, end.position); });
  return to + "\n}\n";
}

}  // namespace

Expected<std::string> write_text(const File& file) {
  if (const auto sound = check(file); !sound) return tl::unexpected(sound.error());
  return expected_from([&] {
    check_text(file);
    std::string to;
    for (const Task& task : file.tasks) put_text_task(to, task);
    to += "---\n";
    for (const Edge& edge : file.edges)
      put(to, "{} {}->{} {}\n", edge.from, *edge.from_position, edge.to, *edge.to_position);
    return to + "---\n";
  });
}

Expected<std::string> write_list(const File& file) {
  if (const auto sound = check(file); !sound) return tl::unexpected(sound.error());
  return expected_from([&] { return ListWriter(file).write(); });
}

Expected<std::string> write_json(const File& file) {
  if (const auto sound = check(file); !sound) return tl::unexpected(sound.error());
  return own_text(file);
}

Expected<std::string> write(const File& file, Format format) {
  if (format == Format::text) return write_text(file);
  return format == Format::list ? write_list(file) : write_json(file);
}

}  // namespace kiln::task_graph
