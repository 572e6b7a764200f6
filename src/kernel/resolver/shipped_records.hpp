#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "kernel/request/device_facts.hpp"
#include "kernel/request/parameters.hpp"

// Tuning records that come with Kiln, for devices that have none of their own.
namespace kiln {

struct ShippedFile;

/// What a device at hand may take of a shipped file.
struct ShippedFind {
  std::string device;    ///< it was measured on, for people
  bool is_same = false;  ///< as the one at hand, but perhaps with another driver
  std::string problem_class;
  std::int64_t version = 0;
  TuningRecord record;
};

/// The folder of shipped records: that of this installation, or what KILN_TUNED names; empty where
/// there is none, or it says off. Errors: bad_input where KILN_TUNED names no folder; refused where
/// others than its owner could put another folder in its place, or KILN_TUNED is set where entries
/// have to be signed, which these files are not.
Expected<std::filesystem::path> shipped_folder();

/// The files of shipped records in a folder. Nothing is read before the first look-up; files of
/// other types of devices are read, but not looked into beyond their first line. One that cannot be
/// used is told of once in the log. Thread-safe.
class ShippedRecords {
 public:
  /// An empty folder has none.
  explicit ShippedRecords(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Those of shipped_folder(), whose errors are told in the log.
  static ShippedRecords& process();

  /// What the files have of a family and some problem classes: the nearest device first
  /// (device_distance), of one device in the order of the classes. Devices of another type, or with
  /// vectors of another width, say nothing of each other: their registers hold other tiles.
  std::vector<ShippedFind> find(const DeviceFacts& device, const std::string& family,
                                std::span<const std::string> classes);

  /// The files' names, sorted; whether they can be used or not.
  std::vector<std::filesystem::path> files() const;

 private:
  struct Source {
    std::filesystem::path path;
    DeviceFacts device;
    std::string text;  ///< until it is needed
    std::shared_ptr<const ShippedFile> file = {};
  };
  void open_all();
  const ShippedFile* file_of(Source& source);

  const std::filesystem::path folder_;
  std::mutex mutex_;
  bool is_open_ = false;
  std::vector<Source> sources_;
};

}  // namespace kiln
