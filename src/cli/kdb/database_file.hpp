#pragma once

#include <string>

#include "cli/command/context.hpp"
#include "cli/command/options.hpp"
#include "kiln/formats/kdb.hpp"

/// Kernel databases as files, and the options about them that several commands have.
namespace kiln::cli {

/// A database and the bytes that it views.
struct DatabaseFile {
  std::string path;
  Bytes bytes;
  kdb::Database database;
};

/// The bytes of an input: a file or a pipe; `-` is standard input. Throws Error.
Bytes read_database_bytes(const std::string& path);

/// Reads and parses. Throws Error with the path in front; anything but a database is bad input.
DatabaseFile read_database(const std::string& path);

/// Writes the database to the file that --output names. Throws Error.
void write_database(const Context& context, const kdb::Database& database);

/// "kiln: note: …" for each line on standard error.
void print_notes(const std::vector<std::string>& notes);

/// A database as the positional argument.
inline constexpr Positional one_database{.value_name = "FILE",
                                         .help = "A kernel database; - is standard input.",
                                         .least = 1,
                                         .most = 1,
                                         .kind = Kind::file};

namespace options {

inline constexpr std::string_view answers[] = {"auto", "yes", "no"};
inline constexpr Option complete{
    .name = "complete",
    .help =
        "Adds what clBLAS 2.12 demands of a file and this one lacks, as untuned records, and "
        "puts all in clBLAS's order (version 3 only)."};
inline constexpr Option doubles{
    .name = "double",
    .kind = Kind::choice,
    .value_name = "ANSWER",
    .help =
        "Whether the device has double precision: clBLAS expects other records then. With auto "
        "it has unless no record is of a double type.",
    .fallback = "auto",
    .choices = answers};

}  // namespace options

/// What --double says.
kdb::Doubles doubles_of(const Context& context);

/// The complete form of a version-3 database (--complete); what has no place in it is printed as a
/// note.
kdb::Database completed(const Context& context, const kdb::Database& database);

}  // namespace kiln::cli
