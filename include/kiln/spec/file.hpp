#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kiln/error.hpp"
#include "kiln/expr.hpp"

/// Kernel specification files: reading, checking and binding them to sizes. Nothing here knows
/// OpenCL; every type is plain data, every function is thread-safe and touches no global state.
/// docs/specification-files.md describes the files.
namespace kiln::spec {

/// Two programs read these files, and they differ. `automatic` takes `concurrent` for a file that
/// uses an attribute which only that one knows, `base` for the rest, and requires neither's extras.
enum class SpecDialect { automatic, base, concurrent };
/// "base", "concurrent" or "auto".
KILN_API Expected<SpecDialect> parse_dialect(std::string_view name);
KILN_API const char* name_of(SpecDialect dialect) noexcept;

/// One finding about a file.
struct Message {
  enum class Severity { error, warning };
  Severity severity = Severity::error;
  std::string file;
  std::uint32_t line = 0;    ///< 1-based; 0 where the finding is about no line
  std::uint32_t column = 0;  ///< 1-based; 0 where only the line is known
  std::string attribute;     ///< e.g. "inputBuffers[0].size"; empty for the file itself
  std::string text;          ///< what was found and what was expected

  /// "file:line: attribute 'inputBuffers[0].size': found …, expected …", one line.
  KILN_API std::string render() const;
};

enum class Scalar : std::uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64 };
enum class ScalarKind : std::uint8_t { signed_integer, unsigned_integer, floating };

struct StructField;

/// An OpenCL scalar or vector type as files name it ("float", "unsigned int", "int4" …), or a
/// structure. For code that ignores `fields`, a structure is `struct_bytes` lanes of u8.
struct Type {
  Scalar scalar = Scalar::f64;
  std::uint8_t width = 1;            ///< 1, 2, 3, 4, 8 or 16
  std::size_t struct_bytes = 0;      ///< of a structure, padding included; 0 for other types
  std::size_t struct_alignment = 1;  ///< of a structure
  std::vector<StructField> fields;   ///< in order; empty where only the structure's size is known

  /// Errors: bad_input for an unknown name (with a suggestion), unsupported for half, bool, size_t.
  KILN_API static Expected<Type> parse(std::string_view name);
  /// A structure as OpenCL C lays it out (C99 6.7.2.1), or without padding. The offsets of
  /// `fields` are set. Errors, bad_input: no fields, a count of 0, above largest_struct.
  enum class Packing : std::uint8_t { natural, packed };
  KILN_API static Expected<Type> structure(std::vector<StructField> fields,
                                           Packing packing = Packing::natural);
  /// One of known size, 1 to largest_struct (not checked: 0 gives no structure), alignment 1.
  KILN_API static Type opaque_structure(std::size_t bytes);
  static constexpr std::size_t largest_struct = 65536;

  bool is_struct() const { return struct_bytes != 0; }
  KILN_API ScalarKind kind() const;
  KILN_API std::size_t scalar_bytes() const;
  /// Scalars in memory: the width, but 4 for width 3; a structure's bytes.
  KILN_API std::size_t lanes() const;
  KILN_API std::size_t bytes() const;      ///< of one element: lanes * scalar_bytes
  KILN_API std::size_t alignment() const;  ///< in a structure around it
  KILN_API std::string opencl_name() const;
  KILN_API bool operator==(const Type& other) const;
};

/// A member of a structure.
struct StructField {
  std::string name;  ///< for messages; may be empty
  Type type;
  std::size_t count = 1;   ///< above 1: an array of so many
  std::size_t offset = 0;  ///< bytes from the structure's begin
  bool operator==(const StructField&) const = default;
};

/// A number, list or expression of the file, with where it stands.
struct Formula {
  std::string text;  ///< as written
  std::optional<expr::Expression> expression;
  expr::Value literal;  ///< the value where `expression` is empty
  std::uint32_t line = 0;
  std::string attribute;
};

enum class BufferRole : std::uint8_t { input, output, inout };

