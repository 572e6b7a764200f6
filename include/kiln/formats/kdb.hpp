#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/bytes.hpp"
#include "kiln/error.hpp"

/// clBLAS kernel databases (`.kdb`): which decomposition of a BLAS routine is the fastest on a
/// device. Pure functions: no OpenCL, no files. All of them are thread-safe.
///
/// The grammar. Everything is little-endian and unaligned; `x{n}` is n times x. In brackets the
/// source of a rule: [w] what clBLAS 2.12 writes (its storage code, checked against a real file),
/// [p] the published page "Kernel database file format", [k] Kiln's reading where the page is
/// silent or contradicts itself (docs/formats/kdb.md says why).
///
///     database  = header pattern* binaries            ; and nothing after it
///     header    = "CBS"  u32 version  u32 functions  u64 binary_data_start  sum      ; [w][p]
///     pattern   = u32 length  byte{length} name  u32 settings  sum  setting{settings} ; [w][p]
///     setting   = u32 type  u32 flags  u32 records  sum  record{records}             ; [w][p]
///
/// Version 3, the real one:
///
///     name      = text NUL                            ; length counts the NUL [w]
///     type      = 0 float | 1 double | 2 complex float | 3 complex double [w]
///     record    = level{3}  granularity  u32{3} offsets  u32{3} duplicate  u32{3} sizes
///                 f64 time  sum                       ; 136 bytes [w]
///     level     = u32 x  u32 y  u32 itemX  u32 itemY  u32 bwidth   ; item >= 10000: unused [w]
///     granularity = u32{2} wgSize  u32 wgDim  u32 wfSize  u32{2} numWGSpawned
///                 u32 maxWorkGroupSize                ; [w]
///     duplicate = the sizes once more, by accident    ; the writer runs on into them [w]
///     binaries  = nothing                             ; binary_data_start is 0 [w]
///     sum       = the chained sum (kdb/form.hpp) of what precedes it in its part; pieces: header
///                 3 4 4 8, pattern 4 length 4, setting 4 4 4, record 4{15} 28 24 12 8 [w]
///
/// Version 1, the published one:
///
///     name      = text NUL?                           ; length counts what is there [k]
///     type      = 1 float | 2 double | 3 complex float | 4 complex double [p]
///     record    = level{3}  u32{2} wgSize  u32 wgDim  u32 wfSize  offsets  u32{3} sizes
///                 f64 time  sum                       ; 172 bytes, v1-wide 184
///     level     = u64 x  u64 y  u64 bwidth  u64 itemX  u64 itemY   ; 2^64-1: unused [p]
///     offsets   = u32{3}                              ; "v1": the page's offset column [k]
///               | u64{3}                              ; "v1-wide": the page's size column [k]
///     binaries  = byte*                               ; from binary_data_start on [p]
///     sum       = the ordinary CRC-32 of what precedes it in its part [p]
namespace kiln::kdb {

/// Which grammar a file has. A file's version number tells 1 from 3; which of the two readings of
/// version 1 it is, the sums of its records tell.
enum class Layout : std::uint8_t { v3, v1, v1_wide };
KILN_API std::string_view name_of(Layout layout);  ///< "v3", "v1", "v1-wide"
KILN_API std::optional<Layout> layout_named(std::string_view name);

/// Part of a problem that one level works on (level 0 a work-group, 1 a work-item; 2 has no use).
/// x, y: step in the output; item_x, item_y: what one item computes in all; bwidth: depth of a
/// block in K. In elements.
struct Dimensions {
  std::uint64_t x = 0, y = 0, item_x = 0, item_y = 0, bwidth = 0;
  bool operator==(const Dimensions&) const = default;
};

/// "Unused" in the files of version 3 (item_x and item_y from here on) and of version 1.
inline constexpr std::uint64_t unused_v3 = 10000;
inline constexpr std::uint64_t unused_v1 = std::numeric_limits<std::uint64_t>::max();

/// How the work is spread over work-items.
struct Granularity {
  std::array<std::uint32_t, 2> work_group{};
  std::uint32_t dimensions = 0;  ///< 1 or 2
  std::uint32_t wavefront = 0;
  std::array<std::uint32_t, 2> spawned{};  ///< work-groups; filled at launch only
  std::uint32_t max_work_group = 0;        ///< of the device that was tuned on; version 3 only
  bool operator==(const Granularity&) const = default;
};

inline constexpr double untuned_time = 1e50;

/// The best known way to run a pattern for one range of problem sizes. Numbers as the file has
/// them, so that any file is written back as it was.
struct Record {
  std::array<Dimensions, 3> levels{};
  Granularity granularity{};
  std::array<std::uint32_t, 3> sizes{};      ///< of the kernel binaries, in bytes
  std::array<std::uint32_t, 3> duplicate{};  ///< version 3: the sizes once more
  std::array<std::uint64_t, 3> offsets{};    ///< of the kernel binaries, from the file's start
  double time = untuned_time;                ///< milliseconds

