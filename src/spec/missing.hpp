#pragma once

#include <map>
#include <string>
#include <vector>

#include "kiln/spec.hpp"

namespace kiln::spec {

using Missing = std::map<std::string, std::vector<const Formula*>>;

/// The finding about one symbol without a value. It is an error where the name looks like a slip
/// of one that has a value (`datset`), else a warning: --set may give it.
Message missing_finding(const Spec& spec, const Missing::value_type& missing);

/// For a run, where every one is an error: the first, and the names of all.
Message missing_message(const Spec& spec, const Missing& missing);

}  // namespace kiln::spec
