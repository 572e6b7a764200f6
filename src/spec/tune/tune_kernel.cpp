// Searches of the public API (kiln/tune.hpp). A kernel becomes a tuning problem (T1) in a folder of
// its own, with its data in files; from there on it is what `kiln tune` would be given.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "base/data/text.hpp"
#include "device/array_storage.hpp"
#include "kernel/facts/read_facts.hpp"
#include "kernel/runtime.hpp"
#include "schedule/number_argument.hpp"
#include "spec/run/job.hpp"
#include "spec/tune/search_service.hpp"
#include "spec/tune/spec_tunable.hpp"
#include "spec/tune/tuned_binding.hpp"
#include "store/local/local_store.hpp"
#include "tune/replay/measured_space.hpp"

namespace kiln::tune {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

// ---- A kernel as a tuning problem

Error bad(std::string message) { return {Errc::bad_input, std::move(message)}; }

/// An expression with each name of a constant as its value.
std::string with_constants(const std::string& text, const Values& constants) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_part(text[end])) ++end;
    const std::string word = text.substr(at, std::max<std::size_t>(end - at, 1));
    const auto found = std::find_if(constants.begin(), constants.end(),
                                    [&](const auto& one) { return one.first == word; });
    made += found == constants.end() ? word : fmt::format("({})", found->second);
    at += word.size();
  }
  return made;
}

