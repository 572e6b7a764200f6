// What clBLAS 2.12 would find in a database that Kiln writes: read by a reader of the tests' own,
// which knows nothing of Kiln's, and works as clBLAS's does: every record at the one offset that
// follows from the fixed lists of patterns and settings, sums checked in its pieces, the search as
// its findParam, and tiles held against what its generators demand. (Debian has no clBLAS.)
#include <cstring>
#include <map>

#include "base/os/file.hpp"
#include "blas/generator/gemm_generator.hpp"
#include "blas/kdb_records/decomposition.hpp"
#include "blas/kdb_records/kdb_device.hpp"
#include "store/layer/layer.hpp"

namespace kiln::blas::testing {
namespace {

enum : std::uint32_t { TRANS_A = 1, TRANS_B = 4, COLUMNS = 16, UPPER = 32, RIGHT = 64 };

struct Pattern {
  const char* name;
  std::size_t settings, offset;
  std::uint32_t looked_up;
};
/// The table of the file of a device with double precision.
constexpr Pattern patterns[] = {
    {"Cached global memory based block gemv", 256, 23, TRANS_A | COLUMNS | UPPER},
    {"Cached global memory based block symv", 128, 213065, COLUMNS | UPPER},
    {"LDS based block gemm", 104, 319611, TRANS_A | TRANS_B | COLUMNS},
    {"Image based block gemm", 104, 406172, TRANS_A | TRANS_B | COLUMNS},
    {"Cached global memory based block gemm", 104, 492735, TRANS_A | TRANS_B | COLUMNS},
    {"Cached global memory based subgroup gemm", 104, 579313, TRANS_A | TRANS_B | COLUMNS},
    {"LDS based block trmm", 160, 665894, TRANS_A | UPPER | RIGHT | COLUMNS},
    {"Image based block trmm", 160, 799047, TRANS_A | UPPER | RIGHT | COLUMNS},
    {"Cached global memory based trmm", 160, 932202, TRANS_A | UPPER | RIGHT | COLUMNS},
    {"Cached global memory based subgroup trmm", 160, 1065366, TRANS_A | UPPER | RIGHT | COLUMNS},
    {"LDS based block trsm", 160, 1198539, TRANS_A | UPPER | RIGHT | COLUMNS},
    {"Image based block trsm", 160, 1331692, TRANS_A | UPPER | RIGHT | COLUMNS},
    {"2-staged cached global memory based block trsm", 160, 1464847,
     TRANS_A | UPPER | RIGHT | COLUMNS},
    {"Cached global memory based block trsm", 160, 1598026, TRANS_A | UPPER | RIGHT | COLUMNS},
    {"Cached global memory based block syrk", 16, 1731196, TRANS_A | COLUMNS},
    {"Cached global memory based subgroup syrk", 16, 1744558, TRANS_A | COLUMNS},
    {"Cached global memory based block syr2k", 16, 1757923, TRANS_A | COLUMNS},
    {"Cached global memory based subgroup syr2k", 16, 1771286, TRANS_A | COLUMNS},
};

struct Found {
  std::uint32_t x[2], y[2], item_x[2], item_y[2], depth[2];
  std::uint32_t group[2], dimensions, wavefront, most;
  double time;
};

class ClblasReader {
 public:
  explicit ClblasReader(const Bytes& bytes) : bytes_(bytes) {}

  /// Walks the whole file; what is not as clBLAS computes it to be, or nothing.
  std::string read() {
    if (bytes_.size() != 1'784'652u) return "size";
    for (const std::size_t size : {3, 4, 4, 8}) piece(size);
    if (!sum()) return "header";
    for (const auto& pattern : patterns) {
      if (at_ != pattern.offset || number() != std::strlen(pattern.name) + 1 ||
          std::strcmp(reinterpret_cast<const char*>(bytes_.data() + at_), pattern.name) != 0)
        return std::string("no ") + pattern.name;
      piece(std::strlen(pattern.name) + 1);
      if (number() != pattern.settings || !sum()) return pattern.name;
      for (std::size_t i = 0; i < pattern.settings; ++i)
        if (!setting(pattern)) return std::string("setting or record of ") + pattern.name;
    }
    return at_ == bytes_.size() ? "" : "end";
  }

