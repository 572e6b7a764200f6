#include <fmt/format.h>

#include <bit>
#include <nlohmann/json.hpp>

#include "base/data/text.hpp"
#include "base/expected.hpp"
#include "format/kdb/form.hpp"

namespace kiln::kdb {
namespace {

using Json = nlohmann::json;

/// Reads one document. What is wrong is thrown, with the path to it ("patterns[2].settings[0]"),
/// which each helper keeps while it reads.
class JsonReader {
 public:
  Database read(const Json& root) {
    keys(root, {"layout", "functions", "binary_data_start", "patterns", "binaries"});
    Database database;
    const auto layout = layout_named(text(root, "layout"));
    if (!layout) wrong("layout", "expected v3, v1 or v1-wide");
    database.layout = layout_ = *layout;
    if (root.contains("functions")) database.functions = number<std::uint32_t>(root, "functions");
    if (root.contains("binary_data_start"))
      database.binary_start = number<std::uint64_t>(root, "binary_data_start");
    each(root, "patterns", [&](const Json& json, std::size_t index) {
      at_.pattern = index;
      database.patterns.push_back(pattern(json));
    });
    if (root.contains("binaries")) {
      database.storage = std::make_shared<Bytes>(hex(root, "binaries"));
      database.binaries = *database.storage;
    }
    place(database);
    return database;
  }

 private:
  /// Kernels that records hold themselves. Where they will lie is only known when everything is
  /// read.
  void place(Database& database) {
    if (kernels_.empty()) return;
    if (!database.binaries.empty() || database.binary_start != 0)
      throw Error(Errc::bad_input, "database: 'binaries' and 'kernels' do not go together");
    for (std::size_t i = 0; i < kernels_.size(); ++i) kernels_[i].content = contents_[i];
    value_or_throw(place_kernels(database, kernels_));
  }

  Pattern pattern(const Json& json) {
    keys(json, {"name", "name_hex", "terminated", "settings"});
    Pattern pattern;
    pattern.name = json.contains("name_hex") ? std::string(as_text(hex(json, "name_hex")))
                                             : text(json, "name");
    if (json.contains("terminated")) pattern.terminated = boolean(json, "terminated");
    each(json, "settings", [&](const Json& element, std::size_t index) {
      at_.setting = index;
      pattern.settings.push_back(setting(element));
    });
    return pattern;
  }

  Setting setting(const Json& json) {
    keys(json, {"type", "flags", "records"});
    Setting setting{type(json), 0, {}};
    each(json, "flags", [&](const Json& name, std::size_t) {
      const auto bits =
          name.is_string() ? flag_named(name.get_ref<const std::string&>(), layout_) : std::nullopt;
      if (!bits)
        wrong("", fmt::format("{} is not a flag of layout {}", name.dump(), name_of(layout_)));
      setting.flags |= *bits;
    });
    each(json, "records", [&](const Json& element, std::size_t index) {
      at_.record = index;
      setting.records.push_back(record(element));
    });
    return setting;
  }

  std::uint32_t type(const Json& json) {
    const Json& value = find(json, "type");
    if (!value.is_string()) return number<std::uint32_t>(json, "type");
    const auto named = type_named(value.get_ref<const std::string&>());
    if (!named) wrong("type", fmt::format("{} is not a data type", value.dump()));
    return *named;
  }

  Record record(const Json& json) {
    if (json == "untuned") return {};
    keys(json, {"levels", "wgSize", "wgDim", "wfSize", "numWGSpawned", "maxWorkGroupSize",
                "offsets", "sizes", "duplicate", "kernels", "time", "time_bits"});
    Record record;
    std::size_t levels = 0;
    each(json, "levels", [&](const Json& element, std::size_t) {
      if (levels < 3) record.levels[levels] = level(element);
      ++levels;
    });
    if (levels < 2 || levels > 3) wrong("levels", fmt::format("found {}, expected 2 or 3", levels));
    Granularity& group = record.granularity;
    list(json, "wgSize", group.work_group);
    group.dimensions = number<std::uint32_t>(json, "wgDim");
    group.wavefront = number<std::uint32_t>(json, "wfSize");
    list_if_there(json, "numWGSpawned", group.spawned);
    if (layout_ == Layout::v3)
      group.max_work_group = number<std::uint32_t>(json, "maxWorkGroupSize");
    list_if_there(json, "offsets", record.offsets);
    list_if_there(json, "sizes", record.sizes);
    if (layout_ == Layout::v3) record.duplicate = record.sizes;
    list_if_there(json, "duplicate", record.duplicate);
    if (json.contains("kernels")) kernels(json);
    record.time = time(json);
    return record;
  }

  Dimensions level(const Json& json) {
    keys(json, {"x", "y", "bwidth", "itemX", "itemY"});
    Dimensions level;
    level.x = number<std::uint64_t>(json, "x");
    level.y = number<std::uint64_t>(json, "y");
    level.bwidth = number<std::uint64_t>(json, "bwidth");
    level.item_x = item(json, "itemX");
    level.item_y = item(json, "itemY");
    return level;
  }

  std::uint64_t item(const Json& json, const char* name) {
    if (find(json, name) == "unused") return layout_ == Layout::v3 ? unused_v3 : unused_v1;
    return number<std::uint64_t>(json, name);
  }