/// "[a, b(c, d)]" as its parts; a text without brackets is one.
std::vector<std::string> parts_of(const std::string& size) {
  const auto begin = size.find_first_not_of(" \t"), last = size.find_last_not_of(" \t");
  if (begin == size.npos) return {};
  if (size[begin] != '[' || size[last] != ']') return {size};
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : std::string_view(size).substr(begin + 1, last - begin - 1)) {
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

Json json_of_size(const std::string& what, const std::string& size, const Values& constants) {
  const auto parts = parts_of(size);
  if (parts.empty() || parts.size() > 3)
    throw bad(fmt::format("{}: found '{}', expected one to three sizes, as \"[M // BX * LX, N]\"",
                          what, one_line(size)));
  constexpr const char* axes[] = {"X", "Y", "Z"};
  Json json = Json::object();
  for (std::size_t d = 0; d < parts.size(); ++d)
    json[axes[d]] = with_constants(parts[d], constants);
  return json;
}

/// A kernel's problem as a file with all that it names. Its data, and what results are held
/// against, are not a part of what it has on record.
class ProblemFile {
 public:
  enum class Data : bool { absent, present };
  ProblemFile(const KernelProblem& problem, Data data) : problem_(problem), data_(data) {
    Json kernel{{"Language", "OpenCL"},
                {"KernelName", problem.name},
                {"KernelFile", source_file().string()},
                {"CompilerOptions", compiler_options()},
                {"GlobalSize", json_of_size("global", problem.global, problem.constants)},
                {"LocalSize", json_of_size("local", problem.local, problem.constants)}};
    analyse();
    Json arguments = Json::array(), references = Json::array();
    for (std::size_t i = 0; i < problem.arguments.size(); ++i) arguments.push_back(argument(i));
    if (data == Data::present)
      for (const auto& [position, bytes] : problem.expected)
        references.push_back(reference(position, bytes));
    kernel["Arguments"] = std::move(arguments);
    if (!references.empty()) kernel["ReferenceArguments"] = std::move(references);
    write("problem.json",
          as_bytes(dumped({{"ConfigurationSpace", space()}, {"KernelSpecification", kernel}})));
  }

  spec::SpecTuning tuning() const {
    spec::SpecTuning tuning;
    tuning.file = folder_.path() / "problem.json";
    tuning.source_dirs = problem_.options.include_folders;
    tuning.rtol = problem_.tolerance;
    return tuning;
  }
  /// Of a message about the file: what its reader gave.
  std::string told(std::string message) const {
    const std::string file = (folder_.path() / "problem.json").string();
    for (auto at = message.find(file); at != message.npos; at = message.find(file))
      message.replace(at, file.size(), problem_.name);
    return message;
  }

 private:
  fs::path write(const std::string& name, ByteView bytes) const {
    value_or_throw(write_file(folder_.path() / name, bytes, 0600));
    return folder_.path() / name;
  }

  fs::path source_file() const {
    const std::filesystem::path& path = problem_.source.path;
    const std::string& content = problem_.source.content;
    if (content.empty()) return fs::absolute(path);
    // Includes of a text are looked for in the folders alone, and its name is what logs show.
    const auto name = path.filename().string();
    return write(name.empty() ? "source.cl" : name, as_bytes(content));
  }

  std::vector<std::string> compiler_options() const {
    auto macros = problem_.options.macros;
    for (const auto& [name, value] : problem_.constants)
      macros.emplace_back(name, std::to_string(value));
    auto options = problem_.options.options;
    if (!macros.empty()) options.insert(options.begin(), value_or_throw(build_options(macros, {})));
    return options;
  }

  Json space() const {
    Json parameters = Json::array(), conditions = Json::array();
    for (const auto& [name, values] : problem_.parameters) {
      if (std::any_of(problem_.constants.begin(), problem_.constants.end(),
                      [&, &known = name](const auto& one) { return one.first == known; }))
        throw bad(fmt::format("{}: found as a parameter and as a constant", one_line(name)));
      Json one{{"Name", name}, {"Type", "int"}, {"Values", values}};
      for (const auto& [given, value] : problem_.reference)
        if (given == name) one["Default"] = value;
      parameters.push_back(std::move(one));
    }
    for (const auto& text : problem_.constraints)
      conditions.push_back({{"Expression", with_constants(text, problem_.constants)}});
    return {{"TuningParameters", std::move(parameters)}, {"Conditions", std::move(conditions)}};
  }

  /// What the kernel's text says of its parameters, with the macros of the reference.
  void analyse() {
    const std::filesystem::path& path = problem_.source.path;
    const std::string& content = problem_.source.content;
    const auto& folders = problem_.options.include_folders;
    const bool is_spirv =
        problem_.source.is_spirv || spirv::is_module(as_bytes(problem_.source.content));
    const auto source =
        is_spirv ? nullptr
                 : value_or_throw(content.empty() ? load_source(path, folders)
                                                  : from_text(content, path.string(), folders));
    if (source == nullptr || source->module() != nullptr)
      throw Error(Errc::unsupported,
                  fmt::format("{} is SPIR-V, and the parameters of a search are macros; expected "
                              "OpenCL C",
                              path.filename().string()));
    auto macros = problem_.options.macros;
    for (const auto* values : {&problem_.constants, &problem_.reference})
      for (const auto& [name, value] : *values) macros.emplace_back(name, std::to_string(value));
    for (const auto& [name, values] : problem_.parameters)
      if (problem_.reference.empty() && !values.empty())
        macros.emplace_back(name, std::to_string(values.front()));
    const auto options = value_or_throw(build_options(macros, problem_.options.options));
    // Without libclang nothing is known: what is not said counts as written.
    const auto facts = read_kernel_facts(source->text(), options, {problem_.name});
    if (facts) uses_ = facts->front().parameters;
    if (!facts)
      unread_ = ": " + facts.error().message();
    else if (!facts->front().found)
      unread_ = fmt::format(": the text has no kernel '{}'", one_line(problem_.name));
  }

  Json argument(std::size_t i) const {
    const auto& content = problem_.arguments[i].content();
    if (const auto* value = std::get_if<CallArgument::Value>(&content)) return scalar(value->bytes);
    if (const auto* number = std::get_if<CallArgument::Number>(&content)) {
      if (i >= uses_.size())
        throw bad(
            fmt::format("argument {}: found a number without a type where the kernel's parameter "
                        "is not known{}",
                        i, unread_));
      const auto value = value_for(*number, uses_[i]);
      if (!value) throw bad(fmt::format("argument {}: {}", i, value.error().message()));
      return scalar(*value);
    }
    if (const auto* local = std::get_if<LocalMemory>(&content))
      return {{"MemoryType", "Local"}, {"Type", "uint8"}, {"Size", local->bytes}};
    if (const auto* memory = std::get_if<CallArgument::HostMemory>(&content)) {
      const bool reads =
          memory->access == Access::in || (memory->access == Access::derived && !may_write(i));
      const char* access = reads                           ? "ReadOnly"
                           : memory->access == Access::out ? "WriteOnly"
                                                           : "ReadWrite";
      return buffer(i, access, memory->data, memory->element_bytes);
    }
    const auto& storage = std::get<std::shared_ptr<ArrayStorage>>(content);
    if (!storage) throw bad(fmt::format("argument {}: an Array that holds nothing", i));
    return buffer(i, may_write(i) ? "ReadWrite" : "ReadOnly",
                  {storage->on_host(ArrayStorage::HostUse::read), storage->bytes()}, 0);
  }

  bool may_write(std::size_t i) const { return i >= uses_.size() || uses_[i].written; }

  static Json scalar(std::span<const std::byte> value) {
    Json bytes = Json::array();
    for (const auto byte : value) bytes.push_back(std::to_integer<int>(byte));
    return {{"MemoryType", "Scalar"},
            {"Type", "custom"},
            {"Bytes", value.size()},
            {"FillValue", std::move(bytes)}};
  }

  Json buffer(std::size_t i, const char* access, ByteView data, std::size_t element_bytes) const {
    auto [json, bytes] = element_type(i, std::max<std::size_t>(element_bytes, 1));
    if (data.empty() || data.size() % bytes != 0)
      throw bad(
          fmt::format("argument {}: found {} bytes, expected a multiple of the {} of an "
                      "element",
                      i, data.size(), bytes));
    json.update({{"Name", std::to_string(i)},
                 {"MemoryType", "Vector"},
                 {"AccessType", access},
                 {"Size", data.size() / bytes}});
    if (data_ == Data::present && access != std::string_view("WriteOnly"))
      json.update({{"FillType", "BinaryRaw"},
                   {"DataSource", write(fmt::format("in{}", i), data).filename().string()}});
    return json;
  }

  /// By the kernel's text, the scalars that elements consist of; else so many bytes each.
  std::pair<Json, std::size_t> element_type(std::size_t i, std::size_t element_bytes) const {
    if (i < uses_.size() && uses_[i].layout.known()) {
      const auto& layout = uses_[i].layout;
      if (auto type = spec::Type::parse(layout.name)) {
        type->width = 1;
        return {{{"Type", type->opencl_name()}}, type->bytes()};
      }
      element_bytes = layout.bytes;
    }
    return {{{"Type", "custom"}, {"Bytes", element_bytes}}, element_bytes};
  }

  Json reference(std::uint32_t position, std::span<const std::byte> bytes) const {
    return {{"TargetName", std::to_string(position)},
            {"ValidationMethod", "SideBySideRelativeComparison"},
            {"ValidationThreshold", problem_.tolerance},
            {"FillType", "BinaryRaw"},
            {"DataSource", write(fmt::format("expected{}", position), bytes).filename().string()}};
  }

  const KernelProblem& problem_;
  Data data_;
  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-tune-kernel"));
  std::vector<ParameterUse> uses_;
  std::string unread_;  ///< why nothing is known of them
};

// ---- Values, records, results

Values values_of(const Parameters& parameters) { return {parameters.begin(), parameters.end()}; }

Parameters parameters_of_values(const Values& values) {
  Parameters parameters;
  for (const auto& [name, value] : values) parameters.set(name, value);
  return parameters;
}

/// A reference must be a configuration; another one would be taken in silence.
void check_reference(const spec::TuningProblem& problem, const Values& reference) {
  if (reference.empty() || configuration_of(problem.space, parameters_of_values(reference))) return;
  std::string text;
  for (const auto& [name, value] : reference) text += fmt::format(" {}={}", name, value);
  throw bad(
      fmt::format("the reference{} is no configuration: expected a value for each parameter, "
                  "as the constraints have it",
                  text));
}

Range range_of(const spec::TuningProblem& problem, ConfigurationId id) {
  const auto bound = value_or_throw(problem.bind(id));
  return {{bound.global.begin(), bound.global.end()}, {bound.local.begin(), bound.local.end()}};
}

Request request_of(const spec::TuningProblem& problem) {
  Request request = problem.request();
  request.problem_size = spec::problem_size(problem.base);
  return request;
}

/// The store that a Runtime's programs and records are in.
StoreSettings store_of(const Resolver& resolver) {
  if (&resolver == &Resolver::process()) return default_store_settings();
  StoreSettings settings;
  settings.limit = default_store_settings().limit;
  if (const auto* local = dynamic_cast<const LocalStore*>(resolver.store()))
    settings.local = local->folder();
  return settings;
}

SearchSettings settings_of(const SearchOptions& options) {
  SearchSettings settings;
  settings.strategy = name_of(options.method);
  settings.seed = options.seed;
  settings.budget = options.budget;
  settings.evaluations = options.evaluations;
  settings.jobs = options.jobs;
  settings.hang_time = options.hang_time;
  settings.fresh = options.journal == SearchOptions::Journal::fresh;
  settings.from_scratch = options.start == SearchOptions::Start::scratch;
  settings.journal = options.journal_file;
  return settings;
}

/// Each evaluation of a journal.
std::vector<Measured> measured_of(const TuningRun& run) {
  std::vector<Measured> all;
  for (const auto& one : run.evaluations) {
    Measured measured{{}, one.outcome.failure, one.outcome.time, one.message};
    for (std::size_t p = 0; p < run.parameters.size(); ++p)
      measured.values.emplace_back(run.parameters[p].name, *run.value(one, p).to_integer());
    all.push_back(std::move(measured));
  }
  return all;
}

/// Of a search that was ended before it could say what came of it: the best that is known, of this
/// run or, from its play-off, of an earlier one. Throws Error where nothing is.
SearchEnding best_so_far(const TuningRun& run, const spec::SpecTuning& tuning) {
  SearchEnding ending;
  if (run.winner) ending = run.winner->ending;
  const std::size_t known = run.winner ? run.winner->evaluations : 0;
  for (std::size_t i = known; i < run.evaluations.size(); ++i) {
    const auto& [id, positions, outcome, message, at] = run.evaluations[i];
    if (!outcome.ok() || (ending.seconds > 0 && ending.seconds <= outcome.time)) continue;
    ending.winner = id;
    ending.seconds = outcome.time;
  }
  if (!(ending.seconds > 0))
    throw Error(Errc::timeout, "the search was ended before any configuration had run");
  const auto standard = value_or_throw(spec::make_spec_tunable(tuning))->standard();
  for (const auto& one : run.evaluations)
    if (one.id == standard && one.outcome.ok()) ending.standard = one.outcome.time;
  ending.decision = Decision::interrupted;
  return ending;
}

/// Searches in a helper; what this Runtime remembers of the record is replaced.
Result search(Runtime::State& runtime, const spec::SpecTuning& tuning,
              const spec::TuningProblem& problem, const SearchOptions& options) {
  Resolver& resolver = runtime.resolver();
  const Device& device = *runtime.devices().front();
  resolver.finish();  // what the helper is to find in the store
  auto [result, has_ended] = spec::search_in_helper(
      {tuning, RecordedDevice::of(device), store_of(resolver), settings_of(options)},
      {options.progress, options.stop});
  if (!has_ended && result.evaluated == 0 && result.resumed == 0)
    throw Error(Errc::timeout, "the search was ended before any configuration had run");
  const TuningRun run = read_journal(result.journal);
  if (has_ended && !run.winner)
    throw Error(Errc::internal, result.journal.string() + ": the journal of a search without end");
  const auto ending = has_ended ? run.winner->ending : best_so_far(run, tuning);
  const auto parameters = problem.parameters(ending.winner);
  auto measurement = spec::measurement_of(problem.spec, value_or_throw(problem.bind(ending.winner)),
                                          parameters, ending.seconds);
  measurement.standard_milliseconds = ending.standard * 1e3;
  const Request request = request_of(problem);
  if (!has_ended) resolver.record(request, device, {measurement});
  const auto kept = resolver.tuning_record(request, device).history;
  result.stored = std::any_of(kept.begin(), kept.end(), [&](const kiln::Measurement& one) {
    return one.parameters == measurement.parameters && one.original == measurement.original;
  });
  if (has_ended) resolver.record(request, device, {measurement});
  result.label = problem.label;
  result.device = device.name;
  result.best = values_of(parameters);
  result.seconds = ending.seconds;
  result.reference = ending.standard;
  result.decided_by = ending.decision;
  result.range = range_of(problem, ending.winner);
  result.configurations = measured_of(run);
  result.space = problem.space.size();
  return result;
}

std::string text_of(const Choice& choice) {
  return fmt::format("{}={}", choice.name, fmt::join(choice.values, ","));
}

}  // namespace

