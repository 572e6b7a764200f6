#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "kiln/formats/task_graph.hpp"

// Graphs at random survive being written and read, in each of the formats.
namespace kiln::task_graph {
namespace {

int pick(int end) { return *rc::gen::inRange(0, end); }

/// Any UTF-8: characters that each format must escape, and some that it need not.
std::string random_text() {
  constexpr const char* pieces[] = {
      "a",        "Z9",          " ",    "\"",   "'", "\\", "#",
      "\n",       "\r",          "\t",   "{",    "}", ",",  ":",
      "->",       "---",         "\x01", "\x7f", "é", "€",  "\xF0\x9F\x8C\x8D",
      "\xC2\x85", "\xE2\x80\xA8"};
  std::string text;
  for (int i = pick(5); i-- > 0;) text += pieces[pick(std::size(pieces))];
  return text;
}

expr::Value random_value() {
  switch (pick(6)) {
    case 0:
      return *rc::gen::arbitrary<bool>();
    case 1:
      return random_text();
    case 2: {
      const auto value = *rc::gen::arbitrary<double>();
      return std::isfinite(value) ? value : -0.0;
    }
    case 3:
      return *rc::gen::element(INT64_MIN, INT64_MAX, std::int64_t{0});
    default:
      return *rc::gen::arbitrary<std::int64_t>();
  }
}

std::vector<Symbol> random_symbols() {
  std::vector<Symbol> symbols;
  for (int i = pick(4); i-- > 0;)
    symbols.emplace_back("s" + std::to_string(i) + random_text(), random_value());
  return symbols;
}

/// A specification of `buffers` input buffers, in the form that readers make of it.
std::string random_spec(std::uint32_t buffers) {
  std::string text = "{\"name\": \"k\", \"inputBuffers\": [";
  for (std::uint32_t i = 0; i < buffers; ++i)
    text += (i > 0 ? ", {\"pos\": " : "{\"pos\": ") + std::to_string(i) + ", \"size\": 1.50}";
  return text + "], \"x\": [null, {\"y\": [true, -7]}]}";
}

constexpr std::uint32_t most_buffers = 4;

/// Ids ascend by steps, so that they are neither dense nor equal.
std::vector<Task> random_tasks(bool inline_specs) {
  std::vector<Task> tasks;
  std::int64_t id = -pick(5);
  for (int i = pick(7); i-- > 0; id += 1 + pick(3)) {
    Task task{.id = id, .symbols = random_symbols()};
    if (inline_specs) {
      task.inline_spec = random_spec(most_buffers);
    } else {
      task.spec = "é" + std::to_string(pick(3)) + ".json";
    }
    if (pick(2) == 0) task.partition = pick(11);
    tasks.push_back(std::move(task));
  }
  // Any order in the file; edges lead from smaller to larger ids, so that there is no cycle.
  for (std::size_t i = tasks.size(); i-- > 1;)
    std::swap(tasks[i], tasks[static_cast<std::size_t>(pick(static_cast<int>(i) + 1))]);
  return tasks;
}

/// Edges in the order in which a list has them: by the task and the argument that they lead to.
std::vector<Edge> random_edges(const std::vector<Task>& tasks, bool orders) {
  std::vector<Edge> edges;
  for (const Task& to : tasks) {
    std::vector<std::int64_t> sources;
    for (std::uint32_t position = 0; position < (orders ? 1 : most_buffers); ++position) {
      const Task& from = tasks[static_cast<std::size_t>(pick(static_cast<int>(tasks.size())))];
      if (from.id >= to.id) continue;
      Edge edge{.from = from.id, .to = to.id};
      if (!orders)
        edge.from_position = static_cast<std::uint32_t>(pick(9)), edge.to_position = position;
      edges.push_back(edge);
    }
  }
  return edges;
}

/// What every format but the text holds.
void add_orders(File& file) {
  for (const Edge& order : random_edges(file.tasks, true)) {
    const bool has_data = std::any_of(file.edges.begin(), file.edges.end(), [&](const Edge& edge) {
      return edge.from == order.from && edge.to == order.to;
    });
    if (!has_data) file.edges.push_back(order);
  }
  for (Task& task : file.tasks)
    if (pick(2) == 0) task.cluster = *rc::gen::arbitrary<std::int64_t>();
}

File random_file(bool inline_specs) {
  File file{.name = "random"};
  file.tasks = random_tasks(inline_specs);
  file.edges = random_edges(file.tasks, false);
  return file;
}

void expect_survives(const File& file, Format format) {
  const auto written = write(file, format);
  if (!written) RC_FAIL(written.error().message());
  const auto read = parse(*written, "random");
  if (!read) RC_FAIL(read.error().message() + "\n" + *written);
  RC_ASSERT(read->format == format);
  RC_ASSERT(read->warnings.empty());
  if (!same(*read, file)) RC_FAIL("another graph: " + *written);
  RC_ASSERT(*write(*read, format) == *written);
}

RC_GTEST_PROP(TaskGraphRandom, a_text_survives_writing_and_reading, ()) {
  expect_survives(random_file(false), Format::text);
}

RC_GTEST_PROP(TaskGraphRandom, a_list_survives_writing_and_reading, ()) {
  File file = random_file(true);
  add_orders(file);
  expect_survives(file, Format::list);
}

RC_GTEST_PROP(TaskGraphRandom, own_json_survives_writing_and_reading, ()) {
  File file = random_file(*rc::gen::arbitrary<bool>());
  add_orders(file);
  for (const Task& task : file.tasks)
    if (pick(3) == 0) file.results.push_back({task.id, *rc::gen::arbitrary<std::uint32_t>()});
  expect_survives(file, Format::json);
}

RC_GTEST_PROP(TaskGraphRandom, a_cut_or_changed_text_is_read_or_refused_in_one_line, ()) {
  std::string text = *write_text(random_file(false));
  const auto at = static_cast<std::size_t>(pick(static_cast<int>(text.size())));
  if (*rc::gen::arbitrary<bool>())
    text.resize(at);
  else
    text[at] = *rc::gen::arbitrary<char>();
  const auto file = parse(text, "random");
  if (file) {
    RC_ASSERT(check(*file).has_value());
  } else {
    RC_ASSERT(file.error().message().starts_with("random:"));
    RC_ASSERT(file.error().message().find('\n') == std::string::npos);
  }
}

}  // namespace
}  // namespace kiln::task_graph
