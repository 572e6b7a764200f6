// Graphs of files: their specifications, what feeds each argument, and checks that need both.
#include "graph/loaded_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/data/text.hpp"
#include "base/expected.hpp"
#include "base/os/file.hpp"
#include "spec/run/job.hpp"

namespace kiln::graph {
namespace {

using spec::ArgumentKind;

/// What specifications understand of a graph's symbols; these are the graph's own.
bool is_of_graph(const std::string& symbol) {
  return symbol == "localWorkSize" || symbol == "n_chunks";
}

class Loader {
 public:
  Loader(const std::filesystem::path& path, const FileOptions& options) {
    state_->options = options;
    const Bytes bytes = value_or_throw(read_file(path));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    state_->file = value_or_throw(task_graph::parse(text, path.string()));
    find_folders(path);
  }

  std::shared_ptr<const LoadedFile::State> load() {
    const auto& tasks = state_->file.tasks;
    for (std::uint32_t i = 0; i < tasks.size(); ++i) state_->number_of[tasks[i].id] = i;
    for (const auto& task : tasks) {
      state_->kernels.push_back(kernel_of(task));
      state_->names.push_back(fmt::format("{} {}", task.id, state_->kernels.back()->spec.name));
    }
    check_set();
    state_->feeds.resize(tasks.size());
    for (const auto& edge : state_->file.edges) add_edge(edge);
    for (const auto& result : state_->file.results)
      check_result(result, fmt::format("{}: results", state_->file.name));
    for (const auto& result : state_->options.results)
      check_result(result, "the results asked for");
    for (const auto& [end, data] : state_->options.in) check_input({end.first, end.second});
    find_order();
    return state_;
  }

 private:
  void find_folders(const std::filesystem::path& path) {
    folders_ = state_->options.spec_folders;
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    for (const char* place : {"", "specs", "info", "../specs", "../info"})
      folders_.push_back(folder / place);
  }

  std::string place(std::uint32_t line) const {
    return line > 0 ? fmt::format("{}:{}", state_->file.name, line) : state_->file.name;
  }
  [[noreturn]] void refuse(std::uint32_t line, const std::string& what) const {
    throw Error(Errc::bad_input, place(line) + ": " + what);
  }

  spec::Spec spec_of(const task_graph::Task& task) {
    if (task.spec.empty())
      return value_or_throw(
          spec::parse_spec(task.inline_spec, state_->file.name, spec::SpecDialect::automatic));
    for (const auto& folder : folders_) {
      std::error_code error;
      if (std::filesystem::is_regular_file(folder / task.spec, error))
        return value_or_throw(spec::load_spec(folder / task.spec));
    }
    std::vector<std::string> places;
    for (const auto& folder : folders_) places.push_back(folder.lexically_normal().string());
    throw Error(Errc::not_found, fmt::format("{}: task {}: found no {} in {}", place(task.line),
                                             task.id, task.spec, fmt::join(places, ", ")));
  }

  std::shared_ptr<const BoundKernel> kernel_of(const task_graph::Task& task) {
    spec::Symbols symbols;
    std::vector<std::size_t> local;
    std::string key = task.spec + '\0' + task.inline_spec;
    for (const auto& [name, value] : task.symbols) {
      key += '\0' + name + '=' + value.text();
      if (name == "localWorkSize") {
        const auto size = value.to_integer();
        if (!size || *size < 1)
          refuse(task.line, fmt::format("task {}: found the localWorkSize {}, expected a positive "
                                        "integer",
                                        task.id, value.text()));
        local.push_back(static_cast<std::size_t>(*size));
      }
      if (!is_of_graph(name)) symbols.set_if[name] = value;
    }
    for (const auto& [name, value] : state_->options.set) symbols.set_if[name] = value;
    spec::BindOptions bind_options;
    if (task.partition) {
      bind_options.partition = *task.partition;
      key += fmt::format("/{}", *task.partition);
    }
    auto& known = kernels_[key];
    if (known) return known;
    const auto named = [&](const Error& error) {
      return Error(error.code(),
                   fmt::format("{}: task {}: {}", place(task.line), task.id, error.message()));
    };
    try {
      auto made = std::make_shared<BoundKernel>();
      made->spec = spec_of(task);
      auto bound = spec::bind(made->spec, symbols, bind_options);
      if (!bound) throw bound.error();
      made->bound = *std::move(bound);
      if (!local.empty()) use_local_size(made->bound, local.front(), task);
      made->source =
          value_or_throw(spec::load_kernel_source(made->spec, state_->options.source_folders));
      return known = std::move(made);
    } catch (const Error& error) {
      if (error.message().starts_with(state_->file.name)) throw;
      throw named(error);
    }
  }

  void use_local_size(spec::BoundSpec& bound, std::size_t size, const task_graph::Task& task) {
    for (std::size_t d = 0; d < bound.global.size(); ++d)
      if (bound.global[d] % size != 0)
        refuse(task.line, fmt::format("task {}: found the localWorkSize {}, expected a divisor of "
                                      "the global size {} (dimension {})",
                                      task.id, size, bound.global[d], d));
    bound.local.assign(bound.global.size(), size);
    bound.local_is_default = false;
  }