Result kernel(const Runtime& runtime, const KernelProblem& problem, const SearchOptions& options) {
  const ProblemFile file(problem, ProblemFile::Data::present);
  try {
    const auto read = spec::read_tuning_problem(file.tuning());
    check_reference(*read, problem.reference);
    return search(runtime.state(), file.tuning(), *read, options);
  } catch (const Error& error) {
    throw Error(error.code(), file.told(error.message()));
  }
}

std::optional<OnRecord> on_record(const Runtime& runtime, const KernelProblem& problem) {
  const ProblemFile file(problem, ProblemFile::Data::absent);
  try {
    const auto read = spec::read_tuning_problem(file.tuning());
    check_reference(*read, problem.reference);
    const Request request = request_of(*read);
    OnRecord found;
    std::optional<ConfigurationId> id;
    const auto fits = [&](const kiln::Measurement& one) {
      if (one.of != kiln::Measurement::Of::kiln || one.size != request.problem_size) return false;
      id = configuration_of(read->space, one.parameters);
      found.seconds = one.milliseconds * 1e-3;
      return id.has_value();
    };
    auto& state = runtime.state();
    const auto chosen = state.resolver().choose(request, *state.devices().front(), fits);
    if (chosen.parameters.empty() || !id) return std::nullopt;
    found.values = values_of(chosen.parameters);
    found.range = range_of(*read, *id);
    return found;
  } catch (const Error& error) {
    throw Error(error.code(), file.told(error.message()));
  }
}

