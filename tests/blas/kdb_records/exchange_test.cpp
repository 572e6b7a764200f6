// Databases into the store, and back.
#include <filesystem>

#include "base/os/file.hpp"
#include "blas/generator/gemm_generator.hpp"
#include "blas/kdb_records/decomposition.hpp"
#include "blas/kdb_records/kdb_device.hpp"
#include "blas/kdb_records/kdb_records.hpp"
#include "store/layer/layer.hpp"
#include "test_paths.hpp"

namespace kiln::blas::testing {
namespace {

class KdbExchange : public ::testing::Test {
 protected:
  std::unique_ptr<Resolver> resolver() const {
    auto made =
        std::make_unique<Resolver>(open_local_store(folder_.path().string()), CompilePolicy::here);
    made->add(std::make_unique<GemmGenerator>());
    return made;
  }
  static Request request_of_gemm() { return request_of({Routine::gemm, 0, column_major}); }
  static Measurement own(Parameters parameters, std::int64_t size, double milliseconds) {
    return {std::move(parameters), size, milliseconds, Measurement::Of::kiln, "kiln tune", {}};
  }
  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-kdb"));
  const Device gpu_ = device_like(Device::Type::gpu);
};

TEST_F(KdbExchange, a_database_comes_back_from_the_store_as_it_was) {
  auto database = database_with(block_gemm, 0, column_major, {gpu_record(2), gpu_record(3)});
  auto syrk = gpu_record(5, 2);
  syrk.levels[0] = {16, 64, 16, 64, 2};
  syrk.levels[1] = {2, 8, 2, 8, 2};
  syrk.granularity = {{64, 1}, 1, 64, {}, 1024};
  for (auto& pattern : database.patterns)
    if (pattern.name == block_syrk) pattern.settings[0].records[5] = syrk;
  auto gemv = gpu_record(7);
  gemv.levels[0] = {1, 64, 1, 64, 4};
  gemv.levels[1] = {1, 4, 1, 4, 4};
  gemv.granularity = {{64, 1}, 1, 64, {}, 1024};
  gemv.levels[0].bwidth = 16;
  database.patterns[0].settings[0].records[0] = gemv;
  ASSERT_EQ(kdb::verify(database, {1024}).size(), 1u) << "one record hides behind others";
  const auto put = value_or_throw(put_on_record(database, "A.kdb", *resolver(), gpu_));
  EXPECT_EQ(put.taken, 4u);
  const auto made = database_of_store(*resolver(), gpu_);
  EXPECT_EQ(made.written, 4u);
  EXPECT_TRUE(made.notes.empty());
  const auto differences = kdb::diff(database, made.database);
  EXPECT_TRUE(differences.empty())
      << differences[0].place << ": " << differences[0].first << " | " << differences[0].second;
}

TEST_F(KdbExchange, records_in_the_store_are_used_until_kiln_has_measured) {
  const auto database = database_with(block_gemm, 0, column_major, {gpu_record(0.001)});
  value_or_throw(put_on_record(database, "A.kdb", *resolver(), gpu_));
  auto made = resolver();
  Request request = request_of_gemm();
  request.payload = GemmPayload{Precision::s, "gpu", false, 1};
  const auto chosen = made->choose(request, gpu_);
  EXPECT_EQ(chosen.origin, "store record");
  EXPECT_EQ(chosen.from, std::string("A.kdb, ") + block_gemm + ", record 0");
  const auto defaults = GemmGenerator().defaults(request);
  made->record(request, gpu_, {own(defaults, 256, 4)});
  EXPECT_EQ(made->choose(request, gpu_).parameters, defaults);
  EXPECT_EQ(made->choose(request, gpu_).from, "kiln tune");
  EXPECT_EQ(resolver()->tuning_record(request, gpu_).history.size(), 2u);
}

TEST_F(KdbExchange, what_kiln_measured_is_written_where_clblas_has_words_for_it) {
  resolver()->record(request_of_gemm(), gpu_,
                     {own({{"rows", 64}, {"columns", 64}, {"depth", 8}, {"stages", 2}}, 300, 4),
                      own({{"rows", 64}, {"columns", 64}, {"depth", 4}, {"stages", 2}}, 300, 3),
                      own({{"rows", 256}, {"columns", 256}, {"depth", 8}, {"stages", 2}}, 900, 9)});
  const auto made = database_of_store(*resolver(), gpu_);
  EXPECT_EQ(made.written, 1u);
  ASSERT_EQ(made.notes.size(), 1u);
  EXPECT_EQ(made.notes[0],
            "gemm float COLUMN_MAJOR, size 900: clBLAS's patterns have no such decomposition; not "
            "written");
  EXPECT_EQ(made.inferred, 5u) << "clBLAS reads none behind an untuned one";
  EXPECT_TRUE(kdb::diff(made.database, database_with(block_gemm, 0, column_major,
                                                     std::vector(6, gpu_record(3, 4))))
                  .empty());
  EXPECT_TRUE(kdb::verify(made.database, {1024}).empty());
  EXPECT_TRUE(kdb::parse(value_or_throw(kdb::write(made.database))).has_value());
}

TEST_F(KdbExchange, the_work_groups_that_are_written_lie_as_the_operands_are_read) {
  constexpr std::uint32_t trans_b = 0x4;
  for (const std::uint32_t flags :
       {0u, trans_a, column_major, column_major | trans_a, column_major | trans_a | trans_b}) {
    // 128 along x and 64 along y: the rows of Kiln's tiles lie along lines of the result.
    const bool by_columns = (flags & column_major) != 0;
    const Parameters tile{{"rows", by_columns ? 64 : 128},
                          {"columns", by_columns ? 128 : 64},
                          {"depth", 4},
                          {"stages", 2}};
    const auto record = block_decomposition(tile, {Routine::gemm, 0, flags}, 256, {1024});
    ASSERT_TRUE(record) << flags;
    const auto database = database_with(block_gemm, 0, flags, {*record});
    EXPECT_NE(record->granularity.work_group[0], record->granularity.work_group[1]) << flags;
    EXPECT_TRUE(kdb::verify(database, {1024}).empty()) << kdb::verify(database, {1024})[0].text;
  }
}

TEST_F(KdbExchange, an_empty_store_makes_the_untuned_database) {
  const auto made = database_of_store(*resolver(), gpu_);
  EXPECT_EQ(made.written, 0u);
  EXPECT_EQ(value_or_throw(kdb::write(made.database)).size(), 1'784'652u);
}

/// clBLAS's own files.
TEST(KdbRealFiles, can_be_put_on_record) {
  const std::filesystem::path folder = KILN_SHARED_DIR "/data/kdb";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  const auto work = value_or_throw(TemporaryFolder::create("kiln-kdb"));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto unpacked = (work.path() / "unpacked.kdb").string();
    const bool packed = entry.path().extension() == ".gz";
    const std::string command =
        (packed ? "zcat '" : "cat '") + entry.path().string() + "' > '" + unpacked + "'";
    ASSERT_EQ(std::system(command.c_str()), 0);
    const Bytes bytes = value_or_throw(read_file(unpacked));
    const auto database = value_or_throw(kdb::parse(bytes));
    std::size_t tuned = 0;
    for (const auto& pattern : kdb::summarize(database)) tuned += pattern.tuned;
    const auto read =
        value_or_throw(measurements_of(database, "real", device_like(Device::Type::cpu)));
    EXPECT_EQ(read.taken + read.unreached + read.unsound, tuned);
    EXPECT_EQ(read.untuned, 12'864u - tuned);
    ++files;
  }
  EXPECT_GT(files, 0u);
}

}  // namespace
}  // namespace kiln::blas::testing
