#pragma once

#include <filesystem>
#include <vector>

namespace kiln::cli {

/// Where searches have their journals when nobody says otherwise: $XDG_STATE_HOME/kiln/tuning, or
/// below ~/.local/state. Throws Error (bad_input) where neither is known.
std::filesystem::path journal_folder();

/// The journals there, by name; none where there is no such folder.
std::vector<std::filesystem::path> all_journals();

}  // namespace kiln::cli