/// Another kernel's argument that fills this buffer (graphs).
struct DataSource {
  std::string kernel;
  std::uint32_t position = 0;
};

struct Buffer {
  BufferRole role = BufferRole::input;
  std::uint32_t position = 0;  ///< index of the kernel's argument
  Type type;
  Formula size;            ///< number of elements of `type`
  bool sliceable = false;  ///< `break`: the original slices it along the partition
  std::optional<Formula> chunk;
  std::optional<DataSource> from;
  bool create = true, enqueue_write = true, enqueue_read = true;  ///< kept; a run resets them
  std::uint32_t line = 0;
};

struct VarArgument {
  std::uint32_t position = 0;
  Type type;
  Formula value;
  std::uint32_t line = 0;
};

struct LocalArgument {
  std::uint32_t position = 0;
  Type type;
  Formula size;  ///< number of elements
  std::uint32_t line = 0;
};

struct Macro {
  std::string name, text;  ///< -D name=text, after the symbols in text got their values
  std::uint32_t line = 0;
};

/// A value for a specialization constant of a SPIR-V module ("specialization", Kiln's extension).
struct Specialization {
  std::string constant;  ///< its SpecId in digits, or its name in the module
  Formula value;
};

/// A function that the file defines for its own expressions ("functions", Kiln's extension).
struct Function {
  std::string name;
  std::vector<std::string> parameters;
  Formula body;
};

/// What a file says, after checking. Produced by load_spec and parse_spec only.
struct Spec {
  std::string file;  ///< as given to load_spec; what messages name
  std::string name;  ///< of the kernel function
  std::string src;   ///< of the source file, see find_source
  std::optional<std::string> id;
  std::optional<int> partition;  ///< 0..10
  int work_dimension = 1;
  Formula global_work_size;
  std::optional<Formula> local_work_size;  ///< empty: the file leaves the choice open
  std::vector<Buffer> buffers;             ///< inputBuffers, then outputBuffers, then ioBuffers
  std::vector<VarArgument> var_arguments;
  std::vector<LocalArgument> local_arguments;
  std::optional<std::vector<std::pair<std::string, Formula>>> symbolic_variables;
  std::vector<Macro> macros;
  std::vector<Specialization> specialization;
  std::vector<std::int64_t> local_chunk_factor, global_chunk_factor;
  std::vector<Function> functions;
  std::optional<double> eco;
  std::map<std::string, double> ecos;  ///< by dataset
  std::optional<std::vector<std::string>> depends;
  std::optional<std::int64_t> task, dataset;
  SpecDialect dialect = SpecDialect::base;  ///< the one it was read as; never automatic
  bool dialect_was_asked = false;           ///< false: chosen from the file
  std::vector<Message> warnings;
};

/// True where the file is a node of a graph (depends, task, from): it cannot run by itself.
KILN_API bool is_part_of_graph(const Spec& spec);

/// Values for a spec's symbols.
struct Symbols {
  std::map<std::string, expr::Value> set;     ///< a name unknown to the spec is an error
  std::map<std::string, expr::Value> set_if;  ///< ignored where unknown
};
/// Splits "name=value"; the value is an expression without names, or a word (for macros).
KILN_API Expected<std::pair<std::string, expr::Value>> parse_symbol(std::string_view text);
/// The names that Symbols may set for this spec, sorted.
KILN_API std::vector<std::string> known_symbols(const Spec& spec);

/// Reads a file. Errors: not_found, io; unsupported for a list of kernels; else bad_input with
/// the first finding, and how many more check_spec would list.
KILN_API Expected<Spec> load_spec(const std::filesystem::path& file,
                                  SpecDialect dialect = SpecDialect::automatic);
/// The same from memory; `file` is only named in messages and taken for find_source.
KILN_API Expected<Spec> parse_spec(std::string_view text, std::string file,
                                   SpecDialect dialect = SpecDialect::automatic);

