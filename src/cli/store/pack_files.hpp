#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/common_options.hpp"
#include "cli/context.hpp"
#include "store/pack.hpp"

namespace kiln::cli {

/// A pack and the bytes that its entries view.
struct PackFile {
  std::string path;
  Bytes bytes;
  std::vector<PackEntry> entries;
};

/// Reads a file or a pipe; - is standard input. Throws Error with the path in front: bad_input for
/// what is no sound pack.
PackFile read_pack_file(const std::string& path);

/// Calls for each of the command's words, which are packs. One that fails is named on standard
/// error and the others are done all the same. Returns the largest exit code.
int each_pack(const Context& context, const std::function<int(const std::string& path)>& call);

/// Of --key, else of KILN_SIGNING_KEY or the user's own. Throws Error where there is none.
SigningKey signing_key_of(const Context& context);

/// What a pack tells of an entry, as --json prints it.
nlohmann::ordered_json json_of(const PackFile& pack, const PackEntry& entry);

/// "artifact 24e2c053d16ceb2a (blur)", fit for a terminal.
std::string name_of(const PackEntry& entry);

/// "1 entry", "3 entries".
std::string entries_text(std::size_t count);

namespace options {

inline constexpr Option signing_key{
    .name = "key",
    .kind = Kind::file,
    .value_name = "FILE",
    .help =
        "The key to sign with, a file that kiln store key made. Without it: KILN_SIGNING_KEY, "
        "else $XDG_CONFIG_HOME/kiln/signing-key or ~/.config/kiln/signing-key."};

}  // namespace options

/// Packs as positional arguments.
inline constexpr Positional packs{.value_name = "PACK",
                                  .help = "Packs; - is standard input.",
                                  .least = 1,
                                  .most = 1'000'000,
                                  .kind = Kind::file};

}  // namespace kiln::cli
