#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernel/request/request.hpp"
#include "kiln/store/entry.hpp"
#include "store/layer/layer.hpp"

// Which programs an application has built, as records of the store: so that they can be exported
// for it, and compiled before it starts. docs/formats/usage.md describes every byte.
//
// There is a record for each application, by the name of its program's file, and one for each
// distinct text: what applications have in common is kept once.
namespace kiln::layer {

/// A variant of a kernel: its name, and PoCL's folder for it ("64-1-1-goffs0-smallgrid").
using UsedVariant = std::pair<std::string, std::string>;

/// A program that an application has built for a device.
struct UsedProgram {
  Key artifact;
  Digest text;             ///< of ExpandedSource::text()
  bool is_module = false;  ///< SPIR-V
  std::string options;
  std::vector<spirv::Setting> constants;
  std::string fingerprint;  ///< of the device
  std::set<UsedVariant> variants;
  bool operator==(const UsedProgram&) const = default;
};

/// All of one application, those that were built first in front.
using UsageRecord = std::vector<UsedProgram>;

inline constexpr std::uint32_t usage_schema = 1;
/// Of an application at most so many programs, of a program so many variants; the oldest programs
/// go, further variants are not noted.
inline constexpr std::size_t most_used = 10'000, most_variants = 4096;
inline constexpr std::size_t longest_program_name = 255;

Bytes encode(const UsageRecord& record);
/// Every length and number is checked. Errors: corrupt.
Expected<UsageRecord> decode_usage(ByteView bytes);

/// A record as it is stored: rows that were added one after another, of which the programs that a
/// process builds are read, and no others. Of damaged bytes it has what comes before the damage.
class StoredUsage {
 public:
  explicit StoredUsage(Bytes content = {});

  bool has(const Key& artifact) const { return rows_.contains(artifact); }
  /// One that it has.
  UsedProgram program(const Key& artifact) const;
  const Bytes& content() const { return content_; }
  /// All of it, but for rows that cannot be read.
  UsageRecord record() const;
  /// Adds what is not there of a program; of one without a text only variants, where the program is
  /// there. Whether that was anything.
  bool add(const UsedProgram& program);
  /// The content with each program in one row, and without the oldest where they are too many.
  Bytes compact() const;
  /// Whether compact() would make it much smaller, or must.
  bool is_loose() const;

 private:
  void note_row(std::size_t begin);
  Bytes content_;
  std::size_t row_count_ = 0;
  /// Where the rows of a program begin, the first of which names it.
  std::unordered_map<Key, std::vector<std::size_t>, KeyHash> rows_;
};

/// What the keys of the records are made of.
Bytes canonical_of_usage(std::string_view program);
Bytes canonical_of_text(const Digest& text);
/// Whether canonical bytes are those of some program's text.
bool is_of_text(ByteView canonical);
/// The program whose record canonical bytes are of; nothing where they are of something else.
std::optional<std::string> program_of_usage(ByteView canonical);

/// What is on record for an application; empty where there is nothing.
StoredUsage stored_usage(Layer& store, std::string_view program);
UsageRecord used_programs(Layer& store, std::string_view program);
/// Adds programs, and variants of those that are there, as one step against all other writers.
/// `otherwise`: the content of a record that the local store begins with where it has none; one of
/// a layer below. Errors: the layer's.
Expected<void> add_used(Layer& store, std::string_view program, const UsageRecord& added,
                        ByteView otherwise = {});

/// The text of a program; nothing where the store does not have it, whole.
std::optional<std::string> used_text(Layer& store, const Digest& text);
/// Keeps it. Errors: the layer's.
Expected<void> keep_text(Layer& store, const ExpandedSource& source);

/// The Request of a program, from its text, for a device that may be another one than recorded.
/// Errors: corrupt where the text is not that of the record; those of reading modules.
Expected<Request> request_of(const UsedProgram& used, std::string text, std::string_view program,
                             const Device& device);

}  // namespace kiln::layer