/// Every finding about a file, errors and warnings, in the file's order; empty: it is right.
/// Sizes are tried with `symbols` and the defaults. An unreadable file is one error.
KILN_API std::vector<Message> check_spec(const std::filesystem::path& file,
                                         SpecDialect dialect = SpecDialect::automatic,
                                         const Symbols& symbols = {});
KILN_API std::vector<Message> check_text(std::string_view text, std::string file,
                                         SpecDialect dialect = SpecDialect::automatic,
                                         const Symbols& symbols = {});

enum class ArgumentKind : std::uint8_t { input, output, inout, scalar, local };

/// One kernel argument with its sizes worked out.
struct BoundArgument {
  std::uint32_t position = 0;
  ArgumentKind kind = ArgumentKind::input;
  Type type;
  std::uint64_t count = 1;  ///< elements of `type`
  std::uint64_t bytes = 0;  ///< count * type.bytes()
  bool sliceable = false;   ///< the file's `break`
  std::optional<std::uint64_t> chunk;
  std::vector<std::byte> value;  ///< of a scalar: `bytes` bytes, as clSetKernelArg takes them
  bool is_buffer() const { return kind < ArgumentKind::scalar; }
};

/// A specialization constant with its value worked out; the module says its type.
struct BoundConstant {
  std::string constant;  ///< as Specialization has it
  expr::Value value;
};

/// A spec with every size and value known. The arguments are 0..n-1, in order.
struct BoundSpec {
  SpecDialect dialect = SpecDialect::base;
  std::vector<std::uint64_t> global;  ///< 1 to 3 dimensions, each at least 1
  std::vector<std::uint64_t> local;   ///< as many; divides global
  bool local_is_default = false;      ///< the file has none: default_local_size(global)
  std::vector<BoundArgument> arguments;
  std::vector<std::pair<std::string, std::string>> macros;  ///< for -D name=value
  std::vector<BoundConstant> specialization;
  std::vector<std::string> options;            ///< further compiler options
  std::map<std::string, expr::Value> symbols;  ///< all values used, defaults included
  int partition = 10;                          ///< the value of the name `partition`
};

struct BindOptions {
  std::optional<int> partition;  ///< instead of the file's
};

/// Gives every symbol its value (dataset: 1024 unless set) and works out sizes and values for a
/// run on whole buffers: size_percent is 100, offset_percent 0, and partition_round keeps every
/// element. Allocates nothing of the sizes it finds. Errors: bad_input, naming file, line and
/// attribute, for an unknown or unset symbol, and for sizes that are no positive integers,
/// too large (2^40 bytes), or do not fit each other.
KILN_API Expected<BoundSpec> bind(const Spec& spec, const Symbols& symbols = {},
                                  const BindOptions& options = {});

/// The local size of a kernel whose file has none: in each dimension the largest power of two
/// that divides the global size, at most 64 (1-D), 8 (2-D), 4 (3-D). The same on every machine;
/// a power of two because tree reductions halve it; an odd size gives 1, which is slow but right.
KILN_API std::vector<std::uint64_t> default_local_size(const std::vector<std::uint64_t>& global);

/// The source file: `src` next to the spec, in ../kernel_src, in ../kernels, then in each of
/// `source_dirs`. Error: not_found, listing every place tried.
KILN_API Expected<std::filesystem::path> find_source(
    const Spec& spec, const std::vector<std::filesystem::path>& source_dirs = {});

// What the functions partition_round and multiple_round of a file's expressions compute.

/// The original's rounding of `percent` of `elements`. Errors: overflow.
KILN_API Expected<std::int64_t> partition_round(SpecDialect dialect, std::int64_t elements,
                                                std::int64_t percent, std::int64_t exact = -1,
                                                std::int64_t total = 100);
/// The same in steps of the first multiple that divides `elements` and is smaller. Error: refused
/// where none fits; the original then fails too.
KILN_API Expected<std::int64_t> multiple_round(SpecDialect dialect, std::int64_t elements,
                                               std::int64_t percent,
                                               const std::vector<std::int64_t>& multiples,
                                               std::int64_t exact = -1, std::int64_t total = 100);

}  // namespace kiln::spec
