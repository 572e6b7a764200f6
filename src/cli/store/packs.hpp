#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/command/context.hpp"
#include "cli/command/options.hpp"
#include "kiln/store/pack.hpp"

/// What the commands about packs share.
namespace kiln::cli {

/// A pack and the bytes that its entries view.
struct PackFile {
  std::string path;
  Bytes bytes;
  std::vector<PackEntry> entries;
};

/// Reads a file or a pipe; - is standard input. Throws Error with the path in front: bad_input for
/// a damaged pack.
PackFile read_pack_file(const std::string& path);

/// Calls `call` for each of the command's words, which are packs. One that fails is named on
/// standard error and the others are processed all the same. Returns the largest exit code.
int each_pack(const Context& context, const std::function<int(const std::string& path)>& call);

/// The key of --key, else of KILN_SIGNING_KEY, else the user's own. Throws Error where there is
/// none.
SigningKey signing_key_of(const Context& context);

/// What a pack says about an entry, as --json prints it.
nlohmann::ordered_json json_of(const PackFile& pack, const PackEntry& entry);

/// "artifact 24e2c053d16ceb2a (blur)", fit for a terminal.
std::string entry_text(const PackEntry& entry);

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
