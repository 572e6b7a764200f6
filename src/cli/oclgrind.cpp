#include "cli/oclgrind.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "cli/interrupt.hpp"
#include "cli/isolate.hpp"
#include "cli/output.hpp"
#include "cli/standard_streams.hpp"

namespace kiln::cli {
namespace {

/// Tells a child that it runs on oclgrind's device already. In its environment, and no option: only
/// this file uses it.
constexpr const char* oclgrind_mark = "KILN_OCLGRIND_CHILD";
constexpr std::uint64_t longest_log = 64u << 20;

/// oclgrind's driver: beside the program oclgrind, which PATH has.
std::filesystem::path oclgrind_driver() {
  const char* path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "" : path;
  while (!folders.empty()) {
    const auto end = std::min(folders.find(':'), folders.size());
    const std::filesystem::path folder(folders.substr(0, end));
    folders.remove_prefix(std::min(end + 1, folders.size()));
    std::error_code error;
    const auto program = std::filesystem::canonical(folder / "oclgrind", error);
    if (error) continue;
    const auto driver = program.parent_path().parent_path() / "lib/oclgrind/liboclgrind-rt-icd.so";
    if (std::filesystem::exists(driver, error)) return driver;
  }
  return {};
}

/// What decides what the kernel does is the child's too; where it runs and where results go is not.
bool matters_to_kernel(std::string_view option) {
  constexpr std::array<std::string_view, 9> kept{
      "set", "set-if", "in", "seed", "source-dir", "dialect", "compile", "local-size", "rtol"};
  return std::find(kept.begin(), kept.end(), option) != kept.end();
}

Expected<ProcessResult> run_on_oclgrind(const Context& context, const std::string& spec,
                                        const std::filesystem::path& driver,
                                        const std::filesystem::path& log, const char* bounds) {
  ProcessRequest request;
  request.program = std::filesystem::canonical("/proc/self/exe");
  request.arguments = words_for_child(context, matters_to_kernel);
  for (const char* word : {"--devices=all", "--partition=10", "--store=off", bounds, "--"})
    request.arguments.emplace_back(word);
  request.arguments.push_back(spec);
  // Its own standard input is a pipe from this process, which has kept what came by its own.
  const std::string kept = fmt::format("/proc/{}/fd/0", ::getpid());
  for (auto& argument : request.arguments)
    if (argument == standard_input || argument.ends_with(std::string("=") + standard_input))
      argument.replace(argument.size() - std::string_view(standard_input).size(), std::string::npos,
                       kept);
  request.environment = {{oclgrind_mark, "1"},
                         {child_mark, "1"},
                         {"OCL_ICD_VENDORS", driver.string()},
                         {"OCLGRIND_LOG", log.string()}};
  request.stop = interrupted;
  auto result = run_process(request);
  stop_if_interrupted();
  return result;
}

std::string line_after(std::string_view text, std::string_view mark) {
  const auto at = text.find(mark);
  if (at == text.npos) return "";
  text.remove_prefix(at + mark.size());
  return std::string(text.substr(0, text.find('\n')));
}

std::string trimmed_blanks(std::string text) {
  const auto begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

/// "global memory address 0x2000000000040" → "byte 64 of buffer 2": oclgrind numbers buffers in the
/// upper bits.
std::string place_of(std::string_view where) {
  const auto hex = where.find("0x");
  const std::string space(where.substr(0, where.find(' ')));
  std::uint64_t address = 0;
  if (hex != where.npos) {
    const auto digits = where.substr(hex + 2);
    std::from_chars(digits.data(), digits.data() + digits.size(), address, 16);
  }
  constexpr std::uint64_t offset_bits = (std::uint64_t{1} << 48) - 1;
  if (space == "global" && address >> 48 != 0)
    return fmt::format("byte {} of buffer {}", address & offset_bits, address >> 48);
  return fmt::format("{} memory, byte {}", space, address & offset_bits);
}

}  // namespace

std::string invalid_access_in(std::string_view log) {
  constexpr std::string_view mark = "Invalid ";
  std::size_t count = 0;
  std::string first;
  for (std::size_t at = log.find(mark); at != log.npos; at = log.find(mark, at + 1)) {
    if (at > 0 && log[at - 1] != '\n') continue;
    std::string_view entry = log.substr(at);
    entry = entry.substr(0, entry.find("\n\n"));
    const std::string head(entry.substr(0, entry.find('\n')));  // "Invalid read of size 4 at …"
    const std::string bytes = line_after(head, "of size "), where = line_after(head, " at ");
    if (bytes.empty() || where.empty()) continue;
    if (count++ > 0) continue;
    const std::string kind = head.find("write") != head.npos ? "writes" : "reads";
    const std::string source = line_after(entry, "At line ");
    first = fmt::format("kernel {} {} {} bytes outside of memory that it has ({})",
                        trimmed_blanks(line_after(entry, "Kernel: ")), kind,
                        bytes.substr(0, bytes.find(' ')), place_of(where));
    // Its quotation of that line is not of the file: it takes no notice of #line.
    if (!source.empty()) first += " at line " + source.substr(0, source.find(' '));
  }
  if (count > 1) first += fmt::format(" (and {} more such accesses)", count - 1);
  return one_line(first);
}

std::optional<std::string> oclgrind_finding(const Context& context, const std::string& spec) {
  if (std::getenv(oclgrind_mark) != nullptr) return {};
  const auto driver = oclgrind_driver();
  if (driver.empty()) return {};
  const auto folder = TemporaryFolder::create("kiln-oclgrind");
  if (!folder) return {};
  const auto log_file = folder->path() / "log";
  const auto child = run_on_oclgrind(context, spec, driver, log_file, "--no-check-bounds");
  const auto text = read_text(log_file, longest_log);
  std::string found = text ? invalid_access_in(*text) : "";
  if (found.empty()) {
    if (child && child->exit_code == 0) return "";
    complain("note: oclgrind did not run " + spec + "; only writes near buffers are found");
    return {};
  }
  // Once more with zones around the buffers: they show which parameter it is, and how much of it.
  const auto zones = run_on_oclgrind(context, spec, driver, log_file, "--check-bounds");
  const auto report = zones ? nlohmann::json::parse(zones->output, nullptr, false)
                            : nlohmann::json(nlohmann::json::value_t::discarded);
  if (report.is_object() && report.value("code", "") == "device" &&
      report.value("message", "").find(" writes outside of ") != std::string::npos)
    return report.value("message", "");
  return found;
}

}  // namespace kiln::cli
