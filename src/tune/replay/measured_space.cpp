#include "tune/replay/measured_space.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <istream>
#include <nlohmann/json.hpp>

#include "base/data/text.hpp"

namespace kiln::tune {

// ---- The text
namespace {

constexpr std::size_t kPiece = 1u << 16;
constexpr int kGzip = 16 + MAX_WBITS;

bool is_gzip(ByteView bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

}  // namespace

struct TextSource::Stream {
  z_stream z{};
  bool ended = false;
};

TextSource::TextSource(ByteView bytes, std::uint64_t most) : left_(bytes), most_(most) {
  if (!is_gzip(bytes)) return;
  stream_ = std::make_unique<Stream>();
  buffer_.resize(kPiece);
  if (inflateInit2(&stream_->z, kGzip) != Z_OK) refuse("no memory to decompress it");
}

TextSource::~TextSource() {
  if (stream_) inflateEnd(&stream_->z);
}

TextSource::int_type TextSource::refuse(std::string why) {
  error_ = std::move(why);
  return traits_type::eof();
}

TextSource::int_type TextSource::underflow() {
  if (!error_.empty()) return traits_type::eof();
  std::string_view piece;
  if (!stream_) {
    piece = as_text(left_.first(std::min(left_.size(), kPiece)));
    left_ = left_.subspan(piece.size());
  } else {
    z_stream& z = stream_->z;
    z.next_out = reinterpret_cast<Bytef*>(buffer_.data());
    z.avail_out = static_cast<uInt>(buffer_.size());
    while (z.avail_out == buffer_.size() && !stream_->ended) {
      // zlib takes its input as not constant, and does not write to it.
      const std::size_t size = std::min(left_.size(), kPiece);
      z.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(left_.data()));
      z.avail_in = static_cast<uInt>(size);
      const int code = inflate(&z, Z_NO_FLUSH);
      left_ = left_.subspan(size - z.avail_in);
      if (code == Z_STREAM_END) {
        // Compressed files may be concatenated: the next one begins where this one ends.
        stream_->ended = !is_gzip(left_) || inflateReset(&z) != Z_OK;
      } else if (code != Z_OK) {
        const bool short_of_input = code == Z_BUF_ERROR && left_.empty();
        return refuse(short_of_input ? "the compressed data ends early"
                                     : fmt::format("the compressed data is damaged ({})",
                                                   z.msg ? z.msg : "no reason given"));
      }
    }
    piece = std::string_view(buffer_).substr(0, buffer_.size() - z.avail_out);
  }
  given_ += piece.size();
  if (given_ > most_) return refuse(fmt::format("it holds more than {} bytes of text", most_));
  if (piece.empty()) return traits_type::eof();
  // A stream buffer takes its characters as not constant, and only reads these.
  char* const begin = const_cast<char*>(piece.data());
  setg(begin, begin, begin + piece.size());
  return traits_type::to_int_type(*begin);
}

// ---- The configurations
namespace {

using MeasuredJson = nlohmann::json;

/// Why a file is no measured space; also ends the parser from inside its callback. Caught in this
/// file, by what knows where in it that was found.
struct BadFile {
  std::string message;
};

/// Gathers the configurations of a file, one after the other, as positions of values.
class RowCollector {
 public:
  /// Parameters with all their values.
  void declare(std::vector<Parameter> parameters) { parameters_ = std::move(parameters); }
  /// Names alone: the values are those that come, in the end sorted where all are numbers.
  void declare_names(const std::vector<std::string>& names) {
    for (const auto& name : names) parameters_.push_back({name, {}});
    grows_ = true;
  }
  bool is_declared() const { return !parameters_.empty(); }
  std::span<const Parameter> parameters() const { return parameters_; }

  /// A value for each parameter, in their order.
  void add(std::span<const expr::Value> values, const Outcome& outcome) {
    Positions& row = rows_.emplace_back();
    for (std::size_t p = 0; p < parameters_.size(); ++p) row.push_back(position(p, values[p]));
    outcomes_.push_back(outcome);
  }

  Expected<MeasuredSpace> finish() {
    if (rows_.empty()) return fail(Errc::bad_input, "it holds no configuration");
    double fastest = 0;
    for (const Outcome& outcome : outcomes_)
      if (outcome.ok() && (fastest == 0 || outcome.time < fastest)) fastest = outcome.time;
    if (fastest == 0) return fail(Errc::bad_input, "none of its configurations has a time");
    if (grows_) sort_all_values();
    auto space = SearchSpace::of_rows(std::move(parameters_), rows_);
    if (!space) return tl::unexpected(space.error());
    return MeasuredSpace{{}, {}, *std::move(space), std::move(outcomes_), fastest};
  }

 private:
  std::uint16_t position(std::size_t p, const expr::Value& value) {
    auto& [name, values] = parameters_[p];
    const std::size_t at = position_of(parameters_[p], value);
    if (at == values.size()) {
      if (!grows_)
        throw BadFile{fmt::format("{} is no value of {}", one_line(value.text()), one_line(name))};
      if (at == kMostValues)
        throw BadFile{fmt::format("{} has more than {} values", one_line(name), kMostValues)};
      values.push_back(value);
    }
    return static_cast<std::uint16_t>(at);
  }

