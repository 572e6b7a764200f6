#pragma once

#include <string>
#include <vector>

#include "cli/context.hpp"
#include "tune/kept/kept_run.hpp"

/// Searches that the store has on record.
namespace kiln::cli {

/// Those of the local store, by device and identity, the latest last. Throws Error.
std::vector<tune::KeptRun> kept_searches(const Context& context);

/// The search that a word names: the first letters of its id, at least four. Nothing where the word
/// cannot be that, or there is none. Throws Error where several begin so.
std::optional<tune::KeptRun> kept_search(const Context& context, const std::string& word);

/// A search by its journal or, where there is no such file, by its id. Throws Error.
tune::TuningRun search_named(const Context& context, const std::string& word);

/// A line for each, for `kiln tuned ls --searches`.
void print_searches(const std::vector<tune::KeptRun>& searches);
/// All that is known of one, and its ten fastest.
void print_search(const tune::KeptRun& kept);

}  // namespace kiln::cli