void record(const Runtime& runtime, const KernelProblem& problem, const Values& values,
            double seconds, double reference) {
  const ProblemFile file(problem, ProblemFile::Data::absent);
  try {
    const auto read = spec::read_tuning_problem(file.tuning());
    const auto id = configuration_of(read->space, parameters_of_values(values));
    if (!id || !(seconds > 0) || !(reference >= 0))
      throw bad(
          fmt::format("{}: expected a configuration of the problem with its time, and the "
                      "reference's or 0",
                      problem.name));
    auto measurement = spec::measurement_of(read->spec, value_or_throw(read->bind(*id)),
                                            read->parameters(*id), seconds);
    measurement.standard_milliseconds = reference * 1e3;
    auto& state = runtime.state();
    state.resolver().record(request_of(*read), *state.devices().front(), {measurement});
  } catch (const Error& error) {
    throw Error(error.code(), file.told(error.message()));
  }
}

Result spec(const Runtime& runtime, const fs::path& file, const SpecProblem& problem,
            const SearchOptions& options) {
  // The helper may have another current folder by then.
  const auto whole = [](const fs::path& path) { return fs::absolute(path); };
  spec::SpecTuning tuning;
  tuning.file = whole(file);
  tuning.dialect = problem.dialect;
  tuning.symbols = {problem.set, problem.set_if};
  for (const auto& folder : problem.source_folders) tuning.source_dirs.push_back(whole(folder));
  for (const auto& choice : problem.parameters) tuning.parameters.push_back(text_of(choice));
  tuning.constraints = problem.constraints;
  for (const auto& [position, data] : problem.in) tuning.inputs[position] = whole(data);
  for (const auto& [position, data] : problem.expect) tuning.expect[position] = whole(data);
  tuning.rtol = problem.rtol;
  if (!options.journal_file.empty()) tuning.written.push_back(options.journal_file);
  const auto read = spec::read_tuning_problem(tuning);
  return search(runtime.state(), tuning, *read, options);
}