  /// As getGranularityInfo: the six records, and how many of them it would reach.
  const std::vector<Found>& records(const char* pattern, std::uint32_t type,
                                    std::uint32_t flags) const {
    return found_.at({pattern, type, flags});
  }

 private:
  void piece(std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      hash_ ^= static_cast<std::uint8_t>(bytes_[at_ + i]);
      for (int bit = 0; bit < 8; ++bit) hash_ = (hash_ >> 1) ^ ((hash_ & 1) != 0 ? 0xEDB88320u : 0);
    }
    hash_ = ~hash_;
    at_ += size;
  }
  std::uint32_t load(std::size_t at) const {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }
  std::uint32_t number() {
    const auto value = load(at_);
    piece(4);
    return value;
  }
  bool sum() {
    const bool fits = load(at_) == hash_;
    at_ += 4;
    hash_ = 0;
    return fits;
  }
  bool setting(const Pattern& pattern) {
    const auto type = number(), flags = number();
    if (number() != 6u || !sum()) return false;
    std::vector<Found> all;
    bool reached = true;
    for (int i = 0; i < 6; ++i) {
      Found found{};
      const std::size_t begin = at_;
      for (std::size_t level = 0; level < 3; ++level) {
        std::uint32_t values[5];
        for (auto& value : values) value = number();
        if (level == 2) continue;
        found.x[level] = values[0];
        found.y[level] = values[1];
        found.item_x[level] = values[2];
        found.item_y[level] = values[3];
        found.depth[level] = values[4];
      }
      found.group[0] = load(begin + 60);
      found.group[1] = load(begin + 64);
      found.dimensions = load(begin + 68);
      found.wavefront = load(begin + 72);
      found.most = load(begin + 84);
      for (const std::size_t size : {28, 24, 12}) piece(size);
      std::memcpy(&found.time, bytes_.data() + at_, sizeof found.time);
      piece(8);
      if (!sum() || !(found.time > 0)) return false;
      // Its error counter is never set back: behind an untuned record it reads none.
      reached = reached && found.time < 1e50;
      if (reached) all.push_back(found);
    }
    if ((flags & ~pattern.looked_up) == 0) found_[{pattern.name, type, flags}] = std::move(all);
    return true;
  }

