#include "layer/program/usage_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/data/byte_fields.hpp"
#include "base/expected.hpp"
#include "layer/program/program_request.hpp"

namespace kiln::layer {
namespace {

constexpr std::string_view usage_name = "program usage", text_name = "program text";

// Rows: a program, or further variants of one that an earlier row has.

enum class RowKind : std::uint8_t { program = 1, variants = 2 };

struct Row {
  RowKind kind = RowKind::program;
  UsedProgram program;
};

constexpr auto setting_fields = [](auto& to, auto& setting) {
  to.field("constant", setting.id);
  to.field("kind", setting.kind);
  to.field("bits", setting.bits);
  to.field("value", setting.value);
  to.expect(setting.kind <= spirv::ConstantKind::floating, "kind", "is none");
  to.expect(setting.bits >= 1 && setting.bits <= 64, "bits", "are not between 1 and 64");
};

constexpr auto row_fields = [](auto& to, auto& row) {
  auto& program = row.program;
  to.field("row", row.kind);
  to.field("artifact", program.artifact.digest);
  to.expect(row.kind == RowKind::program || row.kind == RowKind::variants, "row", "is none");
  if (row.kind == RowKind::program) {
    to.field("text", program.text);
    to.field("is module", program.is_module);
    to.field("options", program.options);
    to.list("constants", program.constants, 17, [&](auto& one) { setting_fields(to, one); });
    to.field("device", program.fingerprint);
  }
  to.list("variants", program.variants, 8, [&](auto& variant) {
    to.field("kernel", variant.first);
    to.field("folder", variant.second);
  });
  to.expect(program.variants.size() <= most_variants, "variants", "are too many");
};

constexpr std::size_t length_size = sizeof(std::uint32_t);
/// What every row begins with.
constexpr std::size_t head_size = sizeof(RowKind) + sizeof(Digest);

void append_row(Bytes& to, const Row& row) { append_block(to, bytes_by(row_fields, row)); }

void merge(UsedProgram& into, const UsedProgram& from) {
  for (const auto& variant : from.variants)
    if (into.variants.size() < most_variants) into.variants.insert(variant);
}

/// The record that rows come to.
class RowReader {
 public:
  bool take(Row&& row) {
    const auto [place, is_new] = places_.try_emplace(row.program.artifact, record_.size());
    if (!is_new)
      merge(record_[place->second], row.program);
    else if (row.kind == RowKind::program)
      record_.push_back(std::move(row.program));
    return !is_new || row.kind == RowKind::program;
  }
  UsageRecord record() && { return std::move(record_); }

