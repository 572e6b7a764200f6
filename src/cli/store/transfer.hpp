#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/context.hpp"
#include "cli/progress.hpp"
#include "store/layer.hpp"

namespace kiln::cli {

/// What became of the entries of a push or a pull: one line for each that did not arrive (with
/// --json for each), and the counts at the end.
class Transfer {
 public:
  /// `verb` is "push" or "pull"; `total` entries are looked at.
  Transfer(const Context& context, std::string_view verb, std::string where, std::size_t total);

  void done(kiln::Kind kind, const Key& key, std::uint64_t bytes);
  /// The entry is there already, and stays.
  void present(kiln::Kind kind, const Key& key);
  /// Not wanted here: not trusted, not whole. That is no failure of the command.
  void refused(kiln::Kind kind, const Key& key, const std::string& reason);
  void failed(kiln::Kind kind, const Key& key, const std::string& reason);
  /// Another has failed since the server is out of reach, which was said then.
  void not_tried(kiln::Kind kind, const Key& key);

  /// Prints the counts. The exit code: 1 where one failed.
  int finish();

 private:
  void tell(std::string_view state, kiln::Kind kind, const Key& key, const std::string& reason);
  const bool json_;
  const std::string done_word_, where_;
  Progress progress_;
  std::uint64_t done_ = 0, bytes_ = 0, present_ = 0, refused_ = 0, failed_ = 0, not_tried_ = 0;
};

}  // namespace kiln::cli
