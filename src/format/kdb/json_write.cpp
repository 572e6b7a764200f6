#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "base/data/bytes.hpp"
#include "base/data/text.hpp"
#include "kiln/formats/kdb.hpp"

namespace kiln::kdb {
namespace {

using Out = fmt::memory_buffer;

template <class... Values>
// Written as text and not through a tree: a real database has 200,000 numbers, of which the tree
// would make as many allocations.
void put(Out& out, fmt::format_string<Values...> text, Values&&... values) {
  fmt::format_to(fmt::appender(out), text, std::forward<Values>(values)...);
}

// Bytes from 0x80 stand as they are: the name is UTF-8.
void put_quoted(Out& out, std::string_view text) {
  out.push_back('"');
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      put(out, "\\{}", c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      put(out, "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

/// Each of a list by `put_one`, with `separator` between them.
template <class List, class PutOne>
void put_each(Out& out, const List& list, std::string_view separator, PutOne put_one) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out.append(separator);
    put_one(list[i]);
  }
}

void put_item(Out& out, std::uint64_t size, Layout layout) {
  if (size == (layout == Layout::v3 ? unused_v3 : unused_v1)) return put(out, "\"unused\"");
  put(out, "{}", size);
}

void put_level(Out& out, const Dimensions& level, Layout layout) {
  put(out, R"({{"x": {}, "y": {}, "bwidth": {}, "itemX": )", level.x, level.y, level.bwidth);
  put_item(out, level.item_x, layout);
  put(out, R"(, "itemY": )");
  put_item(out, level.item_y, layout);
  out.push_back('}');
}

template <class List>
void put_list(Out& out, std::string_view name, const List& list) {
  put(out, R"(, "{}": [{}])", name, fmt::join(list, ", "));
}

void put_time(Out& out, double time) {
  if (std::bit_cast<std::uint64_t>(time) == std::bit_cast<std::uint64_t>(untuned_time))
    return put(out, R"(, "time": "untuned")");
  // JSON has no infinities, a NaN has bits to keep, and "-0" reads as an integer.
  if (!std::isfinite(time) || (time == 0 && std::signbit(time)))
    return put(out, R"(, "time_bits": "{:016x}")", std::bit_cast<std::uint64_t>(time));
  put(out, R"(, "time": {})", time);
}

// Fields that say nothing are left out, so that what was tuned can be seen among the rest.
void put_record(Out& out, const Record& record, Layout layout) {
  if (record == Record{}) return put(out, "\"untuned\"");
  put(out, R"({{"levels": [)");
  const std::size_t levels = record.levels[2] == Dimensions{} ? 2 : 3;
  put_each(out, std::span(record.levels).first(levels), ", ",
           [&](const Dimensions& level) { put_level(out, level, layout); });
  const Granularity& group = record.granularity;
  put(out, R"(], "wgSize": [{}, {}], "wgDim": {}, "wfSize": {})", group.work_group[0],
      group.work_group[1], group.dimensions, group.wavefront);
  if (group.spawned != std::array<std::uint32_t, 2>{}) put_list(out, "numWGSpawned", group.spawned);
  if (layout == Layout::v3) put(out, R"(, "maxWorkGroupSize": {})", group.max_work_group);
  if (record.offsets != std::array<std::uint64_t, 3>{}) put_list(out, "offsets", record.offsets);
  if (record.sizes != std::array<std::uint32_t, 3>{}) put_list(out, "sizes", record.sizes);
  if (layout == Layout::v3 && record.duplicate != record.sizes)
    put_list(out, "duplicate", record.duplicate);
  put_time(out, record.time);
  out.push_back('}');
}

void put_setting(Out& out, const Setting& setting, Layout layout) {
  const auto type = type_name(setting.type);
  put(out, "\n      {{\"type\": ");
  if (type) {
    put_quoted(out, *type);
  } else {
    put(out, "{}", setting.type);
  }
  put(out, R"(, "flags": [)");
  put_each(out, flag_names(setting.flags, layout), ", ",
           [&](const std::string& name) { put_quoted(out, name); });
  put(out, R"(], "records": [)");
  put_each(out, setting.records, ",", [&](const Record& record) {
    put(out, "\n        ");
    put_record(out, record, layout);
  });
  put(out, "]}}");
}

void put_pattern(Out& out, const Pattern& pattern, Layout layout) {
  put(out, "\n    {{");
  if (is_utf8(pattern.name)) {
    put(out, R"("name": )");
    put_quoted(out, pattern.name);
  } else {
    put(out, R"("name_hex": "{}")", to_hex(as_bytes(pattern.name)));
  }
  if (!pattern.terminated) put(out, R"(, "terminated": false)");
  put(out, R"(, "settings": [)");
  put_each(out, pattern.settings, ",",
           [&](const Setting& setting) { put_setting(out, setting, layout); });
  put(out, "]}}");
}

}  // namespace

std::string to_json(const Database& database) {
  Out out;
  put(out, "{{\n  \"layout\": \"{}\",\n  \"functions\": {},\n", name_of(database.layout),
      database.functions);
  if (database.binary_start != 0) put(out, "  \"binary_data_start\": {},\n", database.binary_start);
  put(out, "  \"patterns\": [");
  put_each(out, database.patterns, ",",
           [&](const Pattern& pattern) { put_pattern(out, pattern, database.layout); });
  put(out, "]");
  if (!database.binaries.empty()) put(out, ",\n  \"binaries\": \"{}\"", to_hex(database.binaries));
  put(out, "\n}}\n");
  return fmt::to_string(out);
}

}  // namespace kiln::kdb
