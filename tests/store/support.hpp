#pragma once

#include <sys/mman.h>

#include <functional>
#include <new>
#include <string>
#include <vector>

#include "base/os/file.hpp"
#include "store/local/local_store.hpp"

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

/// The integer in an environment variable, for long runs.
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

/// A value that this process and its forked children share.
template <class T>
class SharedPage {
 public:
  SharedPage()
      : value_(new (::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                           -1, 0)) T) {}
  SharedPage(const SharedPage&) = delete;
  SharedPage& operator=(const SharedPage&) = delete;
  ~SharedPage() { ::munmap(value_, sizeof(T)); }
  T* operator->() { return value_; }

 private:
  T* value_;
};

}  // namespace kiln::testing