  void kernels(const Json& json) {
    each(json, "kernels", [&](const Json& element, std::size_t slot) {
      if (slot >= 3) wrong("kernels", "expected at most 3");
      Bytes content = hex({{"kernel", element}}, "kernel");
      if (content.empty()) return;
      contents_.push_back(std::move(content));
      kernels_.push_back(at_);
      kernels_.back().slot = slot;
    });
  }

  double time(const Json& json) {
    if (json.contains("time_bits")) {
      const Bytes bits = hex(json, "time_bits");
      if (bits.size() != 8) wrong("time_bits", "expected 16 hexadecimal digits");
      std::uint64_t value = 0;
      for (const std::byte byte : bits) value = value << 8 | static_cast<std::uint64_t>(byte);
      return std::bit_cast<double>(value);
    }
    const Json& value = find(json, "time");
    if (value == "untuned") return untuned_time;
    if (!value.is_number()) wrong("time", "expected milliseconds or \"untuned\"");
    return value.get<double>();
  }

  [[noreturn]] void wrong(std::string_view name, std::string_view what) const {
    throw Error(Errc::bad_input, fmt::format("{}{}{}: {}", path_.empty() ? "database" : path_,
                                             name.empty() ? "" : ".", name, what));
  }

  const Json& find(const Json& json, const char* name) const {
    if (!json.is_object()) wrong("", "expected an object");
    const auto found = json.find(name);
    if (found == json.end()) wrong(name, "missing");
    return *found;
  }

  /// A misspelt name would silently be without effect.
  void keys(const Json& json, std::initializer_list<std::string_view> known) const {
    if (!json.is_object()) wrong("", "expected an object");
    for (const auto& [name, value] : json.items())
      if (std::find(known.begin(), known.end(), name) == known.end())
        wrong(name, fmt::format("unknown, expected one of {}", fmt::join(known, ", ")));
  }

  template <class Read>
  void each(const Json& json, const char* name, Read read) {
    const Json& array = find(json, name);
    if (!array.is_array()) wrong(name, "expected an array");
    const std::string before = path_;
    for (std::size_t i = 0; i < array.size(); ++i) {
      path_ = fmt::format("{}{}{}[{}]", before, before.empty() ? "" : ".", name, i);
      read(array[i], i);
    }
    path_ = before;
  }

  std::string text(const Json& json, const char* name) const {
    const Json& value = find(json, name);
    if (!value.is_string()) wrong(name, "expected a text");
    return value.get<std::string>();
  }

  bool boolean(const Json& json, const char* name) const {
    const Json& value = find(json, name);
    if (!value.is_boolean()) wrong(name, "expected true or false");
    return value.get<bool>();
  }

  Bytes hex(const Json& json, const char* name) const {
    const std::string digits = text(json, name);
    Bytes bytes = from_hex(digits);
    if (bytes.size() * 2 != digits.size()) wrong(name, "expected hexadecimal digits, two a byte");
    return bytes;
  }

  // Numbers with a fraction, negative ones and those too large would be rounded without a word by
  // the library's conversion.
  template <class T>
  T number_of(const Json& value, std::string_view name) const {
    constexpr auto most = std::numeric_limits<T>::max();
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most)
      wrong(name, fmt::format("found {}, expected an integer from 0 to {}", value.dump(), most));
    return value.get<T>();
  }
  template <class T>
  T number(const Json& json, const char* name) const {
    return number_of<T>(find(json, name), name);
  }

  template <class T, std::size_t size>
  void list(const Json& json, const char* name, std::array<T, size>& into) const {
    const Json& value = find(json, name);
    if (!value.is_array() || value.size() != size)
      wrong(name, fmt::format("expected an array of {} numbers", size));
    for (std::size_t i = 0; i < size; ++i) into[i] = number_of<T>(value[i], name);
  }
  template <class T, std::size_t size>
  void list_if_there(const Json& json, const char* name, std::array<T, size>& into) const {
    if (json.contains(name)) list(json, name, into);
  }

  Layout layout_ = Layout::v3;
  std::string path_;
  KernelSlot at_;  ///< the record that is read
  std::vector<KernelSlot> kernels_;
  std::vector<Bytes> contents_;  ///< of these
};

/// What the grammar refuses is refused here, not written.
// The file's own reader is the judge: it knows every rule, and what it takes others take.
void check_writable(const Database& database) {
  const auto bytes = write(database);
  if (!bytes) throw Error(Errc::bad_input, bytes.error().message());
  if (const auto again = parse(*bytes); !again)
    throw Error(Errc::bad_input, "these values make no file: " + again.error().message());
}

}  // namespace

Expected<Database> from_json(std::string_view text) {
  if (auto within = check_json_bounds(text); !within) return tl::unexpected(within.error());
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    return fail(Errc::bad_input, fmt::format("byte {}: not JSON: {}", error.byte, error.what()));
  } catch (const Json::exception& error) {  // a number that no double holds
    return fail(Errc::bad_input, fmt::format("not JSON: {}", error.what()));
  }
  return expected_from([&] {
    Database database = JsonReader().read(json);
    check_writable(database);
    return database;
  });
}

}  // namespace kiln::kdb