  /// Whether the tuner has been here. A time that makes no sense counts as tuned: verify names it.
  bool tuned() const { return !(time >= untuned_time); }
  KILN_API bool operator==(const Record& other) const;  ///< of times the bits count
};

/// The records of one data type and one set of flags.
struct Setting {
  std::uint32_t type = 0;   ///< by version 3: 0 float, 1 double, 2 complex float, 3 complex double
  std::uint32_t flags = 0;  ///< bits as in the file; flag_names says what they mean
  std::vector<Record> records{};
  bool operator==(const Setting&) const = default;
};

/// A way to generate a routine's kernels.
struct Pattern {
  std::string name;        ///< without its NUL
  bool terminated = true;  ///< whether the file has the NUL; version 3 always has
  std::vector<Setting> settings{};
  bool operator==(const Pattern&) const = default;
};

struct Database {
  Layout layout = Layout::v3;
  std::uint32_t functions = 50;
  std::uint64_t binary_start = 0;  ///< as the header has it
  std::vector<Pattern> patterns;
  ByteView binaries;  ///< the file from binary_start on; views the parsed bytes, or `storage`
  std::shared_ptr<const Bytes> storage;  ///< keeps binaries that no file holds; copies share it

  KILN_API bool operator==(const Database& other) const;  ///< of binaries the bytes count
};

/// A place in a database: where it is in the file, and what it is. Indexes count from 0; -1: none.
struct Place {
  std::uint64_t offset = 0;
  std::int64_t pattern = -1, setting = -1, record = -1;
  bool operator==(const Place&) const = default;
};

/// Something wrong (error), or of no use to clBLAS (warning).
struct Finding {
  enum class Severity : std::uint8_t { error, warning } severity = Severity::error;
  std::string_view rule;  ///< a short stable name, e.g. "divides"; docs/formats/kdb.md lists all
  Place place;
  std::string text;  ///< what was found, and what was expected
};

/// Reads a database of any layout. Every length is compared with what is left and every sum must
/// fit. Errors: one line with the byte offset, the part and the reason; Errc::unsupported for
/// another version. `binaries` views `bytes`. Takes at most about twice the memory of `bytes`.
KILN_API Expected<Database> parse(ByteView bytes);
/// The same, but sums that do not fit become findings of rule "sum" and reading goes on. After an
/// error they are those from before it, whose places count what no database holds.
KILN_API Expected<Database> parse(ByteView bytes, std::vector<Finding>& sums);

/// The bytes of a database: write(parse(b)) is b to the byte. An error names the record whose
/// values the layout cannot hold.
KILN_API Expected<Bytes> write(const Database& database);

/// Bytes that precede the binaries.
KILN_API std::uint64_t size_without_binaries(const Database& database);

/// The kernel binary of a record (slot 0 computes, 1 and 2 prepare A and B); empty where none is.
KILN_API ByteView kernel(const Database& database, const Record& record, std::size_t slot);

/// A kernel binary and the record that it is for.
struct KernelSlot {
  std::size_t pattern = 0, setting = 0, record = 0, slot = 0;
  ByteView content{};
};
/// All kernel binaries, in the order of the records.
KILN_API std::vector<KernelSlot> kernels(const Database& database);
/// Gives a database of version 1 these binaries and no others, copied into its storage. Refused
/// where their offsets do not fit into the layout, and for version 3, which holds none.
KILN_API Expected<void> place_kernels(Database& database, const std::vector<KernelSlot>& slots);

/// What a device allows; 0: not known.
struct DeviceLimits {
  std::uint64_t max_work_group = 0;
};
/// Everything about a database that could make clBLAS 2.12 crash, hang or compute wrong results
/// (errors), or that it never uses (warnings), in the order of the file. A database of version 3
/// without an error is safe for clBLAS.
KILN_API std::vector<Finding> verify(const Database& database, const DeviceLimits& device = {});

/// All that is wrong with a file. Wrong sums are findings like others, so that a file with one
/// damaged record is checked whole. Where it cannot be read to its end, `unreadable` says why; then
/// `findings` are those before that place, and there is no database.
struct Report {
  Database database;
  std::vector<Finding> findings;  ///< in the order of the file
  std::string unreadable;