  /// Values came in the order of measuring; strategies take neighbours in the list to be alike.
  void sort_all_values() {
    for (std::size_t p = 0; p < parameters_.size(); ++p) {
      const auto rank = sort_values(parameters_[p]);
      if (rank.empty()) continue;
      for (Positions& row : rows_) row[p] = static_cast<std::uint16_t>(rank[row[p]]);
    }
  }

  bool grows_ = false;  ///< values are added as they come
  std::vector<Parameter> parameters_;
  std::vector<Positions> rows_;
  std::vector<Outcome> outcomes_;
};

constexpr std::uint64_t kMostText = std::uint64_t{4} << 30;
/// Kernel Tuner wrote failures as huge times before it wrote them as words.
constexpr double kFailedTime = 1e19;

expr::Value measured_value(const MeasuredJson& json, const std::string& name) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) {
    if (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX)
      throw BadFile{fmt::format("'{}' does not fit 64 bits", one_line(name))};
    return json.get<std::int64_t>();
  }
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  throw BadFile{
      fmt::format("'{}' is {}, expected a number or a text", one_line(name), json.type_name())};
}

Failure failure_of_word(std::string_view word) {
  const auto has = [&](std::string_view part) { return word.find(part) != std::string_view::npos; };
  if (has("ompil")) return Failure::build;
  if (has("imeout")) return Failure::timeout;
  if (has("orrect") || has("erif")) return Failure::wrong_result;
  if (has("nvalid") || has("onstraint")) return Failure::resources;
  return Failure::launch;
}

Outcome outcome_of(double time) {
  if (time >= kFailedTime) return Outcome::of(Failure::launch);
  if (!std::isfinite(time) || time <= 0)
    throw BadFile{fmt::format("its time is {}, expected a positive number", time)};
  return Outcome::of_time(time);
}

// The largest published spaces have some million times.
constexpr std::size_t kMostMeasuredValues = 200'000'000;
constexpr int kDeepest = 100;

/// Takes a file's objects as the parser completes them: one configuration at a time, so that the
/// lists of single times, most of such a file, are never held.
class FileReader {
 public:
  bool operator()(int depth, MeasuredJson::parse_event_t event, MeasuredJson& parsed) {
    using Event = MeasuredJson::parse_event_t;
    if (depth > kDeepest)
      throw BadFile{fmt::format("found more than {} levels of nested values", kDeepest)};
    if (++values_seen_ > kMostMeasuredValues)
      throw BadFile{fmt::format("found more than {} values", kMostMeasuredValues)};
    if (event == Event::key) return key(depth, parsed.get_ref<const std::string&>());
    if (event == Event::value && depth == 1 && parsed.is_string()) {
      if (section_ == "device_name") device = parsed.get<std::string>();
      if (section_ == "kernel_name") kernel = parsed.get<std::string>();
    }
    if (event == Event::array_end && depth == 1 && section_ == "tune_params_keys") keys_ = parsed;
    if (event == Event::object_end && depth == 1 && section_ == "tune_params") values_ = parsed;
    if (event != Event::object_end || depth != 2) return true;
    if (section_ == "cache") return cached(parsed);
    if (section_ == "results") return result(parsed);
    return true;
  }

  bool has_entries() const { return has_entries_; }
  /// "configuration '16,1': " while one is read, else nothing.
  std::string place() const {
    return entry_.empty() ? "" : fmt::format("configuration '{}': ", one_line(entry_));
  }

  RowCollector rows;
  std::string device, kernel;

 private:
  bool key(int depth, const std::string& key) {
    if (depth == 1) {
      section_ = key;
      entry_.clear();
      has_entries_ |= key == "cache" || key == "results";
    }
    if (depth == 2 && section_ == "cache") {
      if (!rows.is_declared()) declare();
      entry_ = key;
    }
    return depth != 3 || key != "times";
  }

  /// From the lists before the configurations of a cache file.
  void declare() {
    if (!keys_.is_array() || !values_.is_object())
      throw BadFile{"found 'cache', expected 'tune_params_keys' and 'tune_params' before it"};
    std::vector<Parameter> parameters;
    for (const MeasuredJson& key : keys_) {
      if (!key.is_string()) throw BadFile{"'tune_params_keys' holds something that is not a text"};
      const auto& name = key.get_ref<const std::string&>();
      const auto values = values_.find(name);
      if (values == values_.end() || !values->is_array())
        throw BadFile{fmt::format("'tune_params' has no list '{}'", one_line(name))};
      Parameter& parameter = parameters.emplace_back(Parameter{name, {}});
      for (const MeasuredJson& value : *values)
        parameter.values.push_back(measured_value(value, name));
    }
    if (parameters.empty()) throw BadFile{"'tune_params_keys' is empty"};
    rows.declare(std::move(parameters));
  }

