#include "cli/kdb/store_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "blas/kdb_records/exchange.hpp"
#include "cli/kdb/files.hpp"
#include "cli/output.hpp"
#include "cli/output_file.hpp"
#include "cli/store_settings.hpp"

namespace kiln::cli {
namespace {

/// Resolves nothing: it only reads and writes records.
Resolver resolver_of(const Context& context) {
  auto store = value_or_throw(open_store(store_settings_of(context)));
  if (!store)
    throw Error(Errc::bad_input, fmt::format("{}: found --store off, expected a store for records",
                                             context.command().name));
  return Resolver(std::move(store), CompilePolicy::here);
}

/// The device of --device; else the one that a file is named after, as clBLAS names them; else the
/// first.
DevicePtr device_of_records(const Context& context, const std::string& file) {
  if (context.has("device")) return value_or_throw(select_devices(context.text("device"))).front();
  const auto all = value_or_throw(all_devices());
  const std::string name = std::filesystem::path(file).stem().string();
  const auto named = std::find_if(all.begin(), all.end(),
                                  [&](const DevicePtr& device) { return device->name == name; });
  return named == all.end() ? all.front() : *named;
}

}  // namespace

int records_to_store(Context& context) {
  if (context.arguments().empty())
    throw Error(Errc::bad_input, "kdb convert: missing FILE, a kernel database");
  const DatabaseFile file = read_database(context.arguments().front());
  Resolver resolver = resolver_of(context);
  const DevicePtr device = device_of_records(context, file.path);
  const auto name = std::filesystem::path(file.path).filename().string();
  const auto put = value_or_throw(blas::put_on_record(file.database, name, resolver, *device));
  print_text(fmt::format("{} records of {} problem classes are on record for {}\n", put.taken,
                         put.by_class.size(), device->name));
  if (put.unsound > 0)
    complain(fmt::format("note: {}: {} records break clBLAS's rules (kiln kdb verify); left out",
                         file.path, put.unsound));
  if (put.unreached > 0)
    complain(fmt::format("note: {}: {} records have flags that no look-up has; left out", file.path,
                         put.unreached));
  return 0;
}

int records_from_store(Context& context) {
  required_output(context);
  if (!context.arguments().empty())
    throw Error(Errc::bad_input, fmt::format("kdb convert: found the file {}, but --from store "
                                             "reads the store",
                                             one_line(context.arguments().front())));
  return write_records(context, context.has("to") ? context.text("to") : "v3");
}

int write_records(Context& context, std::string_view layout) {
  const std::string& output = required_output(context);
  const Resolver resolver = resolver_of(context);
  const DevicePtr device = device_of_records(context, output);
  auto made = blas::database_of_store(resolver, *device, doubles_of(context));
  print_notes(made.notes);
  if (layout != "v3") {
    auto converted = value_or_throw(kdb::convert(made.database, *kdb::layout_named(layout)));
    for (const std::string& loss : converted.losses) complain("lost: " + loss);
    made.database = std::move(converted.database);
  }
  write_database(context, made.database);
  print_text(fmt::format("{} tuned records for {}{}\n", made.written, device->name,
                         made.inferred == 0
                             ? ""
                             : fmt::format(", and {} more of the nearest sizes: clBLAS reads none "
                                           "behind an untuned one",
                                           made.inferred)));
  return 0;
}

}  // namespace kiln::cli
