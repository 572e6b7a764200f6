// Searches and records as a SQLite database for people's own queries.
#include <charconv>

#include "base/clock.hpp"
#include "base/os/file.hpp"
#include "kernel/request/stored_record.hpp"
#include "store/local/sqlite.hpp"
#include "tune/report/run.hpp"

namespace kiln::tune {
namespace {

using sqlite::Connection;
using sqlite::Statement;

/// How long a write may take: the file is this process's own.
constexpr std::int64_t bound_ns = 600'000'000'000;

/// A setting's value as SQLite has it: never a list.
std::variant<std::int64_t, double, std::string> bound(const expr::Value& value) {
  if (value.is_integer()) return *value.to_integer();
  if (value.is_number()) return *value.to_double();
  return std::get<std::string>(value.data());
}

constexpr const char* search_tables =
    "CREATE TABLE searches (search INTEGER PRIMARY KEY, identity TEXT NOT NULL, "
    "device TEXT NOT NULL, device_identity TEXT NOT NULL, strategy TEXT NOT NULL, "
    "seed INTEGER NOT NULL, space TEXT NOT NULL);"
    "CREATE TABLE environments (search INTEGER PRIMARY KEY REFERENCES searches, platform TEXT, "
    "platform_version TEXT, device TEXT, device_version TEXT, driver_version TEXT, "
    "address_bits INTEGER, compute_units INTEGER);"
    "CREATE TABLE evaluations (search INTEGER NOT NULL REFERENCES searches, "
    "evaluation INTEGER NOT NULL, configuration INTEGER NOT NULL, text TEXT NOT NULL, "
    "seconds REAL, failure TEXT, message TEXT, at REAL, PRIMARY KEY (search, evaluation));"
    "CREATE TABLE winners (search INTEGER PRIMARY KEY REFERENCES searches, "
    "configuration INTEGER NOT NULL, text TEXT NOT NULL, seconds REAL NOT NULL, "
    "built_in_seconds REAL, decided_by TEXT NOT NULL, rounds INTEGER NOT NULL);"
    "CREATE TABLE finalists (search INTEGER NOT NULL REFERENCES searches, "
    "place INTEGER NOT NULL, configuration INTEGER NOT NULL, relative REAL NOT NULL, "
    "rounds INTEGER NOT NULL, PRIMARY KEY (search, place));"
    "CREATE TABLE settings (search INTEGER NOT NULL, evaluation INTEGER NOT NULL, "
    "name TEXT NOT NULL, value NOT NULL, PRIMARY KEY (search, evaluation, name), "
    "FOREIGN KEY (search, evaluation) REFERENCES evaluations) WITHOUT ROWID;"
    "CREATE INDEX settings_by_name ON settings (name, value);"
    "CREATE INDEX evaluations_by_time ON evaluations (search, seconds);"
    "CREATE VIEW failures AS SELECT search, failure, count(*) AS count, min(message) AS message "
    "FROM evaluations WHERE failure IS NOT NULL GROUP BY search, failure;"
    "CREATE VIEW ranking AS SELECT search, rank() OVER (PARTITION BY search ORDER BY seconds) AS "
    "rank, evaluation, text, seconds FROM evaluations WHERE seconds IS NOT NULL;";

constexpr const char* record_tables =
    "CREATE TABLE records (record INTEGER PRIMARY KEY, family TEXT NOT NULL, "
    "version INTEGER NOT NULL, problem_class TEXT NOT NULL, device TEXT NOT NULL, "
    "created INTEGER NOT NULL, made_elsewhere INTEGER NOT NULL);"
    "CREATE TABLE measurements (record INTEGER NOT NULL REFERENCES records, "
    "measurement INTEGER NOT NULL, size INTEGER NOT NULL, milliseconds REAL, "
    "kernels TEXT NOT NULL, origin TEXT NOT NULL, built_in_milliseconds REAL, PRIMARY KEY (record, "
    "measurement));"
    "CREATE TABLE settings (record INTEGER NOT NULL, measurement INTEGER NOT NULL, "
    "name TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (record, measurement, name), "
    "FOREIGN KEY (record, measurement) REFERENCES measurements) WITHOUT ROWID;";

/// The parts of Device::speed_identity(); fewer where a journal has another text there.
std::vector<std::string> parts_of(std::string_view identity) {
  std::vector<std::string> parts;
  for (auto bar = identity.find('|'); bar != identity.npos; bar = identity.find('|')) {
    parts.emplace_back(identity.substr(0, bar));
    identity.remove_prefix(bar + 1);
  }
  parts.emplace_back(identity);
  return parts;
}

/// The number that a text begins with: "64", "8 units".
std::optional<std::int64_t> leading_number(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

void add_environment(Statement& insert, std::int64_t search, const TuningRun& run) {
  const auto parts = parts_of(run.device);
  constexpr std::size_t all = 7;
  const auto text = [&](std::size_t part) {
    return parts.size() == all ? std::optional(parts[part]) : std::nullopt;
  };
  const auto number = [&](std::size_t part) {
    return parts.size() == all ? leading_number(parts[part]) : std::nullopt;
  };
  insert.run(search, text(0), text(1), text(2), text(3), text(4), number(5), number(6));
}

void add_winner(Statement& winner, Statement& finalist, std::int64_t search, const TuningRun& run) {
  if (!run.winner) return;
  const auto& ending = run.winner->ending;
  std::optional<double> standard;
  if (ending.standard > 0) standard = ending.standard;
  const std::string decision = name_of(ending.decision);
  winner.run(search, static_cast<std::int64_t>(ending.winner), run.text(run.winner->positions),
             ending.seconds, standard, decision, static_cast<std::int64_t>(ending.rounds));
  std::int64_t place = 0;
  for (const auto& one : ending.finalists)
    finalist.run(search, ++place, static_cast<std::int64_t>(one.id), one.relative,
                 static_cast<std::int64_t>(one.rounds));
}

void fill(const Connection& connection, const std::vector<TuningRun>& runs) {
  Statement search(connection, "INSERT INTO searches VALUES (?, ?, ?, ?, ?, ?, ?)");
  Statement environment(connection, "INSERT INTO environments VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  Statement evaluation(connection, "INSERT INTO evaluations VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  Statement setting(connection, "INSERT INTO settings VALUES (?, ?, ?, ?)");
  Statement winner(connection, "INSERT INTO winners VALUES (?, ?, ?, ?, ?, ?, ?)");
  Statement finalist(connection, "INSERT INTO finalists VALUES (?, ?, ?, ?, ?)");
  std::int64_t run_number = 0;
  for (const auto& run : runs) {
    search.run(++run_number, run.identity, model_of(run.device), run.device, run.strategy,
               static_cast<std::int64_t>(run.seed), run.space);
    add_environment(environment, run_number, run);
    add_winner(winner, finalist, run_number, run);
    std::int64_t number = 0;
    for (const auto& one : run.evaluations) {
      std::optional<double> seconds;
      std::optional<std::string> failure, message;
      if (one.outcome.ok())
        seconds = one.outcome.time;
      else
        failure = name_of(one.outcome.failure);
      if (!one.message.empty()) message = one.message;
      evaluation.run(run_number, ++number, static_cast<std::int64_t>(one.id), run.text(one),
                     seconds, failure, message, one.at);
      for (std::size_t p = 0; p < run.parameters.size(); ++p)
        setting.run(run_number, number, run.parameters[p].name, bound(run.value(one, p)));
    }
  }
}

void fill(const Connection& connection, const std::vector<StoredRecord>& records) {
  Statement record(connection, "INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?)");
  Statement measurement(connection, "INSERT INTO measurements VALUES (?, ?, ?, ?, ?, ?, ?)");
  Statement setting(connection, "INSERT INTO settings VALUES (?, ?, ?, ?)");
  std::int64_t record_number = 0;
  for (const auto& [key, subject, known, created, elsewhere] : records) {
    record.run(++record_number, subject.family, subject.version, subject.problem_class,
               subject.device, created, std::int64_t{elsewhere});
    std::int64_t number = 0;
    for (const auto& one : known.history) {
      std::optional<double> milliseconds, built_in;
      if (one.standard_milliseconds > 0) built_in = one.standard_milliseconds;
      if (one.milliseconds > 0) milliseconds = one.milliseconds;
      const std::string kernels = one.of == kiln::Measurement::Of::kiln ? "kiln" : "others";
      measurement.run(record_number, ++number, one.size, milliseconds, kernels, one.from, built_in);
      for (const auto& [name, value] : one.parameters)
        setting.run(record_number, number, name, value);
    }
  }
}

/// Made in a temporary folder and read back: the caller decides how the file gets to its place.
template <class Rows>
Expected<Bytes> database_of(const char* tables, const Rows& rows) {
  auto folder = TemporaryFolder::create("kiln-export");
  if (!folder) return tl::unexpected(folder.error());
  const auto file = folder->path() / "export.db";
  try {
    Connection connection;
    connection.set_deadline(now_ns() + bound_ns);
    connection.open(file.string(), Connection::Mode::make);
    connection.run("PRAGMA journal_mode = MEMORY");
    connection.run("PRAGMA synchronous = OFF");
    connection.run("BEGIN");
    connection.run(tables);
    fill(connection, rows);
    connection.run("COMMIT");
  } catch (const sqlite::Failure& stop) {
    return fail(Errc::io, "the database of the export: " + stop.message);
  }
  return read_file(file);
}

}  // namespace

Expected<Bytes> sqlite_of(const std::vector<TuningRun>& runs) {
  return database_of(search_tables, runs);
}

Expected<Bytes> sqlite_of(const std::vector<StoredRecord>& records) {
  return database_of(record_tables, records);
}

}  // namespace kiln::tune
