#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/json_tree.hpp"
#include "kiln/formats/task_graph.hpp"

/// What the readers and writers of task graphs share. What is wrong is thrown here as an Error; the
/// public functions return it.
namespace kiln::task_graph {

/// "file:line", or the file alone where no line is known.
std::string place_of(std::string_view name, std::uint32_t line);

/// A piece of a file in quotes, on one line, shortened.
std::string shown(std::string_view text);

/// "file:line: found …, expected …"
[[noreturn]] void refuse(std::string_view name, std::uint32_t line, std::string_view found,
                         std::string_view expected, Errc code = Errc::bad_input);

/// What a partition must be, in the words of messages.
inline constexpr std::string_view partition_words = "a partition from 0 (CPU) to 10 (GPU)";
/// The partition that a value is: 10, 10.0 and "10" are the same; nothing for every other.
std::optional<int> partition_of(const expr::Value& value);

/// Symbols whose name stands before: pairs of their place and the first one's, ascending.
std::vector<std::pair<std::size_t, std::size_t>> repeated(const std::vector<Symbol>& symbols);

/// The symbols as a Task has them: those that repeated() finds and `partition` taken out. Moves
/// from `symbols`.
struct TaskSymbols {
  std::vector<Symbol> symbols;
  std::optional<expr::Value> partition;
};
TaskSymbols without_partition(std::vector<Symbol>& symbols);

/// What check() does but for what a reader has seen to: symbols and inline specifications. Throws.
void check_graph(const File& file);

/// Attributes of a list's kernel that a Task has elsewhere.
bool is_graph_key(std::string_view key);
/// The members of a list's kernel that hold buffers which an edge may lead to.
inline constexpr std::string_view fed_buffers[] = {"inputBuffers", "ioBuffers"};
bool is_fed_buffers(std::string_view key);

/// The one-line text of a kernel's object without what the graph says.
std::string spec_text(const JsonValue& kernel);

/// Kernels and edges of a document, either format's; `file` has a name.
void read_list(const JsonValue& root, const LineTable& lines, File& file);
void read_own(const JsonValue& root, const LineTable& lines, File& file);

/// Two sections of lines.
void read_text(std::string_view text, File& file);

}  // namespace kiln::task_graph
