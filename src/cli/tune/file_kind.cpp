#include "cli/tune/file_kind.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/text.hpp"
#include "kiln/error.hpp"

namespace kiln::cli {
namespace {

enum class FileKind { unknown, calls, space };

/// By the first bytes: a record of calls begins with its version, a measured space is compressed or
/// has its parameters or its results near the beginning.
FileKind kind_of(const std::string& file) {
  // What a pipe has given is gone.
  std::error_code absent;
  if (!std::filesystem::is_regular_file(file, absent)) return FileKind::unknown;
  std::ifstream in(file, std::ios::binary);
  std::string head(64 << 10, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  if (head.starts_with("\x1f\x8b")) return FileKind::space;
  const auto begin = head.find_first_not_of(" \t\r\n");
  if (begin == head.npos) return FileKind::unknown;
  const std::string line = head.substr(begin, head.find('\n', begin) - begin);
  if (line.find("\"kiln_calls\"") != line.npos) return FileKind::calls;
  for (const char* name : {"\"tune_params", "\"results\"", "\"cache\"", "\"device_name\""})
    if (head.find(name) != head.npos) return FileKind::space;
  return FileKind::unknown;
}

}  // namespace

void refuse_calls(const std::string& file, const std::string& option) {
  if (kind_of(file) == FileKind::calls)
    throw Error(Errc::bad_input,
                fmt::format("{}: found a record of calls, {} expected a measured space; kiln tune "
                            "--from FILE alone tunes what a record holds",
                            one_line(file), option));
}

void refuse_measured_space(const std::string& file) {
  if (kind_of(file) == FileKind::space)
    throw Error(Errc::bad_input,
                fmt::format("{}: found a measured space, expected a record of calls (kiln record); "
                            "a measured space goes with --replay",
                            one_line(file)));
}

}  // namespace kiln::cli
