#pragma once

#include <map>
#include <string>
#include <vector>

#include "store/support.hpp"

namespace kiln::testing {

/// A small store with entries of every shape, and a copy of its files, to damage and to restore.
class DamageBench {
 public:
  DamageBench();

  const std::string& store() const { return store_; }
  /// The files by their paths below the store, as they were when they were last remembered.
  const std::map<std::string, Bytes>& files() const { return files_; }
  /// Takes the present files as those to restore.
  void remember();
  /// All files as remembered, but one with this content.
  void restore_with(const std::string& changed, ByteView content) const;

  /// Uses the store as a program would: everything it returns must be right, and storing anew must
  /// work. Empty, or what was wrong.
  std::string probe() const;

  /// One damage to one file.
  struct Case {
    std::string file;
    std::size_t at = 0;  ///< the byte that is changed, or the new length
    bool cut = false;
    std::byte mask{0xff};  ///< the bits of the byte that change
  };
  /// Probes each case in a child process; the first that gives something wrong or ends the child,
  /// in words.
  std::string run(const std::vector<Case>& cases) const;

 private:
  struct Known {
    Kind kind;
    Sample sample;
    Bytes content;
    Metadata metadata;
  };
  /// Puts the entries that are missing, then reads all with another store object.
  std::string store_all() const;
  std::string check(Layer& layer, const Known& known, bool must_hit) const;

  TestFolder folder_{TestFolder::Place::memory};
  std::string store_;
  std::vector<Known> known_;
  std::map<std::string, Bytes> files_;
};

/// Bytes to damage: all below `dense`, then every `step`-th. Whole bytes and single bits take
/// turns; KILN_DAMAGE_MASK sets one mask for all.
std::vector<DamageBench::Case> flips(const std::string& file, std::size_t size, std::size_t dense,
                                     std::size_t step);
std::vector<DamageBench::Case> cuts(const std::string& file, std::size_t size, std::size_t step);

}  // namespace kiln::testing
