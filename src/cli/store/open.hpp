#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/common_options.hpp"
#include "cli/context.hpp"
#include "cli/store_settings.hpp"
#include "store/local_store.hpp"

namespace kiln::cli {

using EntryKind = kiln::Kind;  // Kind is an option's, here

/// The local store of --store. Throws Error (bad input) where there is none: --store=off.
std::unique_ptr<LocalStore> open_local(const Context& context);
/// The same, for commands that need the settings for more: reading them twice would say twice what
/// is wrong with them.
std::unique_ptr<LocalStore> open_local(const StoreSettings& settings);

/// The first letters of keys, in small ones, as they are compared with keys. Throws Error (bad
/// input) for what is none, and for so few that a slip (an empty variable of a script) would name
/// an entry that nobody meant.
std::vector<std::string> prefixes_of(std::span<const std::string> words);

/// Whether a key begins with one of the prefixes, or there are none.
bool is_one_of(const Key& key, std::span<const std::string> prefixes);

/// The one entry whose key begins with these letters, of the kind of --kind if that is given.
/// Throws Error: not_found, or bad_input where several do and as prefixes_of() does.
std::pair<EntryKind, Key> entry_of(LocalStore& store, std::string_view prefix,
                                   const Context& context);

/// "artifact", "plan", "record"; Throws Error (bad input).
EntryKind kind_of(std::string_view name);

/// Whether an entry fits --kind, --device and the key prefixes.
bool is_asked_for(const EntryInfo& entry, const Context& context,
                  std::span<const std::string> prefixes);

/// "2026-11-21 08:14" (UTC); "-" for 0.
std::string date_text(std::int64_t seconds);
/// For JSON: "2026-11-21T08:14:05Z"; "" for 0.
std::string iso_date(std::int64_t seconds);

namespace options {

inline constexpr std::string_view kinds[] = {"artifact", "plan", "record"};
inline constexpr Option kind{.name = "kind",
                             .kind = Kind::choice,
                             .value_name = "KIND",
                             .help =
                                 "Only entries of this kind: artifacts start programs, plans "
                                 "hold arrays, records hold what was measured or proved.",
                             .choices = kinds};
inline constexpr Option device_text{
    .name = "device",
    .kind = Kind::text,
    .value_name = "TEXT",
    .help =
        "Only entries of devices whose fingerprint (platform, name, driver version) holds "
        "this text."};

}  // namespace options

/// Key prefixes as positional arguments, none for all.
inline constexpr Positional key_prefixes{
    .value_name = "KEY",
    .help = "The first letters of the keys of the entries, at least four; none: all entries.",
    .least = 0,
    .most = 1'000'000};

}  // namespace kiln::cli
