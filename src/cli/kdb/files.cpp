#include "cli/kdb/files.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/streams.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/output_file.hpp"

namespace kiln::cli {
namespace {

/// Real databases have less than 2 MB; published ones may carry kernels.
constexpr std::uint64_t most_database_bytes = std::uint64_t{1} << 30;

}  // namespace

Bytes read_database_bytes(const std::string& path) {
  return value_or_throw(read_input(path, most_database_bytes));
}

DatabaseFile read_database(const std::string& path) {
  const EndsAtOnce reading;
  DatabaseFile file{path, read_database_bytes(path), {}};
  auto database = kdb::parse(file.bytes);
  // To whom gives the file it is his input that is wrong, whatever the reader calls it (exit code
  // 2).
  if (!database)
    throw Error(Errc::bad_input, fmt::format("{}: {}", path, database.error().message()));
  file.database = std::move(*database);
  return file;
}

void write_database(const Context& context, const kdb::Database& database) {
  // All bytes exist before the file is opened, so that a model that cannot be written costs
  // nothing.
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