  bool cached(MeasuredJson& entry) {
    const auto values = values_in(entry);
    const auto time = entry.find("time");
    if (time == entry.end()) throw BadFile{"no 'time'"};
    Outcome outcome = Outcome::of(Failure::launch);
    if (time->is_number()) {
      outcome = outcome_of(time->get<double>());
    } else if (time->is_string()) {
      outcome = Outcome::of(failure_of_word(time->get_ref<const std::string&>()));
    } else if (!time->is_null()) {
      throw BadFile{fmt::format("'time' is {}, expected a number or the reason of a failure",
                                time->type_name())};
    }
    rows.add(values, outcome);
    return false;
  }

  bool result(MeasuredJson& entry) {
    entry_ = fmt::format("{}", ++results_);
    const auto configuration = entry.find("configuration");
    if (configuration == entry.end() || !configuration->is_object())
      throw BadFile{"no object 'configuration'"};
    if (!rows.is_declared()) {
      std::vector<std::string> names;
      for (const auto& item : configuration->items()) names.push_back(item.key());
      if (names.empty()) throw BadFile{"'configuration' is empty"};
      rows.declare_names(names);
    }
    const auto values = values_in(*configuration);
    if (configuration->size() != values.size())
      throw BadFile{"it has more parameters than the first"};
    rows.add(values, t4_outcome(entry));
    return false;
  }

  static Outcome t4_outcome(const MeasuredJson& entry) {
    const auto invalidity = entry.find("invalidity");
    if (invalidity != entry.end() && invalidity->is_string() && *invalidity != "correct")
      return Outcome::of(failure_of_word(invalidity->get_ref<const std::string&>()));
    const auto measurements = entry.find("measurements");
    if (measurements != entry.end() && measurements->is_array()) {
      for (const MeasuredJson& measurement : *measurements) {
        if (!measurement.is_object() || measurement.value("name", MeasuredJson()) != "time")
          continue;
        const auto value = measurement.find("value");
        if (value == measurement.end() || !value->is_number()) break;
        return outcome_of(value->get<double>());
      }
    }
    throw BadFile{"it is correct, but has no measurement named 'time'"};
  }

  /// A value of each parameter.
  std::vector<expr::Value> values_in(const MeasuredJson& configuration) const {
    std::vector<expr::Value> values;
    for (const Parameter& parameter : rows.parameters()) {
      const auto found = configuration.find(parameter.name);
      if (found == configuration.end())
        throw BadFile{fmt::format("no '{}'", one_line(parameter.name))};
      values.push_back(measured_value(*found, parameter.name));
    }
    return values;
  }

  MeasuredJson keys_, values_;
  std::size_t values_seen_ = 0;
  std::string section_, entry_;
  bool has_entries_ = false;
  std::size_t results_ = 0;
};

/// What a parser's message says behind its own prefix.
std::string reason_of(std::string_view what) {
  if (const auto at = what.find("] "); at != what.npos) what.remove_prefix(at + 2);
  if (const auto at = what.find(": "); at != what.npos) what.remove_prefix(at + 2);
  return one_line(what.substr(0, 200));
}

/// The file's content in `reader`, or why not.
Expected<void> parse(TextSource& source, FileReader& reader) {
  std::string problem;
  try {
    std::istream text(&source);
    const MeasuredJson rest = MeasuredJson::parse(text, std::ref(reader));
    if (!rest.is_object()) problem = fmt::format("found {}, expected an object", rest.type_name());
  } catch (const BadFile& stop) {
    problem = reader.place() + stop.message;
  } catch (const MeasuredJson::parse_error& error) {
    problem = fmt::format("byte {}: {}", error.byte, reason_of(error.what()));
  } catch (const MeasuredJson::out_of_range& error) {
    // The parser's own, of a number beyond all doubles: it does not say where.
    problem = reader.place() + reason_of(error.what());
  }
  if (!source.error().empty()) problem = source.error();
  if (!problem.empty()) return fail(Errc::bad_input, problem);
  if (!reader.has_entries())
    return fail(Errc::bad_input,
                "found neither 'cache' nor 'results', expected a Kernel Tuner cache file or a T4 "
                "results file");
  return {};
}

}  // namespace

std::size_t MeasuredSpace::failures() const {
  return static_cast<std::size_t>(
      std::count_if(outcomes.begin(), outcomes.end(), [](const Outcome& o) { return !o.ok(); }));
}

std::vector<Trial> MeasuredSpace::trials() const {
  std::vector<Trial> trials;
  for (std::size_t id = 0; id < outcomes.size(); ++id) trials.push_back({id, outcomes[id]});
  return trials;
}

Expected<MeasuredSpace> read_measured_space(ByteView bytes, std::string_view name) {
  TextSource source(bytes, kMostText);
  FileReader reader;
  auto parsed = parse(source, reader);
  auto space = parsed ? reader.rows.finish() : tl::unexpected(parsed.error());
  if (!space)
    return fail(space.error().code(),
                fmt::format("{}: {}", one_line(name), space.error().message()));
  space->device = std::move(reader.device);
  space->kernel = std::move(reader.kernel);
  return space;
}

}  // namespace kiln::tune