  KILN_API std::size_t count(Finding::Severity severity) const;
  bool good() const { return unreadable.empty() && count(Finding::Severity::error) == 0; }
};
KILN_API Report check(ByteView bytes, const DeviceLimits& device = {});

/// One difference between two databases.
struct Difference {
  std::string place;   ///< "PATTERN, float TRANS_A, record 3", or "header"
  std::string first;   ///< what the first has; empty where it has nothing there
  std::string second;  ///< the same of the second
};
/// What differs, by what it is and not by where it stands; empty exactly where both say the same.
KILN_API std::vector<Difference> diff(const Database& first, const Database& second);

/// Which of two tuned records that differ is taken.
enum class Prefer : std::uint8_t { faster, first, last };
struct Merged {
  Database database;
  std::vector<std::string> notes;  ///< conflicts and how they were decided; what was lost
};
/// The union of databases, in the layout and the order of the first. A tuned record beats an
/// untuned one; of two tuned ones that differ `prefer` decides, and a note names them; a time that
/// is no time never wins. Unknown patterns are kept, after the known ones.
KILN_API Expected<Merged> merge(std::span<const Database> databases, Prefer prefer);

struct Converted {
  Database database;
  std::vector<std::string> losses;  ///< what the target cannot say, one line each
};
/// The same records in another layout.
KILN_API Expected<Converted> convert(const Database& database, Layout to);

/// Whether the device that a database of version 3 is for has double precision; clBLAS expects
/// other settings accordingly. `detect`: it has unless no setting is double.
enum class Doubles : std::uint8_t { detect, yes, no };
/// A version-3 database that has all that clBLAS's fixed layout demands, in its order: what is
/// missing is untuned, patterns that clBLAS does not know follow at the end. What has no place in
/// it (a setting that clBLAS does not have, or has already) is listed.
KILN_API Converted complete(const Database& database, Doubles doubles = Doubles::detect);

/// Saves what can be saved of a damaged version-3 file: from the places where clBLAS would have
/// written them, every record whose sum fits. The rest is untuned; `lost` counts those records.
struct Salvaged {
  Database database;
  std::size_t saved = 0, lost = 0;
};
KILN_API Salvaged salvage(ByteView bytes);

/// The JSON text of a database, from which from_json makes the same bytes.
KILN_API std::string to_json(const Database& database);
KILN_API Expected<Database> from_json(std::string_view text);

/// The text for people; with `only_tuned` the untuned records are left out.
enum class Shown : std::uint8_t { all, only_tuned };
KILN_API std::string to_text(const Database& database, Shown shown = Shown::all);

struct PatternSummary {
  std::string_view name;      ///< views the database
  std::string_view function;  ///< "GEMM"; empty where clBLAS has no such pattern
  std::size_t settings = 0, records = 0, tuned = 0, kernels = 0;
  double fastest = 0, slowest = 0;  ///< milliseconds, of the tuned; 0 where none is
};
KILN_API std::vector<PatternSummary> summarize(const Database& database);

/// "float", …; nothing for a type that clBLAS does not know.
KILN_API std::optional<std::string_view> type_name(std::uint32_t type);
KILN_API std::optional<std::uint32_t> type_named(std::string_view name);
/// "TRANS_A", …, and what has no name as "0x40000000". In version 1 bit 0x80 means another thing.
KILN_API std::vector<std::string> flag_names(std::uint32_t flags, Layout layout);
/// The bits of one such name; nothing for a name that is none.
KILN_API std::optional<std::uint32_t> flag_named(std::string_view name, Layout layout);
/// The BLAS function of a pattern, "GEMM"; nothing where clBLAS stores no such pattern.
KILN_API std::optional<std::string_view> function_of(std::string_view pattern);

/// "Cached global memory based block gemm, float TRANS_A+COLUMN_MAJOR, record 3"; what the database
/// does not have by its number, "pattern 3, setting 0, record 1".
KILN_API std::string describe(const Database& database, const Place& place);

}  // namespace kiln::kdb
