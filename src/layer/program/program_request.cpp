#include "layer/program/program_request.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/data/text.hpp"
#include "base/expected.hpp"
#include "kernel/source/lexer.hpp"
#include "layer/program/build_options.hpp"

namespace kiln::layer {
namespace fs = std::filesystem;
namespace {

/// What a log calls the program. Drivers name a temporary file there, another one each time.
constexpr const char* source_name = "program.cl";

/// Words by which a text depends on more than itself.
constexpr std::string_view unsteady[] = {"__FILE__",      "__DATE__",           "__TIME__",
                                         "__TIMESTAMP__", "__BASE_FILE__",      "__FILE_NAME__",
                                         "__has_include", "__has_include_next", "__has_embed"};
/// Of words that a macro may paste together of parts.
constexpr std::string_view unsteady_parts[] = {"__FI", "__DA", "__TI", "__BA", "__ha"};

/// PyOpenCL ends its texts with an unused constant that has another name each time, so that no
/// driver's cache knows them. Without it they say the same.
std::string_view without_unused_constant(std::string_view text) {
  constexpr std::string_view begin = "\n\n__constant int pyopencl_defeat_cache_", end = " = 0;";
  const std::size_t at = text.rfind(begin);
  if (at == text.npos || !text.ends_with(end)) return text;
  std::string_view name = text.substr(at + begin.size());
  name.remove_suffix(end.size());
  const bool is_name =
      std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
  return is_name ? text.substr(0, at) : text;
}

/// Why a text is the driver's own; nothing where it says the same each time.
Expected<void> is_steady(std::string_view text) {
  for (const auto word : unsteady)
    if (text.find(word) != text.npos)
      return fail(Errc::unsupported, fmt::format("the text asks for {}", word));
  const bool pastes = text.find("##") != text.npos || text.find("%:%:") != text.npos;
  for (const auto part : unsteady_parts)
    if (pastes && text.find(part) != text.npos)
      return fail(Errc::unsupported, fmt::format("the text may paste a word of {}", part));
  return {};
}

/// What parse_build_options() takes for several words may be one to a driver.
Expected<void> are_separate(std::string_view options, const Device& device) {
  if (device.pocl || options.find_first_of("\t\n\v\f\r") == options.npos) return {};
  return fail(Errc::unsupported, "the options have other white space than blanks");
}

/// The same of options, the environment's, too: they may define macros.
Expected<void> are_steady(const BuildOptions& options, const Device& device) {
  const char* extra = device.pocl ? std::getenv("POCL_EXTRA_BUILD_FLAGS") : nullptr;
  for (const std::string_view text :
       {std::string_view(options.others), std::string_view(extra == nullptr ? "" : extra)})
    if (const auto steady = is_steady(text); !steady) return steady;
  return {};
}

Expected<SourcePtr> source_of(const ProgramText& program, const BuildOptions& options) {
  if (are_units(program.text)) return expanded_source(program.text, false);
  if (spirv::is_module(as_bytes(program.text)))
    return from_module(as_bytes(program.text), source_name);
  auto source = from_text(std::string(without_unused_constant(program.text)), source_name,
                          options.include_folders);
  if (!source) return source;
  if (const auto steady = is_steady((*source)->text()); !steady)
    return tl::unexpected(steady.error());
  return source;
}

/// Folders that the environment adds to those of the options.
void add_folders_of_environment(BuildOptions& options) {
  const char* extra = std::getenv("POCL_EXTRA_BUILD_FLAGS");
  if (extra == nullptr) return;
  for (auto& folder : parse_build_options(extra).include_folders)
    options.include_folders.push_back(std::move(folder));
}

/// What was set of a module's constants; later settings of one are in place of earlier ones.
Expected<std::vector<spirv::Setting>> settings_of(const ProgramText& program,
                                                  const spirv::Module* module) {
  std::vector<spirv::Setting> settings;
  for (const auto& [id, bytes] : program.constants) {
    const auto named = [id = id](const auto& constant) { return constant.id == id; };
    const spirv::Constant* constant = nullptr;
    if (module != nullptr)
      for (const auto& one : module->constants)
        if (named(one)) constant = &one;
    const unsigned bits = static_cast<unsigned>(bytes.size()) * 8;
    const bool is_boolean =
        constant != nullptr && constant->kind == spirv::ConstantKind::boolean && bits == 8;
    if (constant == nullptr || (constant->bits != bits && !is_boolean))
      return fail(Errc::unsupported, fmt::format("constant {} is not one of the module's", id));
    spirv::Setting setting{id, constant->kind, constant->bits};
    for (std::size_t i = bytes.size(); i-- > 0;)
      setting.value = setting.value << 8 | static_cast<unsigned char>(bytes[i]);
    std::erase_if(settings, named);
    settings.push_back(setting);
  }
  std::sort(settings.begin(), settings.end(),
            [](const spirv::Setting& a, const spirv::Setting& b) { return a.id < b.id; });
  return settings;
}

}  // namespace

Request empty_request(const Device& device) {
  Request request;
  request.family = program_family;
  Facts facts;
  for (auto& variable : device.pocl ? compiler_variables() : std::vector<std::string>())
    facts.push_back({"variable", std::move(variable)});
  request.payload = std::move(facts);
  return request;
}

Expected<SourcePtr> expanded_source(std::string text, bool is_module) {
  if (is_module) return from_module(as_bytes(text), source_name);
  return std::make_shared<const ExpandedSource>(std::move(text), source_name);
}

Expected<Request> program_request(const ProgramText& program, const Device& device) {
  return expected_from([&] {
    auto options = parse_build_options(program.options);
    if (device.pocl) add_folders_of_environment(options);
    value_or_throw(are_separate(program.options, device));
    value_or_throw(are_steady(options, device));
    Request request = empty_request(device);
    request.source = value_or_throw(source_of(program, options));
    request.constants = value_or_throw(settings_of(program, request.source->module()));
    request.options = std::move(options.others);
    request.label = program_label(program.text);
    return request;
  });
}

namespace {

/// Whether all that a text includes is among the headers; nothing may come from a disk then.
Expected<void> includes_only(std::string_view text,
                             const std::vector<std::pair<std::string, std::string>>& headers) {
  const Lexed lexed = lex(text);
  for (std::size_t i = 0; i < lexed.tokens.size(); ++i) {
    if (lexed.tokens[i].kind != TokenKind::directive || !is_inclusion(lexed.tokens[i])) continue;
    const bool has_name =
        lexed.tokens[i].extent == 1 && lexed.tokens[i + 1].kind == TokenKind::header;
    const std::string_view name = has_name ? lexed.tokens[i + 1].text : std::string_view();
    const bool is_embedded = std::ranges::any_of(headers, [&](const auto& header) {
      return name == "\"" + header.first + "\"" || name == "<" + header.first + ">";
    });
    if (!is_embedded)
      return fail(Errc::unsupported, fmt::format("{} is not embedded", one_line(name)));
  }
  return {};
}

}  // namespace

Expected<Unit> program_unit(const ProgramText& program,
                            std::vector<std::pair<std::string, std::string>> headers,
                            const Device& device, bool& reads_files) {
  return expected_from([&] {
    reads_files = false;
    auto options = parse_build_options(program.options);
    if (device.pocl) add_folders_of_environment(options);
    if (spirv::is_module(as_bytes(program.text)) || are_units(program.text))
      throw Error(Errc::unsupported, "it is not compiled from OpenCL C");
    value_or_throw(are_separate(program.options, device));
    value_or_throw(are_steady(options, device));
    Unit unit{{}, std::move(options.others), std::move(headers)};
    if (unit.headers.empty()) {
      const auto source = value_or_throw(source_of(program, options));
      unit.text = source->text();
      reads_files = !source->files().empty();
      return unit;
    }
    if (!options.include_folders.empty())
      throw Error(Errc::unsupported, "headers are embedded, and folders are named");
    unit.text = without_unused_constant(program.text);
    for (const auto& [name, text] : unit.headers) {
      value_or_throw(is_steady(text));
      value_or_throw(includes_only(text, unit.headers));
    }
    value_or_throw(is_steady(unit.text));
    value_or_throw(includes_only(unit.text, unit.headers));
    return unit;
  });
}

std::vector<std::string> compiler_variables() {
  // Where it keeps files, what it prints, and which devices it shows: not what it compiles to.
  constexpr std::string_view harmless[] = {
      "POCL_CACHE_DIR=",      "POCL_KERNEL_CACHE=",    "POCL_DEBUG=",
      "POCL_DEVICES=",        "POCL_TRACING",          "POCL_LEAVE_KERNEL_COMPILER_TEMP_FILES=",
      "POCL_SIGFPE_HANDLER=", "POCL_SIGUSR2_HANDLER=", "POCL_AFFINITY="};
  std::vector<std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!text.starts_with("POCL_")) continue;
    if (std::none_of(std::begin(harmless), std::end(harmless),
                     [&](std::string_view name) { return text.starts_with(name); }))
      variables.emplace_back(text);
  }
  std::sort(variables.begin(), variables.end());
  return variables;
}

