// Kernel databases as files: reading, completing and writing them.
#include "cli/kdb/database_file.hpp"

#include <fmt/format.h>

#include "base/os/file.hpp"
#include "cli/command/context.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/output/output.hpp"

namespace kiln::cli {
namespace {

/// The largest file that is read. Real databases have less than 2 MB, but those in the published
/// layouts may hold kernels.
constexpr std::uint64_t most_database_bytes = std::uint64_t{1} << 30;

}  // namespace

Bytes read_database_bytes(const std::string& path) {
  return value_or_throw(read_input(path, most_database_bytes));
}

DatabaseFile read_database(const std::string& path) {
  const EndsAtOnce reading;
  DatabaseFile file{path, read_database_bytes(path), {}};
  auto database = kdb::parse(file.bytes);
  // To the user a damaged database is bad input (exit code 2), whatever the reader calls it.
  if (!database)
    throw Error(Errc::bad_input, fmt::format("{}: {}", path, database.error().message()));
  file.database = std::move(*database);
  return file;
}

void write_database(const Context& context, const kdb::Database& database) {
  // The bytes are complete before the file is opened: a model that cannot be written must not
  // replace an existing file.
  const auto bytes = kdb::write(database);
  if (!bytes) throw Error(Errc::bad_input, bytes.error().message());
  value_or_throw(write_file(required_output(context), *bytes));
}

void print_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) complain("note: " + note);
}

kdb::Doubles doubles_of(const Context& context) {
  const std::string& answer = context.text("double");
  if (answer == "auto") return kdb::Doubles::detect;
  return answer == "yes" ? kdb::Doubles::yes : kdb::Doubles::no;
}

kdb::Database completed(const Context& context, const kdb::Database& database) {
  if (database.layout != kdb::Layout::v3)
    throw Error(Errc::bad_input,
                fmt::format("{}: --complete requires layout v3, found {}", context.command().name,
                            kdb::name_of(database.layout)));
  auto whole = kdb::complete(database, doubles_of(context));
  print_notes(whole.losses);
  return std::move(whole.database);
}

}  // namespace kiln::cli
