#pragma once

#include <filesystem>

#include "cli/tune/subject.hpp"
#include "tune/kept/nearest_run.hpp"
#include "tune/session/journal.hpp"
#include "tune/session/machine_lock.hpp"

namespace kiln::cli {

class Context;

/// Searches on record: where a new one starts from, and where it goes when it ends. Uses the store,
/// no driver.
class SearchHistory {
 public:
  SearchHistory(const Context& context, const TuningSubject& subject)
      : context_(context), subject_(subject) {}

  /// The nearest search on record (tune::nearest_start): of this machine's store any, of the
  /// fleet's those for this problem class or gemm-like ones on this model of device. Nothing with
  /// --from-scratch, for strategies that learn nothing from others, and without a store. Writes its
  /// id into the head of the journal. A journal that is gone on with (`before`: what it says that
  /// it began with) gets that again, and nothing where it is no longer on record, which is said.
  /// Throws Error.
  std::optional<tune::Start> start(const std::filesystem::path& journal,
                                   const std::optional<std::string>& before,
                                   tune::Journal::Subject& head) const;

  /// Puts the search of a journal into the store, so that others start from it, and reports and
  /// exports need no journal. What fails is a line in the log. `lock` is held meanwhile, where
  /// there is one and no other process keeps it for long.
  void keep(const std::filesystem::path& journal, tune::MachineLock* lock) const;

 private:
  const Context& context_;
  const TuningSubject& subject_;
};

}  // namespace kiln::cli
