// `kiln graph convert`: one format of graphs to another.
#include "base/os/file.hpp"
#include "cli/command/commands.hpp"
#include "cli/graph/graph_options.hpp"
#include "cli/output/output.hpp"

namespace kiln::cli {
namespace {

constexpr std::string_view format_names[] = {"text", "list", "json"};

task_graph::Format format_of(const Context& context, const std::string& output) {
  if (context.has("to")) return *task_graph::format_named(context.text("to"));
  if (output.ends_with(".graph")) return task_graph::Format::text;
  if (output.ends_with(".json")) return task_graph::Format::json;
  throw bad_input("--to: found none for {}, expected text, list or json", output);
}

int convert_graph(Context& context) {
  const std::string& from = context.arguments()[0];
  const std::string& to = context.arguments()[1];
  const task_graph::Format format = format_of(context, to);
  std::string text;
  if (format == task_graph::Format::list) {
    // Its readers know no symbols: sizes have to be worked out.
    const auto loaded = value_or_throw(graph::LoadedFile::load(from, graph_file_options(context)));
    text = value_or_throw(task_graph::write_list(loaded.inlined()));
  } else {
    const Bytes bytes = value_or_throw(read_file(from));
    const auto file = value_or_throw(
        task_graph::parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, from));
    print_notes(file.warnings, "warning");
    text = value_or_throw(task_graph::write(file, format));
  }
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  value_or_throw(write_file(to, {begin, text.size()}));
  return 0;
}

}  // namespace

const Command graph_convert_command{
    .name = "graph convert",
    .summary = "write a graph of kernels in another format",
    .description =
        "Writes a graph as the text of two sections, as the original's JSON list, or as Kiln's own "
        "JSON. What a format cannot hold is refused. The list has the specifications in it, with "
        "all symbols replaced.",
    .options = {{Option::choice("to", "FORMAT", format_names,
                                "The format: text, list or json. Default: by the output's name, "
                                ".graph is text and .json Kiln's own."),
                 options::graph_specs, options::source_dir, options::graph_set,
                 options::graph_pins}},
    .positional = {.value_name = "FROM TO",
                   .help = "The graph that is read, and the file that is written.",
                   .least = 2,
                   .most = 2,
                   .kind = Kind::file,
                   .access = Access::read,
                   .access_rest = Access::write},
    .examples = {{"kiln graph convert dag.graph graph.json", "The text as Kiln's own JSON."},
                 {"kiln graph convert dag.graph t1.json --to list", "As the original's JSON."}},
    .body = convert_graph,
};

}  // namespace kiln::cli
