#include <fmt/format.h>

#include <bit>
#include <nlohmann/json.hpp>

#include "base/data/bounds.hpp"
#include "format/kdb/form.hpp"

namespace kiln::kdb {
namespace {

using Json = nlohmann::json;

/// Reads one document; the first thing that is wrong stays, with the path to it.
class JsonReader {
 public:
  explicit JsonReader(const Json& root) : root_(root) {}

  // Reading goes straight on after an error with zeros, as the cursor over bytes does; only the
  // first error is told, and what follows from it is not.
  Expected<Database> read() {
    keys(root_, {"layout", "functions", "binary_data_start", "patterns", "binaries"});
    Database database;
    const auto layout = layout_named(text(root_, "layout"));
    if (!layout) wrong("layout", "expected v3, v1 or v1-wide");
    database.layout = layout_ = layout.value_or(Layout::v3);
    if (root_.contains("functions")) database.functions = number<std::uint32_t>(root_, "functions");
    if (root_.contains("binary_data_start"))
      database.binary_start = number<std::uint64_t>(root_, "binary_data_start");
    each(root_, "patterns", [&](const Json& json) { database.patterns.push_back(pattern(json)); });
    if (root_.contains("binaries")) {
      database.storage = std::make_shared<Bytes>(hex(root_, "binaries"));
      database.binaries = *database.storage;
    }
    if (error_) return tl::unexpected(*error_);
    return with_kernels(std::move(database));
  }

 private:
  /// A kernel that a record holds itself, and where it is for.
  struct Own {
    KernelSlot slot;
    Bytes content;
  };

  Expected<Database> with_kernels(Database database) {
    if (own_.empty()) return checked(std::move(database));
    if (!database.binaries.empty() || database.binary_start != 0)
      return fail(Errc::bad_input, "database: 'binaries' and 'kernels' do not go together");
    std::vector<KernelSlot> slots;
    for (Own& own : own_) {
      own.slot.content = own.content;
      slots.push_back(own.slot);
    }
    if (auto placed = place_kernels(database, slots); !placed)
      return tl::unexpected(placed.error());
    return checked(std::move(database));
  }

  /// What the grammar refuses is refused here, not written.
  // The file's own reader is the judge: it knows every rule, and what it takes others take.
  static Expected<Database> checked(Database database) {
    const auto bytes = write(database);
    if (!bytes) return tl::unexpected(Error(Errc::bad_input, bytes.error().message()));
    if (auto again = parse(*bytes); !again)
      return tl::unexpected(
          Error(Errc::bad_input, "these values make no file: " + again.error().message()));
    return database;
  }

  Pattern pattern(const Json& json) {
    keys(json, {"name", "name_hex", "terminated", "settings"});
    Pattern pattern;
    pattern.name = json.contains("name_hex") ? std::string(as_text(hex(json, "name_hex")))
                                             : text(json, "name");
    if (json.contains("terminated")) pattern.terminated = boolean(json, "terminated");
    setting_ = 0;
    each(json, "settings", [&](const Json& element) {
      pattern.settings.push_back(setting(element));
      ++setting_;
    });
    ++pattern_;
    return pattern;
  }

  Setting setting(const Json& json) {
    keys(json, {"type", "flags", "records"});
    Setting setting{type(json), 0, {}};
    each(json, "flags", [&](const Json& name) {
      const auto bits =
          name.is_string() ? flag_named(name.get_ref<const std::string&>(), layout_) : std::nullopt;
      if (!bits)
        wrong("", fmt::format("{} is not a flag of layout {}", name.dump(), name_of(layout_)));
      setting.flags |= bits.value_or(0);
    });
    record_ = 0;
    each(json, "records", [&](const Json& element) {
      setting.records.push_back(record(element));
      ++record_;
    });
    return setting;
  }

  std::uint32_t type(const Json& json) {
    const Json* value = find(json, "type");
    if (value == nullptr) return 0;
    if (value->is_string()) {
      const auto named = type_named(value->get_ref<const std::string&>());
      if (!named) wrong("type", fmt::format("{} is not a data type", value->dump()));
      return named.value_or(0);
    }
    return number<std::uint32_t>(json, "type");
  }

  Record record(const Json& json) {
    if (json.is_string() && json == "untuned") return {};
    keys(json, {"levels", "wgSize", "wgDim", "wfSize", "numWGSpawned", "maxWorkGroupSize",
                "offsets", "sizes", "duplicate", "kernels", "time", "time_bits"});
    Record record;
    std::size_t levels = 0;
    each(json, "levels", [&](const Json& element) {
      if (levels < 3) record.levels[levels] = level(element);
      ++levels;
    });
    if (levels < 2 || levels > 3) wrong("levels", fmt::format("found {}, expected 2 or 3", levels));
    Granularity& group = record.granularity;
    list(json, "wgSize", group.work_group, Needed::yes);
    group.dimensions = number<std::uint32_t>(json, "wgDim");
    group.wavefront = number<std::uint32_t>(json, "wfSize");
    list(json, "numWGSpawned", group.spawned, Needed::no);
    if (layout_ == Layout::v3)
      group.max_work_group = number<std::uint32_t>(json, "maxWorkGroupSize");
    list(json, "offsets", record.offsets, Needed::no);
    list(json, "sizes", record.sizes, Needed::no);
    if (layout_ == Layout::v3) record.duplicate = record.sizes;
    list(json, "duplicate", record.duplicate, Needed::no);
    if (json.is_object() && json.contains("kernels")) kernels(json);
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
    const Json* value = find(json, name);
    if (value != nullptr && *value == "unused")
      return layout_ == Layout::v3 ? unused_v3 : unused_v1;
    return number<std::uint64_t>(json, name);
  }

