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

/// A database as the positional argument.
inline constexpr Positional one_database =
    Positional::file("FILE", "A kernel database; - is standard input.");

namespace options {

inline constexpr std::string_view answers[] = {"auto", "yes", "no"};
inline constexpr Option doubles =
    Option::choice("double", "ANSWER", answers,
                   "Whether the device has double precision: clBLAS expects other records then. "
                   "With auto it has unless no record is of a double type.",
                   "auto");

}  // namespace options

/// Writes a database of what the store has on record, in this layout: `kiln kdb convert --from
/// store`, and for other commands, too, that take --device, --double and --output. Returns the exit
/// code.
int write_records(const Context& context, std::string_view layout);

}  // namespace kiln::cli