std::string t4(const Result& result) {
  TuningRun run;
  run.identity = result.label;
  run.device = result.device;
  if (!result.configurations.empty())
    for (const auto& [name, value] : result.configurations.front().values)
      run.parameters.push_back({name, {}});
  std::map<Values, ConfigurationId> ids;
  for (const auto& [values, failure, seconds, message] : result.configurations) {
    Evaluation& one = run.evaluations.emplace_back();
    one.id = ids.emplace(values, ids.size()).first->second;
    one.outcome = {seconds, failure};
    for (std::size_t p = 0; p < values.size(); ++p) {
      auto& known = run.parameters.at(p);
      one.positions.push_back(position_of(known, values[p].second));
      if (one.positions.back() == known.values.size()) known.values.emplace_back(values[p].second);
    }
  }
  return t4_of(run);
}

std::vector<Measured> read_t4(std::span<const std::byte> file, std::string_view name) {
  const auto measured = value_or_throw(read_measured_space(file, name));
  std::vector<Measured> all;
  for (const auto& [id, outcome] : measured.trials()) {
    Measured& one = all.emplace_back(Measured{{}, outcome.failure, outcome.time * 1e-3, ""});
    for (std::size_t p = 0; p < measured.space.parameters().size(); ++p) {
      const auto& value = measured.space.value(id, p);
      const auto& parameter = measured.space.parameters()[p].name;
      if (!value.is_integer())
        throw Error(Errc::unsupported,
                    fmt::format("{}: {} has the value {}, expected integers", one_line(name),
                                one_line(parameter), one_line(value.text())));
      one.values.emplace_back(parameter, *value.to_integer());
    }
  }
  return all;
}

}  // namespace kiln::tune
