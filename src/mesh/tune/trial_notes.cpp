// Notes of what is being tried, for the search after one that ended its process.
#include "mesh/tune/trial_notes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.hpp"
#include "store/key/canonical.hpp"

namespace kiln::mesh {
namespace {

// The content: a line for each configuration, after a word that says what became of it.
constexpr std::string_view fatal_word = "fatal ", trying_word = "trying ";

Bytes canonical_of(const std::string& identity, const Device& device) {
  CanonicalWriter writer("mesh trial notes", 1);
  writer.text("of", identity).text("device", device.fingerprint());
  return writer.view();
}

}  // namespace

TrialNotes::TrialNotes(Layer* store, const std::string& identity, const std::string& label,
                       const Device& device)
    : store_(store),
      canonical_(canonical_of(identity, device)),
      metadata_{1, "trials of " + label, device.fingerprint(), 0} {
  if (store_ == nullptr) return;
  const Key key = key_of(canonical_);
  right_ = store_->reserve(key, std::chrono::milliseconds(0));
  const auto lookup = store_->get(Kind::record, key, canonical_);
  if (!lookup.entry) return;
  std::string_view rest(reinterpret_cast<const char*>(lookup.entry->content.data()),
                        lookup.entry->content.size());
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.starts_with(fatal_word)) fatal_.emplace_back(line.substr(fatal_word.size()));
    // The process that tried it has ended, or we would not have the right to write here.
    if (line.starts_with(trying_word) && right_.held())
      fatal_.emplace_back(line.substr(trying_word.size()));
  }
}

TrialNotes::~TrialNotes() {
  try {
    end();
  } catch (...) {
    // The next search leaves one out that would have done no harm.
    log_failure("what is tried is not noted");
  }
}

bool TrialNotes::is_fatal(const std::string& configuration) const {
  return std::find(fatal_.begin(), fatal_.end(), configuration) != fatal_.end();
}

void TrialNotes::begin(const std::string& configuration) {
  trying_ = configuration;
  write();
}

void TrialNotes::end() {
  if (trying_.empty()) return;
  trying_.clear();
  write();
}

void TrialNotes::write() {
  if (!right_.held()) return;
  std::string text;
  for (const auto& one : fatal_) text += fmt::format("{}{}\n", fatal_word, one);
  if (!trying_.empty()) text += fmt::format("{}{}\n", trying_word, trying_);
  if (auto kept =
          store_->put(Kind::record, key_of(canonical_), canonical_, as_bytes(text), metadata_);
      !kept)
    log(LogLevel::info, "what is tried is not noted: " + kept.error().message());
}

}  // namespace kiln::mesh
