#pragma once

#include <chrono>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/os/file.hpp"
#include "kiln/error.hpp"

/// A campaign, many searches that share a time: its log, by which it can be resumed, and how the
/// time is divided.
namespace kiln::tune {

/// Which searches of a campaign have begun, and which have come to their end: a line of JSON each,
/// written as it happens. What each has measured is in its own Journal. One process at a time has
/// it (flock). A last line that was cut is dropped; docs/formats/tuning.md has the layout.
class CampaignLog {
 public:
  /// Opens or makes the file. `resume`: what it says stays; without, what is there
  /// gets another name (rename_aside), and a new one begins. Errors: io;
  /// bad_input for a file that is no such log (to be resumed); unsupported where another process
  /// has it.
  static Expected<CampaignLog> open(const std::filesystem::path& path, bool resume);
  /// What a file says so far, which is not touched: no lock, and nothing can be added. A file that
  /// is not there says nothing. Errors: io; bad_input as above.
  static Expected<CampaignLog> read(const std::filesystem::path& path);

  /// Subjects are named by what makes their results comparable: identity and device.
  bool has_begun(const std::string& subject) const { return begun_.contains(subject); }
  bool is_finished(const std::string& subject) const { return finished_.contains(subject); }
  Expected<void> begin(const std::string& subject);
  Expected<void> finish(const std::string& subject);

 private:
  CampaignLog(std::filesystem::path path, FileDescriptor file)
      : path_(std::move(path)), file_(std::move(file)) {}
  /// How many bytes were whole lines.
  Expected<std::size_t> take_in();
  Expected<void> add(const char* what, const std::string& subject);

  std::filesystem::path path_;
  FileDescriptor file_;
  std::set<std::string> begun_, finished_;
};

/// How a time is shared out among searches by their weights (0 or more), where none gets less than
/// `least`. Where the time is not enough for all, the first ones get `least` each and the rest 0.
/// The sum is never more than `time`. As many numbers as weights.
std::vector<std::chrono::milliseconds> share_out(std::chrono::milliseconds time,
                                                 std::span<const double> weights,
                                                 std::chrono::milliseconds least);

}  // namespace kiln::tune