 private:
  UsageRecord record_;
  std::unordered_map<Key, std::size_t, KeyHash> places_;
};

}  // namespace

Bytes encode(const UsageRecord& record) {
  Bytes bytes;
  for (const auto& program : record) append_row(bytes, {RowKind::program, program});
  return bytes;
}

Expected<UsageRecord> decode_usage(ByteView bytes) {
  constexpr std::string_view what = "usage record";
  Cursor cursor(bytes, what);
  RowReader reader;
  while (cursor.left() > 0) {
    const std::size_t at = cursor.at();
    const ByteView block = cursor.block("row");
    if (!cursor.ok()) break;
    auto row = read_by<Row>(row_fields, block, what);
    if (!row) return tl::unexpected(row.error());
    if (!reader.take(*std::move(row)))
      cursor.refuse(at, "row", "it has variants of a program that is not there");
  }
  if (!cursor.ok()) return tl::unexpected(cursor.error());
  return std::move(reader).record();
}

StoredUsage::StoredUsage(Bytes content) : content_(std::move(content)) {
  std::size_t at = 0;
  while (content_.size() - at >= length_size + head_size) {
    const std::size_t size = load_le<std::uint32_t>(content_.data() + at);
    if (size < head_size || size > content_.size() - at - length_size) break;
    note_row(at);
    at += length_size + size;
  }
  content_.resize(at);
}

void StoredUsage::note_row(std::size_t begin) {
  Key artifact;
  std::memcpy(artifact.digest.bytes.data(), content_.data() + begin + length_size + sizeof(RowKind),
              sizeof(Digest));
  rows_[artifact].push_back(begin);
  ++row_count_;
}

UsedProgram StoredUsage::program(const Key& artifact) const {
  RowReader reader;
  for (const std::size_t begin : rows_.at(artifact)) {
    const std::size_t size = load_le<std::uint32_t>(content_.data() + begin);
    const auto bytes = ByteView(content_).subspan(begin + length_size, size);
    if (auto row = read_by<Row>(row_fields, bytes, "usage record")) reader.take(*std::move(row));
  }
  UsageRecord record = std::move(reader).record();
  if (!record.empty()) return std::move(record.front());
  UsedProgram nothing;
  nothing.artifact = artifact;
  return nothing;
}

bool StoredUsage::add(const UsedProgram& program) {
  Row row{RowKind::program, program};
  if (has(program.artifact)) {
    const UsedProgram present = this->program(program.artifact);
    if (present.variants.size() >= most_variants) return false;
    row.kind = RowKind::variants;
    std::erase_if(row.program.variants,
                  [&](const auto& variant) { return present.variants.contains(variant); });
    if (row.program.variants.empty()) return false;
  } else if (program.text == Digest{}) {
    return false;  // of one that has gone meanwhile
  }
  const std::size_t begin = content_.size();
  append_row(content_, row);
  note_row(begin);
  return true;
}

UsageRecord StoredUsage::record() const {
  RowReader reader;
  for (std::size_t at = 0; at < content_.size();) {
    const std::size_t size = load_le<std::uint32_t>(content_.data() + at);
    const auto bytes = ByteView(content_).subspan(at + length_size, size);
    if (auto row = read_by<Row>(row_fields, bytes, "usage record")) reader.take(*std::move(row));
    at += length_size + size;
  }
  return std::move(reader).record();
}

bool StoredUsage::is_loose() const {
  return rows_.size() > most_used || row_count_ > rows_.size() * 4 + 64;
}

Bytes StoredUsage::compact() const {
  // A tenth at a time, so that not each addition is one.
  UsageRecord record = this->record();
  constexpr std::size_t left = most_used - most_used / 10;
  if (record.size() > most_used)
    record.erase(record.begin(), record.end() - static_cast<std::ptrdiff_t>(left));
  return encode(record);
}

// In the store.

Bytes canonical_of_usage(std::string_view program) {
  CanonicalWriter writer(usage_name, 1);
  writer.text("program", program);
  return writer.view();
}

Bytes canonical_of_text(const Digest& text) {
  CanonicalWriter writer(text_name, 1);
  writer.digest("text", text);
  return writer.view();
}

bool is_of_text(ByteView canonical) {
  const auto fields = CanonicalFields::read(canonical);
  const auto* schema = fields ? fields->text("schema") : nullptr;
  return schema != nullptr && *schema == text_name;
}

std::optional<std::string> program_of_usage(ByteView canonical) {
  const auto fields = CanonicalFields::read(canonical);
  const auto* program = fields ? fields->text("program") : nullptr;
  if (program == nullptr || !std::ranges::equal(canonical_of_usage(*program), canonical))
    return std::nullopt;
  return *program;
}

namespace {

Bytes content_in(std::optional<Entry>&& entry) {
  if (!entry || entry->metadata.schema != usage_schema) return {};
  return std::move(entry->content);
}

Lookup look_up(Layer& store, ByteView canonical) {
  return store.get(Kind::record, key_of(canonical), canonical);
}

}  // namespace

StoredUsage stored_usage(Layer& store, std::string_view program) {
  return StoredUsage(content_in(look_up(store, canonical_of_usage(program)).entry));
}

UsageRecord used_programs(Layer& store, std::string_view program) {
  return stored_usage(store, program).record();
}

Expected<void> add_used(Layer& store, std::string_view program, const UsageRecord& added,
                        ByteView otherwise) {
  const Bytes canonical = canonical_of_usage(program);
  const auto change = [&](const std::optional<Entry>& present) -> std::optional<Entry> {
    StoredUsage usage(present ? content_in(std::optional(*present))
                              : Bytes(otherwise.begin(), otherwise.end()));
    bool has_grown = false;
    for (const auto& one : added) has_grown = usage.add(one) || has_grown;
    if (!has_grown) return std::nullopt;
    return Entry{usage.is_loose() ? usage.compact() : usage.content(),
                 {usage_schema, fmt::format("programs of {}", program), {}, 0}};
  };
  return store.update(Kind::record, key_of(canonical), canonical, change);
}

std::optional<std::string> used_text(Layer& store, const Digest& text) {
  const auto found = look_up(store, canonical_of_text(text));
  if (!found.entry || blake2b(found.entry->content) != text) return std::nullopt;
  return std::string(as_text(found.entry->content));
}

Expected<void> keep_text(Layer& store, const ExpandedSource& source) {
  const Bytes canonical = canonical_of_text(source.digest());
  const auto change = [&](const std::optional<Entry>& present) -> std::optional<Entry> {
    if (present) return std::nullopt;
    const ByteView text = as_bytes(source.text());
    return Entry{Bytes(text.begin(), text.end()),
                 {usage_schema, fmt::format("text of {}", first_kernel(source.text())), {}, 0}};
  };
  return store.update(Kind::record, key_of(canonical), canonical, change);
}

Expected<Request> request_of(const UsedProgram& used, std::string text, std::string_view program,
                             const Device& device) {
  return expected_from([&] {
    Request request = empty_request(device);
    request.label = program_label(text, program);
    request.source = value_or_throw(expanded_source(std::move(text), used.is_module));
    if (request.source->digest() != used.text)
      throw Error(Errc::corrupt, "the text is not that of the record");
    request.constants = used.constants;
    request.options = used.options;
    return request;
  });
}

}  // namespace kiln::layer
