#pragma once

#include <gmock/gmock.h>

#include "base/data/bytes.hpp"
#include "cli/command_process.hpp"
#include "kiln/formats/kdb.hpp"

namespace kiln::testing {

/// Databases to run the command on, written by the library.
class KdbTest : public CommandTest {
 protected:
  static constexpr const char* pattern = "Cached global memory based block gemm";

  /// What clBLAS's tuner would accept for float.
  static kdb::Record tuned(double time) {
    kdb::Record record;
    record.levels[0] = {16, 64, 16, 64, 2};
    record.levels[1] = {2, 8, 2, 8, 2};
    record.granularity = {{8, 8}, 2, 64, {}, 4096};
    record.time = time;
    return record;
  }

  /// One pattern with one setting, float COLUMN_MAJOR, and these records.
  static kdb::Database database(std::vector<kdb::Record> records) {
    kdb::Database made;
    made.patterns = {{.name = pattern, .settings = {{0, 0x10, std::move(records)}}}};
    return made;
  }

  /// The same in the published layout with one kernel.
  static kdb::Database with_kernel(std::string_view content) {
    auto made = value_or_throw(kdb::convert(database({tuned(1)}), kdb::Layout::v1)).database;
    value_or_throw(kdb::place_kernels(made, {{0, 0, 0, 0, as_bytes(content)}}));
    return made;
  }

  void write_kdb(const std::string& name, const kdb::Database& made) const {
    write(name, std::string(as_text(value_or_throw(kdb::write(made)))));
  }

  std::string read(const std::string& name) const {
    return value_or_throw(read_text(folder() / name));
  }
  kdb::Database parsed(const std::string& name) {
    bytes_.push_back(value_or_throw(read_file(folder() / name)));
    return value_or_throw(kdb::parse(bytes_.back()));
  }
  /// How many entries the test's folder has: no command may leave a file behind.
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder()),
                                                  std::filesystem::directory_iterator()));
  }

 private:
  std::vector<Bytes> bytes_;
};

}  // namespace kiln::testing
