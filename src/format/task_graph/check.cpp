// What makes a graph sound, whichever way it came to be. All of it takes time in proportion to the
// graph, and no recursion: files are large, and hostile ones are as deep as they are long.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/data/text.hpp"
#include "base/expected.hpp"
#include "format/task_graph/form.hpp"

namespace kiln::task_graph {
namespace {

/// Where in the file's list a task of an id is.
class TaskIndex {
 public:
  explicit TaskIndex(const File& file) {
    by_id_.reserve(file.tasks.size());
    for (const Task& task : file.tasks)
      by_id_.emplace_back(task.id, static_cast<std::uint32_t>(by_id_.size()));
    if (!std::is_sorted(by_id_.begin(), by_id_.end())) std::sort(by_id_.begin(), by_id_.end());
  }

  /// The tasks by id, those of equal ids in the file's order.
  const std::vector<std::pair<std::int64_t, std::uint32_t>>& by_id() const { return by_id_; }

  std::optional<std::uint32_t> find(std::int64_t id) const {
    // Most files count their tasks from 0.
    const auto guess = static_cast<std::uint64_t>(id);
    if (guess < by_id_.size() && by_id_[guess].first == id) return by_id_[guess].second;
    const auto found = std::lower_bound(by_id_.begin(), by_id_.end(), std::pair{id, 0u});
    if (found == by_id_.end() || found->first != id) return std::nullopt;
    return found->second;
  }

 private:
  std::vector<std::pair<std::int64_t, std::uint32_t>> by_id_;
};

class GraphCheck {
 public:
  explicit GraphCheck(const File& file) : file_(file), index_(file) {}

  void run() {
    check_ids();
    for (const Task& task : file_.tasks) check_task(task);
    find_ends();
    group_by_destination();
    check_arguments();
    check_order();
    for (const End& result : file_.results)
      if (!index_.find(result.task))
        wrong(0, fmt::format("a result of task {}", result.task), "one of the file's tasks");
  }

 private:
  [[noreturn]] void wrong(std::uint32_t line, std::string_view found,
                          std::string_view expected) const {
    refuse(file_.name, line, found, expected);
  }

  static std::string in_line(std::uint32_t line) {
    return line == 0 ? "" : fmt::format(" (the first is in line {})", line);
  }

  void check_ids() const {
    const auto& by_id = index_.by_id();
    const auto again =
        std::adjacent_find(by_id.begin(), by_id.end(),
                           [](const auto& a, const auto& b) { return a.first == b.first; });
    if (again == by_id.end()) return;
    wrong(file_.tasks[std::next(again)->second].line,
          fmt::format("a second task {}{}", again->first, in_line(file_.tasks[again->second].line)),
          "each id once");
  }

  void check_task(const Task& task) const {
    if (task.spec.empty() == task.inline_spec.empty())
      wrong(task.line,
            fmt::format("{} specification of task {}", task.spec.empty() ? "no" : "a second",
                        task.id),
            "a file name or the specification itself");
    if (!task.spec.empty() && !is_spec_name(task.spec))
      wrong(task.line, "the specification " + shown(task.spec),
            "a file name that ends in .json, without folders");
    // A file has it within its own levels, of which parse_json() takes 64.
    if (!check_json_bounds(task.inline_spec, {.depth = 60}))
      wrong(task.line,
            fmt::format("values nested deeper than 60 in the specification of task {}", task.id),
            "a few levels");
    if (task.partition && (*task.partition < 0 || *task.partition > 10))
      wrong(task.line, fmt::format("the partition {} of task {}", *task.partition, task.id),
            partition_words);
  }

  /// It is joined to a folder's name: it must not lead out of there.
  static bool is_spec_name(std::string_view name) {
    if (name.size() <= 5 || !name.ends_with(".json") || name.front() == '.') return false;
    if (name.find("..") != name.npos || name.find_first_of("/\\") != name.npos) return false;
    const auto plain = [](char c) { return c >= ' ' && c < '\x7f'; };
    return std::all_of(name.begin(), name.end(), plain) ||
           (is_utf8(name) && one_line(name) == name);
  }

  // ---- Edges

  void find_ends() {
    from_.reserve(file_.edges.size());
    to_.reserve(file_.edges.size());
    for (const Edge& edge : file_.edges) {
      if (edge.from_position.has_value() != edge.to_position.has_value())
        wrong(edge.line, fmt::format("an edge {} -> {} with one position", edge.from, edge.to),
              "two, or none for an order alone");
      from_.push_back(end_of(edge, edge.from, "from"));
      to_.push_back(end_of(edge, edge.to, "to"));
      if (edge.from == edge.to)
        wrong(edge.line, fmt::format("an edge from task {} to itself", edge.from),
              "one to another task");
    }
  }

  std::uint32_t end_of(const Edge& edge, std::int64_t id, std::string_view side) const {
    const auto index = index_.find(id);
    if (!index)
      wrong(edge.line, fmt::format("an edge {} task {}", side, id), "one of the file's tasks");
    return *index;
  }

  /// Edges by the task that they lead to: those of task t are incoming_[start_[t]] to the next
  /// start's.
  void group_by_destination() {
    start_.assign(file_.tasks.size() + 1, 0);
    for (const std::uint32_t to : to_) ++start_[to + 1];
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    incoming_.resize(to_.size());
    std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
    for (std::size_t edge = 0; edge < to_.size(); ++edge) incoming_[next[to_[edge]]++] = edge;
  }

  std::span<const std::size_t> incoming(std::size_t task) const {
    return std::span(incoming_).subspan(start_[task], start_[task + 1] - start_[task]);
  }