  // Where kernels will lie is only known when everything is read.
  void kernels(const Json& json) {
    std::size_t slot = 0;
    each(json, "kernels", [&](const Json& element) {
      Json holder;
      holder["kernel"] = element;
      if (slot >= 3) return wrong("kernels", "expected at most 3");
      own_.push_back({{pattern_, setting_, record_, slot++, {}}, hex(holder, "kernel")});
      if (own_.back().content.empty()) own_.pop_back();
    });
  }

  double time(const Json& json) {
    if (json.is_object() && json.contains("time_bits")) {
      const Bytes bits = hex(json, "time_bits");
      if (bits.size() != 8) {
        wrong("time_bits", "expected 16 hexadecimal digits");
        return 0;
      }
      std::uint64_t value = 0;
      for (const std::byte byte : bits) value = value << 8 | static_cast<std::uint64_t>(byte);
      return std::bit_cast<double>(value);
    }
    const Json* value = find(json, "time");
    if (value == nullptr || *value == "untuned") return untuned_time;
    if (!value->is_number()) {
      wrong("time", "expected milliseconds or \"untuned\"");
      return 0;
    }
    return value->get<double>();
  }

  // The helpers name the path as "patterns[2].settings[0]"; each keeps it while it reads.

  void wrong(std::string_view name, std::string_view what) {
    if (error_) return;
    std::string path = path_.empty() ? "database" : path_;
    if (!name.empty()) path += fmt::format(".{}", name);
    error_.emplace(Errc::bad_input, fmt::format("{}: {}", path, what));
  }

  const Json* find(const Json& json, const char* name) {
    if (!json.is_object()) {
      wrong("", "expected an object");
      return nullptr;
    }
    const auto found = json.find(name);
    if (found != json.end()) return &*found;
    wrong(name, "missing");
    return nullptr;
  }

  /// A misspelt name would silently be without effect.
  void keys(const Json& json, std::initializer_list<std::string_view> known) {
    if (!json.is_object()) return wrong("", "expected an object");
    for (const auto& [name, value] : json.items())
      if (std::find(known.begin(), known.end(), name) == known.end())
        wrong(name, fmt::format("unknown, expected one of {}", fmt::join(known, ", ")));
  }

  template <class Read>
  void each(const Json& json, const char* name, Read read) {
    const Json* array = find(json, name);
    if (array == nullptr) return;
    if (!array->is_array()) return wrong(name, "expected an array");
    const std::string before = path_;
    for (std::size_t i = 0; i < array->size() && !error_; ++i) {
      path_ = fmt::format("{}{}{}[{}]", before, before.empty() ? "" : ".", name, i);
      read((*array)[i]);
    }
    path_ = before;
  }

  std::string text(const Json& json, const char* name) {
    const Json* value = find(json, name);
    if (value == nullptr) return {};
    if (value->is_string()) return value->get<std::string>();
    wrong(name, "expected a text");
    return {};
  }

  bool boolean(const Json& json, const char* name) {
    const Json* value = find(json, name);
    if (value != nullptr && value->is_boolean()) return value->get<bool>();
    wrong(name, "expected true or false");
    return false;
  }

  Bytes hex(const Json& json, const char* name) {
    const std::string digits = text(json, name);
    Bytes bytes = from_hex(digits);
    if (bytes.size() * 2 != digits.size()) wrong(name, "expected hexadecimal digits, two a byte");
    return bytes;
  }

  // Numbers with a fraction, negative ones and those too large would be rounded without a word by
  // the library's conversion.
  template <class T>
  T number_of(const Json& value, std::string_view name) {
    if (value.is_number_unsigned()) {
      const auto number = value.get<std::uint64_t>();
      if (number <= std::numeric_limits<T>::max()) return static_cast<T>(number);
    }
    wrong(name, fmt::format("found {}, expected an integer from 0 to {}", value.dump(),
                            std::numeric_limits<T>::max()));
    return 0;
  }
  template <class T>
  T number(const Json& json, const char* name) {
    const Json* value = find(json, name);
    return value == nullptr ? T{0} : number_of<T>(*value, name);
  }

  enum class Needed : bool { no, yes };
  template <class T, std::size_t size>
  void list(const Json& json, const char* name, std::array<T, size>& into, Needed needed) {
    if (needed == Needed::no && (!json.is_object() || !json.contains(name))) return;
    const Json* value = find(json, name);
    if (value == nullptr) return;
    if (!value->is_array() || value->size() != size)
      return wrong(name, fmt::format("expected an array of {} numbers", size));
    for (std::size_t i = 0; i < size; ++i) into[i] = number_of<T>((*value)[i], name);
  }

  const Json& root_;
  Layout layout_ = Layout::v3;
  std::string path_;
  std::optional<Error> error_;
  std::size_t pattern_ = 0, setting_ = 0, record_ = 0;
  std::vector<Own> own_;
};

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
  return JsonReader(json).read();
}

}  // namespace kiln::kdb
