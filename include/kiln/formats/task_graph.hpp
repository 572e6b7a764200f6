#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kiln/error.hpp"
#include "kiln/expr.hpp"

/// Graphs of kernels that hand data to one another, as files. Three formats are read and written:
/// the text of two sections and the JSON list of the program that first ran such graphs (the one
/// that docs/specification-files.md calls concurrent), and Kiln's own JSON. Pure functions over
/// texts: no files are opened, no specification is looked for. Thread-safe.
///
/// The grammar (docs/formats/task-graph.md has examples and what is refused):
///
///     text    = task* separator edge* separator        ; a line each; "#" starts a comment
///     task    = id spec "{" (symbol ("," symbol)* ","?)? "}"
///     symbol  = string ":" (string | number | "True" | "False")    ; as Python writes them
///     edge    = id position "->" id position
///     separator = "---"
///
///     list    = "[" (kernel ("," kernel)*)? "]"        ; JSON
///     kernel  = a specification's object, and: "id", "symbolicVariables", "depends": [id…],
///               "partition", "task", and in input and io buffers "from": {"kernel": id, "pos": n}
///
///     own     = {"kiln-graph": 1, "tasks": [task…], "edges": [edge…], "orders": [order…],
///                "results": [end…]}                    ; JSON, share/task-graph.schema.json
///     task    = {"id": n, "spec": file name | a specification's object, "symbols": {…},
///                "partition": 0…10, "cluster": n}
///     edge    = {"from": end, "to": end}      order = {"from": id, "to": id}
///     end     = [id, position]
namespace kiln::task_graph {

enum class Format : std::uint8_t {
  text,  ///< two sections of lines, "dag.graph"
  list,  ///< a JSON list of kernels
  json,  ///< Kiln's own
};
/// "text", "list" or "json".
KILN_API const char* name_of(Format format) noexcept;
/// The format of such a name.
KILN_API std::optional<Format> format_named(std::string_view name);

using Symbol = std::pair<std::string, expr::Value>;

/// One run of one kernel. It has either `spec` or `inline_spec`.
struct Task {
  std::int64_t id = 0;  ///< any number, each once
  std::string spec;     ///< file name of its specification ("saxpy.json"), in no folder
  /// The specification itself, a JSON object on one line, without what the graph says: "id",
  /// "symbolicVariables", "depends", "partition", "task" and "from" of buffers.
  std::string inline_spec;
  /// In the file's order, each name once: Booleans, integers, finite numbers, strings. Data, never
  /// code. `partition` is not among them.
  std::vector<Symbol> symbols;
  /// 10: on the GPU, 0: on the CPU, 1 to 9: anywhere, and may be split; without: anywhere.
  std::optional<int> partition;
  /// Tasks of one number belong together (the list's "task"). A hint.
  std::optional<std::int64_t> cluster;
  std::uint32_t line = 0;  ///< 1-based; 0: of no file
};

/// An argument of a task's kernel.
struct End {
  std::int64_t task = 0;
  std::uint32_t position = 0;
  bool operator==(const End&) const = default;
};

/// The first task comes before the second. With positions its argument's value is handed to the
/// second's argument; it has both or none.
struct Edge {
  std::int64_t from = 0, to = 0;
  std::optional<std::uint32_t> from_position, to_position;
  std::uint32_t line = 0;  ///< 1-based; 0: of no file

  /// Whether it carries no data.
  bool is_order() const { return !from_position; }
};

/// What a file says. Whether positions are those of buffers, and sizes are equal, only the
/// specifications can tell: that is not checked here.
struct File {
  std::string name;  ///< as messages name it
  Format format = Format::json;
  std::vector<Task> tasks;  ///< in the file's order
  std::vector<Edge> edges;  ///< those with data first, each kind in the file's order
  /// Values that are asked for; empty: all that no task reads. Kiln's own format alone has them.
  std::vector<End> results;
  std::vector<std::string> warnings;  ///< "file:line: found …, expected …", one line each
};

/// Reads a graph of any of the formats: "[" starts a list, "{" Kiln's own, anything else the text.
/// The result has passed check(). Errors, in one line "file:line: found …, expected …":
/// Errc::bad_input; Errc::unsupported for a later version of Kiln's own format.
KILN_API Expected<File> parse(std::string_view text, std::string name);

/// Whether a graph is sound: ids, names of specifications, symbols, partitions; edges lead from and
/// to tasks that exist, no two to one argument; no task waits for itself, directly or through
/// others (the message names the tasks of the cycle in order). Takes time in proportion to the
/// graph's size. Errors: bad_input, the first fault.
KILN_API Expected<void> check(const File& file);

/// Whether two graphs say the same. Names, formats, lines and warnings do not count; the order of
/// tasks, edges, symbols and results does.
KILN_API bool same(const File& a, const File& b);

/// The graph in a format, ending in a line feed; parse() gives the same() graph, but that edges
/// with data come first and inline specifications stand on one line, and that a list has edges in
/// the order of the tasks and arguments that they lead to, and no order next to data from the same
/// task. Errors: what check() finds; Errc::unsupported, with the task or edge, for what the format
/// cannot hold:
/// - text: inline specifications, names with blanks, clusters, orders, results;
/// - list: specifications by name, edges to an argument that is no input or io buffer, results.
///
/// A list's readers know no symbols: specifications in it must have their values in place.
KILN_API Expected<std::string> write_text(const File& file);
KILN_API Expected<std::string> write_list(const File& file);
KILN_API Expected<std::string> write_json(const File& file);
/// One of these.
KILN_API Expected<std::string> write(const File& file, Format format);

}  // namespace kiln::task_graph