  const Bytes& bytes_;
  std::size_t at_ = 0;
  std::uint32_t hash_ = 0;
  std::map<std::tuple<std::string, std::uint32_t, std::uint32_t>, std::vector<Found>> found_;
};

/// What clBLAS itself never checks and would compute nonsense with, for block patterns.
void expect_valid(const Found& found, bool in_one_line, std::size_t element, std::uint32_t most) {
  ASSERT_GT(found.x[1] * found.y[1] * found.depth[1], 0u);
  EXPECT_EQ(found.x[0] % found.x[1], 0u);
  EXPECT_EQ(found.y[0] % found.y[1], 0u);
  EXPECT_EQ(found.depth[0], found.depth[1]);
  for (const int level : {0, 1}) {
    EXPECT_EQ(found.item_x[level], found.x[level]);
    EXPECT_EQ(found.item_y[level], found.y[level]);
  }
  const std::uint32_t across = found.x[0] / found.x[1], down = found.y[0] / found.y[1];
  if (in_one_line) {
    EXPECT_EQ(found.dimensions, 1u);
    EXPECT_EQ(found.group[0], 64u);
    EXPECT_EQ(across * down, 64u);
  } else {
    EXPECT_EQ(found.dimensions, 2u);
    EXPECT_EQ(found.group[0], down);
    EXPECT_EQ(found.group[1], across);
  }
  const std::uint32_t items = found.group[0] * (found.dimensions == 2 ? found.group[1] : 1);
  EXPECT_LE(items, most);
  EXPECT_LE(items, found.most);
  EXPECT_EQ(found.wavefront, 64u);
  EXPECT_EQ(items % 64, 0u);
  // Vectors are loads of the tile's own lengths: powers of two, of 16 elements at most.
  for (const auto length : {found.x[1], found.y[1], found.depth[1]}) {
    EXPECT_EQ(length & (length - 1), 0u);
    EXPECT_LE(length, 8u);
  }
  const std::size_t registers =
      (found.y[1] * found.depth[1] + found.depth[1] * found.x[1] + found.x[1] * found.y[1]) *
      element / 16;
  EXPECT_LE(registers, 24u);
}

class ClblasLookup : public ::testing::Test {
 protected:
  std::unique_ptr<Resolver> resolver() const {
    return std::make_unique<Resolver>(open_local_store(folder_.path().string()),
                                      CompilePolicy::here);
  }
  void tuned(Routine routine, std::uint32_t type, std::uint32_t flags, std::int64_t rows,
             std::int64_t columns, std::int64_t size) const {
    resolver()->record(request_of({routine, type, flags}), gpu_,
                       {{{{"rows", rows}, {"columns", columns}, {"depth", 4}, {"stages", 2}},
                         size,
                         2.5,
                         Measurement::Of::kiln,
                         "kiln tune",
                         {},
                         5}});
  }
  Bytes exported() const {
    return value_or_throw(kdb::write(database_of_store(*resolver(), gpu_).database));
  }
  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-clblas"));
  const Device gpu_ = device_like(Device::Type::gpu);
};

TEST_F(ClblasLookup, finds_every_record_of_what_was_tuned_whatever_size_it_asks_for) {
  tuned(Routine::gemm, 0, COLUMNS, 64, 64, 768);
  tuned(Routine::gemm, 1, COLUMNS | TRANS_A, 64, 32, 300);
  tuned(Routine::trmm, 0, COLUMNS | UPPER, 64, 64, 1024);
  tuned(Routine::syrk, 0, COLUMNS, 64, 64, 512);
  tuned(Routine::syr2k, 2, TRANS_A, 32, 32, 256);
  const Bytes file = exported();
  ClblasReader reader(file);
  ASSERT_EQ(reader.read(), "");
  struct Case {
    const char* pattern;
    std::uint32_t type, flags;
    bool in_one_line;
    std::size_t element;
  };
  for (const Case& each :
       {Case{"Cached global memory based block gemm", 0, COLUMNS, false, 4},
        Case{"Cached global memory based block gemm", 1, COLUMNS | TRANS_A, false, 8},
        Case{"Cached global memory based trmm", 0, COLUMNS | UPPER, true, 4},
        Case{"Cached global memory based block syrk", 0, COLUMNS, true, 4},
        Case{"Cached global memory based block syr2k", 2, TRANS_A, true, 8}}) {
    const auto& records = reader.records(each.pattern, each.type, each.flags);
    ASSERT_EQ(records.size(), 6u) << each.pattern;
    for (const auto& record : records) {
      EXPECT_EQ(record.time, 2.5);
      expect_valid(record, each.in_one_line, each.element, 1024);
    }
  }
}

TEST_F(ClblasLookup, finds_nothing_where_nothing_was_tuned) {
  tuned(Routine::gemm, 0, COLUMNS, 64, 64, 768);
  const Bytes file = exported();
  ClblasReader reader(file);
  ASSERT_EQ(reader.read(), "");
  EXPECT_TRUE(reader.records("Cached global memory based block gemm", 0, TRANS_B).empty());
  EXPECT_TRUE(reader.records("Cached global memory based block gemv", 0, COLUMNS).empty());
  EXPECT_TRUE(reader.records("Cached global memory based block trsm", 0, COLUMNS).empty());
}

TEST_F(ClblasLookup, a_changed_byte_of_any_record_is_seen) {
  tuned(Routine::gemm, 0, COLUMNS, 64, 64, 768);
  Bytes file = exported();
  file[514433 + 8] ^= std::byte{1};
  EXPECT_EQ(ClblasReader(file).read(),
            "setting or record of Cached global memory based block gemm");
}

}  // namespace
}  // namespace kiln::blas::testing
