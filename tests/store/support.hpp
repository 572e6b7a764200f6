#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "store/local_store.hpp"

namespace kiln::testing {

/// Canonical bytes and their Key, for tests that need many.
struct Sample {
  explicit Sample(int number);
  Bytes canonical;
  Key key;
};

/// `size` bytes that depend on both numbers, and on nothing else.
Bytes content_of(int number, int version, std::size_t size);

/// A store in a folder of its own, which goes with it. `memory` is for tests that rewrite files
/// thousands of times, which is slow where files are on a disk.
struct TestFolder {
  enum class Place { disk, memory };
  explicit TestFolder(Place place = Place::disk);
  std::string store() const { return folder.path().string() + "/store"; }
  TemporaryFolder folder;
};

/// What became of a forked child that ran `body` and then ended with the code it returned.
struct ChildEnd {
  int exit_code = -1;
  int signal = 0;
};
ChildEnd run_child(const std::function<int()>& body);

/// The whole number in an environment variable, for long runs.
int number_from_environment(const char* name, int otherwise);

/// The file descriptors of this process that lead below a folder.
int open_files_below(const std::string& folder);

std::vector<std::string> names_in(const std::string& folder);

/// Collects the log lines of a block.
class LogLines {
 public:
  LogLines();
  ~LogLines();
  std::vector<std::string> lines() const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace kiln::testing
