#include "tune/strategy/script.hpp"

namespace kiln::tune {
namespace {

/// A population that has converged may go round in what it knows for ever: after so many answers
/// a measurement is spent on something else.
constexpr int kMostRepeats = 1'000;

}  // namespace

bool ScriptedStrategy::is_known(ConfigurationId id) {
  if (!history().find(id)) return false;
  return ++repeats_ < kMostRepeats;
}

std::optional<ConfigurationId> ScriptedStrategy::propose() {
  if (history().waiting() > 0) return std::nullopt;
  repeats_ = 0;
  if (!script_.started()) script_ = search();
  // What is waited for may have been told from elsewhere, before it was asked for.
  if (!wanted_ || history().find(*wanted_)) script_.resume();
  // Known: the script went round too long. Whatever is new will be measured instead.
  return wanted_;
}

}  // namespace kiln::tune
