#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command/context.hpp"
#include "cli/command/options.hpp"
#include "cli/command/session.hpp"
#include "store/filter.hpp"
#include "store/local/local_store.hpp"

/// The store as commands open it, and which of its entries their words and options name.
namespace kiln::cli {

/// The local store of --store as the modules below have it. Throws Error (bad input) where it is
/// off.
std::unique_ptr<LocalStore> open_local(const Context& context);

/// The store of --store, with its layers. Throws Error (bad input) where it is off.
Store store_of(const Context& context);

/// What --kind, --device, --used-by and these words ask for. Options that the sub-command lacks are
/// left out. Throws Error: not_found where nothing is on record of the program of --used-by, and
/// where it uses no entry that the words name.
EntryFilter filter_of(const Context& context, std::span<const std::string> words);
/// What --kind asks for.
std::optional<EntryKind> kind_of(const Context& context);

/// "2026-11-21 08:14" (UTC); "-" for 0.
std::string date_text(std::int64_t seconds);

/// "1 entry", "3 entries".
std::string entries_text(std::uint64_t count);

namespace options {

inline constexpr std::string_view kinds[] = {"artifact", "plan", "record"};
inline constexpr Option kind =
    Option::choice("kind", "KIND", kinds,
                   "Only entries of this kind: artifacts start programs, plans hold arrays, "
                   "records hold what was measured or proved.");
inline constexpr Option device_text =
    Option::text("device", "TEXT",
                 "Only entries of devices whose fingerprint (platform, name, driver version) holds "
                 "this text, "
                 "or one of several.")
        .repeatable();

inline constexpr Option used_by = Option::text(
    "used-by", "NAME",
    "Only what a program needs that was started by kiln exec, by the name of its file or script: "
    "what starts the programs that it built, their texts and the record of them.");

}  // namespace options

/// Key prefixes as positional arguments, none for all.
inline constexpr Positional key_prefixes = Positional::words(
    "KEY", "The first letters of the keys of the entries, at least four; none: all entries.", 0,
    any_number);

}  // namespace kiln::cli