  /// A symbol that no specification knows is a slip.
  void check_set() const {
    for (const auto& [name, value] : state_->options.set) {
      const bool is_known = std::ranges::any_of(state_->kernels, [&](const auto& kernel) {
        const auto known = spec::known_symbols(kernel->spec);
        return std::ranges::find(known, name) != known.end();
      });
      if (!is_known && !state_->kernels.empty())
        throw Error(Errc::bad_input,
                    fmt::format("{}: found the symbol {} to be set, expected one that a "
                                "specification of the graph has",
                                state_->file.name, name));
    }
  }

  const spec::BoundArgument* argument(std::uint32_t task, std::uint32_t position) const {
    const auto& arguments = state_->kernels[task]->bound.arguments;
    return position < arguments.size() ? &arguments[position] : nullptr;
  }

  void add_edge(const task_graph::Edge& edge) {
    const std::uint32_t from = state_->number_of.at(edge.from), to = state_->number_of.at(edge.to);
    state_->orders.emplace_back(from, to);
    if (edge.is_order()) return;
    const auto* source = argument(from, *edge.from_position);
    const auto* destination = argument(to, *edge.to_position);
    const auto arguments_of = [&](std::uint32_t task) {
      return state_->kernels[task]->bound.arguments.size();
    };
    if (source == nullptr || !source->is_buffer())
      refuse(edge.line,
             fmt::format("found argument {} of task {}, which is {}, expected a buffer",
                         *edge.from_position, state_->names[from],
                         source == nullptr ? fmt::format("none of its {}", arguments_of(from))
                                           : "a value"));
    if (destination == nullptr)
      refuse(edge.line, fmt::format("found argument {} of task {}, expected one of its {}",
                                    *edge.to_position, state_->names[to], arguments_of(to)));
    // At an argument that takes no data from outside an edge is an order alone.
    if (destination->kind != ArgumentKind::input && destination->kind != ArgumentKind::inout)
      return;
    if (source->bytes != destination->bytes)
      refuse(edge.line, fmt::format("found {} bytes of task {}, argument {}, for {} bytes of task "
                                    "{}, argument {}; expected equal sizes",
                                    source->bytes, state_->names[from], *edge.from_position,
                                    destination->bytes, state_->names[to], *edge.to_position));
    state_->feeds[to][*edge.to_position] = {from, *edge.from_position};
  }

  const spec::BoundArgument& buffer_at(const task_graph::End& end, const std::string& where) const {
    const auto task = state_->number_of.find(end.task);
    if (task == state_->number_of.end())
      throw Error(Errc::bad_input,
                  fmt::format("{}: found task {}, expected one of the graph", where, end.task));
    const auto* found = argument(task->second, end.position);
    if (found == nullptr || !found->is_buffer())
      throw Error(Errc::bad_input,
                  fmt::format("{}: found argument {} of task {}, expected a buffer", where,
                              end.position, end.task));
    return *found;
  }
  void check_result(const task_graph::End& end, const std::string& where) const {
    if (buffer_at(end, where).kind == ArgumentKind::input)
      throw Error(Errc::bad_input,
                  fmt::format("{}: found argument {} of task {}, an input, expected what it writes",
                              where, end.position, end.task));
  }
  void check_input(const task_graph::End& end) const {
    const std::string where = "data for inputs";
    const auto kind = buffer_at(end, where).kind;
    const bool is_fed = state_->feeds[state_->number_of.at(end.task)].contains(end.position);
    if (kind == ArgumentKind::output || is_fed)
      throw Error(
          Errc::bad_input,
          fmt::format("{}: found argument {} of task {}, {}, expected an input that no edge "
                      "feeds",
                      where, end.position, end.task, is_fed ? "which an edge feeds" : "an output"));
  }

  void find_order() {
    std::vector<TaskGraph::Edge> edges;
    for (const auto& [from, to] : state_->orders) edges.push_back({from, to, 0});
    const auto graph = value_or_throw(TaskGraph::make(state_->file.tasks.size(), std::move(edges)));
    state_->order.assign(graph.topological_order().begin(), graph.topological_order().end());
  }

  std::shared_ptr<LoadedFile::State> state_ = std::make_shared<LoadedFile::State>();
  std::vector<std::filesystem::path> folders_;
  std::map<std::string, std::shared_ptr<const BoundKernel>> kernels_;
};

}  // namespace

std::shared_ptr<const LoadedFile::State> load_state(const std::filesystem::path& file,
                                                    const FileOptions& options) {
  return Loader(file, options).load();
}

Expected<LoadedFile> LoadedFile::load(const std::filesystem::path& file,
                                      const FileOptions& options) {
  return expected_from([&] {
    LoadedFile loaded;
    loaded.state_ = load_state(file, options);
    return loaded;
  });
}

const task_graph::File& LoadedFile::file() const { return state_->file; }
const std::vector<std::string>& LoadedFile::names() const { return state_->names; }

std::size_t LoadedFile::data_edges() const {
  std::size_t edges = 0;
  for (const auto& feeds : state_->feeds) edges += feeds.size();
  return edges;
}

std::uint64_t LoadedFile::bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& kernel : state_->kernels)
    for (const auto& argument : kernel->bound.arguments)
      if (argument.is_buffer() && argument.kind != ArgumentKind::input) bytes += argument.bytes;
  for (std::size_t task = 0; task < state_->kernels.size(); ++task)
    for (const auto& argument : state_->kernels[task]->bound.arguments)
      if (argument.kind == ArgumentKind::input && !state_->feeds[task].contains(argument.position))
        bytes += argument.bytes;
  return bytes;
}

}  // namespace kiln::graph