  void check_arguments() const {
    std::vector<std::pair<std::uint32_t, std::size_t>> fed;  // positions, and by which edge
    for (std::size_t task = 0; task < file_.tasks.size(); ++task) {
      fed.clear();
      for (const std::size_t edge : incoming(task))
        if (file_.edges[edge].to_position) fed.emplace_back(*file_.edges[edge].to_position, edge);
      std::sort(fed.begin(), fed.end());
      const auto again = std::adjacent_find(
          fed.begin(), fed.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
      if (again == fed.end()) continue;
      const Edge& second = file_.edges[std::next(again)->second];
      wrong(second.line,
            fmt::format("a second edge to argument {} of task {}{}", again->first, second.to,
                        in_line(file_.edges[again->second].line)),
            "one");
    }
  }

  // ---- Cycles

  /// Takes away tasks that none of the rest waits for, until none is left or all of the rest wait.
  void check_order() const {
    std::vector<std::size_t> waiting(file_.tasks.size(), 0);  // edges from the task to the rest
    for (const std::uint32_t from : from_) ++waiting[from];
    std::vector<std::size_t> last;
    for (std::size_t task = 0; task < waiting.size(); ++task)
      if (waiting[task] == 0) last.push_back(task);
    std::size_t left = file_.tasks.size();
    while (!last.empty()) {
      const std::size_t task = last.back();
      last.pop_back();
      --left;
      for (const std::size_t edge : incoming(task))
        if (--waiting[from_[edge]] == 0) last.push_back(from_[edge]);
    }
    if (left > 0) refuse_cycle(waiting);
  }

  /// From any of the tasks that are left an edge leads to another of them.
  [[noreturn]] void refuse_cycle(const std::vector<std::size_t>& waiting) const {
    constexpr auto none = static_cast<std::size_t>(-1);
    std::vector<std::size_t> way(file_.tasks.size(), none);  // the edge to follow
    for (std::size_t edge = from_.size(); edge-- > 0;)
      if (waiting[from_[edge]] > 0 && waiting[to_[edge]] > 0) way[from_[edge]] = edge;
    std::size_t task = 0;
    while (way[task] == none) ++task;
    std::vector<bool> seen(file_.tasks.size(), false);
    for (; !seen[task]; task = to_[way[task]]) seen[task] = true;
    std::vector<std::size_t> cycle;
    for (std::size_t at = task; cycle.empty() || at != task; at = to_[way[at]]) cycle.push_back(at);
    std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
    wrong(file_.edges[way[cycle.back()]].line, "the cycle " + cycle_text(cycle),
          "tasks that do not wait for themselves");
  }

  std::string cycle_text(const std::vector<std::size_t>& cycle) const {
    constexpr std::size_t most = 100;  // of a longer one its begin and its end
    std::string text;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      if (cycle.size() > most && i == most / 2) {
        text += "… -> ";
        i = cycle.size() - most / 2;
      }
      text += fmt::format("{} -> ", file_.tasks[cycle[i]].id);
    }
    text += std::to_string(file_.tasks[cycle.front()].id);
    return cycle.size() > most ? fmt::format("{} of {} tasks", text, cycle.size()) : text;
  }

  const File& file_;
  TaskIndex index_;
  std::vector<std::uint32_t> from_, to_;  ///< of each edge, the tasks' places in the file
  std::vector<std::size_t> start_, incoming_;
};

// ---- What readers have seen to

void check_symbols(const File& file, const Task& task) {
  const auto wrong = [&](const Symbol& symbol, std::string_view found, std::string_view expected) {
    refuse(file.name, task.line,
           fmt::format("{} symbol {} of task {}", found, shown(symbol.first), task.id), expected);
  };
  for (const Symbol& symbol : task.symbols) {
    const auto& data = symbol.second.data();
    if (symbol.first.empty() || symbol.first == "partition" || !is_utf8(symbol.first))
      wrong(symbol, "the", "a name of UTF-8 other than partition");
    const auto* real = std::get_if<double>(&data);
    const auto* text = std::get_if<std::string>(&data);
    if (symbol.second.is_list()) wrong(symbol, "a list as", "a number, a string, True or False");
    if (real && !std::isfinite(*real)) wrong(symbol, "no finite number as", "one");
    if (text && !is_utf8(*text)) wrong(symbol, "bytes that are no UTF-8 as", "a string");
  }
  if (const auto again = repeated(task.symbols); !again.empty())
    wrong(task.symbols[again.front().first], "a second", "each symbol once");
}

void check_inline_spec(const File& file, const Task& task) {
  const auto wrong = [&](std::string_view found, std::string_view expected) {
    refuse(file.name, task.line, fmt::format("{} in the specification of task {}", found, task.id),
           expected);
  };
  const JsonDocument document = parse_json(task.inline_spec);
  if (!document.root) wrong(document.error.text, "a JSON object");
  if (!document.root->is(JsonValue::Kind::object)) wrong(describe(*document.root), "a JSON object");
  for (const JsonMember& member : document.root->members) {
    if (is_graph_key(member.key)) wrong(shown(member.key), "it in the graph alone");
    if (!is_fed_buffers(member.key)) continue;
    for (const JsonValue& buffer : member.value.items)
      if (buffer.find("from")) wrong("\"from\"", "it in the graph alone");
  }
}

}  // namespace

void check_graph(const File& file) { GraphCheck(file).run(); }

Expected<void> check(const File& file) {
  return expected_from([&] {
    for (const Task& task : file.tasks) {
      check_symbols(file, task);
      if (!task.inline_spec.empty()) check_inline_spec(file, task);
    }
    check_graph(file);
  });
}

}  // namespace kiln::task_graph
