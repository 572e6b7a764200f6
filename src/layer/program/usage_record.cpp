#include "layer/program/usage_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/data/byte_fields.hpp"
#include "base/expected.hpp"
#include "layer/program/program_request.hpp"

namespace kiln::layer {
namespace {

constexpr std::string_view usage_name = "program usage", text_name = "program text";

// The form of a record: devices once, since all programs have the same few.

struct Row {
  UsedProgram program;
  std::uint32_t device = 0;
  std::vector<UsedVariant> variants;
};
struct Table {
  std::vector<std::string> devices;
  std::vector<Row> rows;
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
  to.field("artifact", program.artifact.digest);
  to.field("text", program.text);
  to.field("is module", program.is_module);
  to.field("options", program.options);
  to.list("constants", program.constants, 17, [&](auto& one) { setting_fields(to, one); });
  to.field("device", row.device);
  to.list("variants", row.variants, 8, [&](auto& variant) {
    to.field("kernel", variant.first);
    to.field("folder", variant.second);
  });
  to.expect(row.variants.size() <= most_variants, "variants", "are too many");
};

constexpr auto table_fields = [](auto& to, auto& table) {
  to.list("devices", table.devices, 4, [&](auto& device) { to.field("device", device); });
  to.list("programs", table.rows, 81, [&](auto& row) {
    row_fields(to, row);
    to.expect(row.device < table.devices.size(), "device", "is not in the list");
  });
  to.expect(table.rows.size() <= most_used, "programs", "are too many");
};

}  // namespace

Bytes encode(const UsageRecord& record) {
  Table table;
  std::map<std::string, std::uint32_t> numbers;
  for (const auto& program : record) {
    const auto [device, is_new] =
        numbers.try_emplace(program.fingerprint, static_cast<std::uint32_t>(numbers.size()));
    if (is_new) table.devices.push_back(program.fingerprint);
    table.rows.push_back(
        {program, device->second, {program.variants.begin(), program.variants.end()}});
  }
  return bytes_by(table_fields, table);
}

Expected<UsageRecord> decode_usage(ByteView bytes) {
  return read_by<Table>(table_fields, bytes, "usage record").map([](Table&& table) {
    UsageRecord record;
    for (Row& row : table.rows) {
      row.program.fingerprint = table.devices[row.device];
      row.program.variants = {row.variants.begin(), row.variants.end()};
      record.push_back(std::move(row.program));
    }
    return record;
  });
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

std::optional<std::string> program_of_usage(ByteView canonical) {
  const auto fields = CanonicalFields::read(canonical);
  const auto* program = fields ? fields->text("program") : nullptr;
  if (program == nullptr || !std::ranges::equal(canonical_of_usage(*program), canonical))
    return std::nullopt;
  return *program;
}

namespace {

UsageRecord record_in(const std::optional<Entry>& entry) {
  if (!entry || entry->metadata.schema != usage_schema) return {};
  return decode_usage(entry->content).value_or(UsageRecord{});
}

/// Whether anything was new.
bool add(UsageRecord& record, const UsageRecord& added) {
  std::map<Key, std::size_t> places;
  for (std::size_t i = 0; i < record.size(); ++i) places.emplace(record[i].artifact, i);
  bool is_new = false;
  for (const auto& program : added) {
    const auto [place, is_unknown] = places.try_emplace(program.artifact, record.size());
    if (is_unknown) record.push_back(program);
    is_new = is_new || is_unknown;
    auto& variants = record[place->second].variants;
    for (const auto& variant : program.variants)
      if (variants.size() < most_variants) is_new = variants.insert(variant).second || is_new;
  }
  if (record.size() > most_used)
    record.erase(record.begin(), record.end() - static_cast<std::ptrdiff_t>(most_used));
  return is_new;
}

Lookup look_up(Layer& store, ByteView canonical) {
  return store.get(Kind::record, key_of(canonical), canonical);
}

}  // namespace

UsageRecord used_programs(Layer& store, std::string_view program) {
  return record_in(look_up(store, canonical_of_usage(program)).entry);
}

Expected<void> add_used(Layer& store, std::string_view program, const UsageRecord& added) {
  const Bytes canonical = canonical_of_usage(program);
  const auto change = [&](const std::optional<Entry>& present) -> std::optional<Entry> {
    UsageRecord record = record_in(present);
    if (!add(record, added)) return std::nullopt;
    return Entry{encode(record), {usage_schema, fmt::format("programs of {}", program), {}, 0}};
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
