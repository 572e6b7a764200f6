#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command/context.hpp"
#include "cli/command/options.hpp"
#include "cli/command/session.hpp"
#include "store/local/local_store.hpp"

/// The local store as commands open it, and which of its entries their words and options name.
namespace kiln::cli {

using EntryKind = kiln::Kind;  // Kind is an option's, here

/// The local store of --store. Throws Error (bad input) where there is none: --store=off.
std::unique_ptr<LocalStore> open_local(const Context& context);
/// The same, for commands that need the settings for more: reading them twice would print their
/// warnings twice.
std::unique_ptr<LocalStore> open_local(const StoreSettings& settings);

/// The first letters of keys, in lower case, as they are compared with keys. Throws Error (bad
/// input) for other words, and for less than four letters, which a mistake (an empty variable in a
/// script) could give.
std::vector<std::string> prefixes_of(std::span<const std::string> words);

/// Whether a key begins with one of the prefixes; every key does where there are none.
bool matches_prefix(const Key& key, std::span<const std::string> prefixes);

/// The one entry whose key begins with these letters, of the kind of --kind if that is given.
/// Throws Error: not_found, or bad_input where several do and as prefixes_of() does.
std::pair<EntryKind, Key> entry_of(LocalStore& store, std::string_view prefix,
                                   const Context& context);

/// Whether an entry fits --kind, --device and the key prefixes.
bool is_asked_for(const EntryInfo& entry, const Context& context,
                  std::span<const std::string> prefixes);

/// "2026-11-21 08:14" (UTC); "-" for 0.
std::string date_text(std::int64_t seconds);

/// "1 entry", "3 entries".
std::string entries_text(std::uint64_t count);

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