namespace {

bool is_name_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string file_name(const std::string& path) { return fs::path(path).filename().string(); }

bool is_interpreter(std::string_view name) {
  for (const std::string_view known : {"python", "perl", "ruby", "julia", "lua", "node", "java"})
    if (name.starts_with(known)) return true;
  return false;
}

}  // namespace

/// The name behind the first "kernel … void"; macros and attributes may stand between, so this is
/// for people only.
std::string first_kernel(std::string_view text) {
  if (spirv::is_module(as_bytes(text))) return "SPIR-V";
  for (std::size_t at = text.find("kernel"); at != text.npos; at = text.find("kernel", at + 6)) {
    const std::string_view behind = text.substr(at, 400);
    const std::size_t type = behind.find("void");
    if (type == behind.npos) continue;
    std::size_t begin = type + 4;
    while (begin < behind.size() && !is_name_letter(behind[begin])) ++begin;
    std::size_t end = begin;
    while (end < behind.size() && is_name_letter(behind[end])) ++end;
    if (end > begin && end - begin < 80) return std::string(behind.substr(begin, end - begin));
  }
  return {};
}

std::vector<std::string> program_names() {
  std::error_code error;
  std::vector<std::string> names;
  const auto own = fs::read_symlink("/proc/self/exe", error);
  if (!error) names.push_back(file_name(own.string()));
  if (names.empty() || !is_interpreter(names.front())) return names;
  // The system tells no size of this file, so that read_text() would find it empty.
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string words{std::istreambuf_iterator<char>(file), {}};
  // The first word that is a file is the script.
  std::string_view rest = words;
  for (std::size_t end = rest.find('\0'); end != rest.npos; end = rest.find('\0')) {
    rest.remove_prefix(end + 1);
    const std::string word(rest.substr(0, rest.find('\0')));
    if (word.empty() || word.front() == '-' || !fs::is_regular_file(word, error)) continue;
    names.push_back(file_name(word));
    break;
  }
  return names;
}

std::string program_label(std::string_view text) {
  static const std::vector<std::string> names = program_names();
  return program_label(text, names.empty() ? "program" : names.back());
}

std::string program_label(std::string_view text, std::string_view program) {
  const std::string kernel = first_kernel(text);
  return std::string(program) + (kernel.empty() ? "" : ": " + kernel);
}

}  // namespace kiln::layer
