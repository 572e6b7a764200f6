#pragma once

namespace kiln::cli {

class Context;

/// Throws Error (bad_input) for words and options of `kiln tune` that do not go together. Options
/// from the environment or the config file are for where they make sense, and never refused.
void refuse_combinations(const Context& context);

}  // namespace kiln::cli
