#pragma once

#include <string>

#include "store/signature.hpp"

/// Where a list of trusted keys is set, what this user made on this machine has to prove it, too: a
/// row that says so could be written by whoever gets at the file. So it is signed with a key that
/// is kept apart from the store. docs/formats/keys.md describes the file.
namespace kiln {

/// Where the key is: KILN_MACHINE_KEY (a file, or off), else $XDG_STATE_HOME/kiln/machine-key, else
/// $HOME/.local/state/kiln/machine-key. Empty: nowhere. Relative XDG and HOME values are ignored.
std::string machine_key_path();

/// The key that is there. Errors: as SigningKey::read(); not_found also where there is no place.
Expected<SigningKey> read_machine_key();

/// The same, made where it is absent. Processes that make it at once all get the same one.
Expected<SigningKey> make_machine_key();

}  // namespace kiln
