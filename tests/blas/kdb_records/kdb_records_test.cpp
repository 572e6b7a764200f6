// clBLAS's databases as a source of Parameters.
#include "blas/kdb_records/kdb_records.hpp"

#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "base/log.hpp"
#include "base/os/file.hpp"
#include "blas/generator/gemm_generator.hpp"
#include "blas/kdb_records/decomposition.hpp"
#include "blas/kdb_records/kdb_device.hpp"
#include "blas/routines/product.hpp"

namespace kiln::blas::testing {
namespace {

/// The library's messages while it lives.
class Messages {
 public:
  Messages() {
    set_log_sink([this](LogLevel, std::string_view text) {
      const std::lock_guard lock(mutex_);
      lines_.emplace_back(text);
    });
  }
  ~Messages() { set_log_sink({}); }
  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

class KdbRecordsTest : public ::testing::Test {
 protected:
  void write(const Device& device, const kdb::Database& database) const {
    write(device, value_or_throw(kdb::write(database)));
  }
  void write(const Device& device, const Bytes& bytes) const {
    std::ofstream(folder_.path() / (device.name + ".kdb"), std::ios::binary) << as_text(bytes);
  }
  KdbRecords records() const { return KdbRecords(folder_.path().string()); }
  /// A resolver without a store that knows the folder's databases.
  std::unique_ptr<Resolver> resolver() const {
    auto made = std::make_unique<Resolver>(nullptr, CompilePolicy::here);
    made->add(std::make_unique<GemmGenerator>());
    made->mount(std::make_unique<KdbRecords>(folder_.path().string()));
    return made;
  }
  static Request product(Precision precision, const std::string& form, const std::string& problem) {
    Request request;
    request.family = "blas.gemm";
    request.version = GemmGenerator().version();
    request.payload = GemmPayload{precision, form, false, 16};
    request.problem_class = problem;
    request.problem_size = 300;
    return request;
  }
  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-kdb"));
  Device gpu_ = device_like(Device::Type::gpu), cpu_ = device_like(Device::Type::cpu);
};

TEST(KdbRecordSizes, are_those_that_clblas_computes_for_two_cores) {
  const Device device = device_like(Device::Type::cpu);
  EXPECT_EQ(kdb_record_sizes(device, 0, false),
            (std::array<std::int64_t, 6>{256, 256, 256, 256, 768, 512}));
}

TEST_F(KdbRecordsTest, a_tile_of_a_work_group_is_a_gpus) {
  write(gpu_, database_with(block_gemm, 0, column_major, {gpu_record(2)}));
  const auto chosen =
      resolver()->choose(product(Precision::s, "gpu", "gemm float COLUMN_MAJOR"), gpu_);
  EXPECT_EQ(chosen.parameters.get("rows", 0), 64);
  EXPECT_EQ(chosen.parameters.get("columns", 0), 64);
  EXPECT_EQ(chosen.parameters.get("depth", 0), 8);
  EXPECT_EQ(chosen.origin, "kernel database");
  EXPECT_EQ(chosen.from, gpu_.name + ".kdb, " + block_gemm + ", record 0");
}

TEST_F(KdbRecordsTest, a_tile_of_a_work_item_is_a_cpus_seen_in_column_major_order) {
  auto database = database_with(block_gemm, 1, column_major, {cpu_record(2)});
  write(cpu_, database);
  const auto request = product(Precision::d, "cpu", "gemm double COLUMN_MAJOR");
  const auto chosen = resolver()->choose(request, cpu_);
  EXPECT_EQ(chosen.parameters.get("rows", 0), 8);
  EXPECT_EQ(chosen.parameters.get("columns", 0), 2);
  EXPECT_EQ(chosen.parameters.get("depth", 0), GemmGenerator().defaults(request).get("depth", 0));
  // By rows it is 2 x 8, and 2 rows are no vector of 8 doubles.
  write(cpu_, database_with(block_gemm, 1, 0, {cpu_record(2)}));
  EXPECT_EQ(resolver()->choose(product(Precision::d, "cpu", "gemm double"), cpu_).origin,
            "default");
}

TEST_F(KdbRecordsTest, a_work_group_that_is_no_square_may_lie_either_way) {
  auto record = gpu_record(2);
  record.levels[0] = {128, 64, 128, 64, 4};
  record.levels[1] = {4, 8, 4, 8, 4};
  for (const std::array<std::uint32_t, 2> group : {std::array{32u, 8u}, std::array{8u, 32u}}) {
    record.granularity.work_group = group;
    write(gpu_, database_with(block_gemm, 0, column_major, {record}));
    const auto chosen =
        resolver()->choose(product(Precision::s, "gpu", "gemm float COLUMN_MAJOR"), gpu_);
    EXPECT_EQ(chosen.origin, "kernel database") << group[0];
    EXPECT_EQ(chosen.parameters.get("rows", 0), 64);
    EXPECT_EQ(chosen.parameters.get("columns", 0), 128);
    EXPECT_EQ(chosen.parameters.get("depth", 0), 4);
  }
}

TEST_F(KdbRecordsTest, records_are_of_their_type_flags_and_routine_alone) {
  write(gpu_, database_with(block_gemm, 0, column_major, {gpu_record(2)}));
  auto made = resolver();
  EXPECT_EQ(made->choose(product(Precision::d, "gpu", "gemm double COLUMN_MAJOR"), gpu_).origin,
            "default");
  EXPECT_EQ(
      made->choose(product(Precision::s, "gpu", "gemm float TRANS_A+COLUMN_MAJOR"), gpu_).origin,
      "default");
  EXPECT_EQ(made->choose(product(Precision::s, "gpu", "trmm float COLUMN_MAJOR"), gpu_).origin,
            "default");
  EXPECT_EQ(made->choose(product(Precision::s, "gpu", "gemm float COLUMN_MAJOR"), gpu_).origin,
            "kernel database");
}

TEST_F(KdbRecordsTest, untuned_records_are_never_used) {
  write(gpu_, database_with(block_gemm, 0, column_major, {gpu_record(kdb::untuned_time)}));
  EXPECT_EQ(
      resolver()->choose(product(Precision::s, "gpu", "gemm float COLUMN_MAJOR"), gpu_).origin,
      "default");
}

TEST_F(KdbRecordsTest, records_that_break_clblas_s_rules_are_not_used_and_one_line_says_so) {
  auto broken = gpu_record(1);
  broken.levels[1].item_x = broken.levels[1].x = 3;
  write(gpu_, database_with(block_gemm, 0, column_major, {broken}));
  const Messages messages;
  EXPECT_EQ(
      resolver()->choose(product(Precision::s, "gpu", "gemm float COLUMN_MAJOR"), gpu_).origin,
      "default");
  ASSERT_EQ(messages.lines().size(), 1u);
  EXPECT_NE(messages.lines()[0].find("1 records break"), std::string::npos);
}

TEST_F(KdbRecordsTest, of_several_sizes_the_nearest_is_used) {
  auto flat = gpu_record(9);
  flat.levels[0] = {64, 64, 64, 64, 4};
  flat.levels[1].bwidth = 4;
  write(gpu_, database_with(block_gemm, 0, column_major,
                            {gpu_record(1), gpu_record(1), gpu_record(1), gpu_record(1), flat}));
  auto made = resolver();
  auto request = product(Precision::s, "gpu", "gemm float COLUMN_MAJOR");
  EXPECT_EQ(made->choose(request, gpu_).parameters.get("depth", 0), 8);
  request.problem_size = 5000;
  EXPECT_EQ(made->choose(request, gpu_).parameters.get("depth", 0), 4);
}

TEST_F(KdbRecordsTest, a_missing_file_is_no_message_and_a_damaged_one_is_one) {
  const Messages messages;
  const auto request = product(Precision::s, "gpu", "gemm float COLUMN_MAJOR");
  EXPECT_TRUE(records().find(request, gpu_).history.empty());
  EXPECT_TRUE(messages.lines().empty());
  auto bytes =
      value_or_throw(kdb::write(database_with(block_gemm, 0, column_major, {gpu_record(2)})));
  bytes[40] ^= std::byte{1};
  write(gpu_, bytes);
  const KdbRecords damaged = records();
  for (int time = 0; time < 3; ++time) EXPECT_TRUE(damaged.find(request, gpu_).history.empty());
  ASSERT_EQ(messages.lines().size(), 1u);
  EXPECT_NE(messages.lines()[0].find(".kdb is not used: "), std::string::npos);
  EXPECT_NE(messages.lines()[0].find("byte "), std::string::npos);
}

TEST_F(KdbRecordsTest, what_is_no_file_is_not_waited_for) {
  ASSERT_EQ(::mkfifo((folder_.path() / (gpu_.name + ".kdb")).c_str(), 0600), 0);
  const Messages messages;
  EXPECT_TRUE(records()
                  .find(product(Precision::s, "gpu", "gemm float COLUMN_MAJOR"), gpu_)
                  .history.empty());
  ASSERT_EQ(messages.lines().size(), 1u);
  EXPECT_NE(messages.lines()[0].find("is not a regular file"), std::string::npos);
}

TEST_F(KdbRecordsTest, the_file_is_read_once_by_any_number_of_threads) {
  write(gpu_, database_with(block_gemm, 0, column_major, {gpu_record(2)}));
  const KdbRecords shared = records();
  const auto request = product(Precision::s, "gpu", "gemm float COLUMN_MAJOR");
  std::atomic<int> found = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] { found += shared.find(request, gpu_).history.size() == 1 ? 1 : 0; });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(found, 8);
  std::filesystem::remove(folder_.path() / (gpu_.name + ".kdb"));
  EXPECT_EQ(shared.find(request, gpu_).history.size(), 1u);
}

/// The words that a call's Requests have must be those that the databases are read by.
TEST(ProblemClasses, of_calls_are_clblas_s_settings) {
  Call call;
  call.routine = Routine::gemm;
  call.precision = Precision::c;
  call.trans_a = Transpose::conjugate;
  EXPECT_EQ(problem_class_of(call), "gemm complex_float TRANS_A+COLUMN_MAJOR");
  call = {};
  call.routine = Routine::trsm;
  call.precision = Precision::d;
  call.order = Order::row_major;
  call.side = Side::right;
  call.m = 30;
  call.n = 60;
  EXPECT_EQ(problem_class_of(call), "trsm double UPPER_TRIANG+SIDE_RIGHT");
  EXPECT_EQ(problem_size_of(call), 50);
  const auto again = problem_class_named(problem_class_of(call));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->routine, Routine::trsm);
  EXPECT_EQ(again->type, 1u);
  EXPECT_EQ(again->flags, 0x60u);
  for (const char* bad : {"", "gemm", "gemm float NONSENSE", "nothing float", "gemm half"})
    EXPECT_FALSE(problem_class_named(bad)) << bad;
}

/// A whole call with a database in place: the kernels of its tile give the right result, and the
/// explanation says where the tile is from.
TEST_F(KdbRecordsTest, a_call_uses_the_record_and_says_so) {
  const Device& device = Machine::get().device();
  if (device.type != Device::Type::cpu) GTEST_SKIP() << "the record is a CPU's";
  write(device, database_with(block_gemm, 1, column_major, {cpu_record(2)}));
  Resolver resolver(nullptr, CompilePolicy::here);
  resolver.mount(std::make_unique<KdbRecords>(folder_.path().string()));
  Library library(resolver);
  Call call;
  call.routine = Routine::gemm;
  call.precision = Precision::d;
  call.m = call.n = call.k = 21;
  std::vector<double> ones(21 * 21, 1.0);
  const cl::Context context(Machine::get().context(), true);
  cl::Buffer buffers[3];
  for (std::size_t i = 0; i < 3; ++i) {
    buffers[i] = cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                            ones.size() * sizeof(double), ones.data());
    call.operands[i] = {buffers[i](), 0, 21};
  }
  const Execution execution{Machine::get().queues()};
  const auto sequence = library.build(call, execution);
  ASSERT_FALSE(sequence->explanations().empty());
  const std::string parameters = text_of(sequence->explanations().back().parameters);
  EXPECT_NE(parameters.find("rows 8 (kernel database: "), std::string::npos) << parameters;
  ASSERT_EQ(library.run(call, execution), Status::success);
  std::vector<double> result(ones.size());
  ASSERT_EQ(
      ::clEnqueueReadBuffer(Machine::get().queues()[0], buffers[2](), CL_TRUE, 0,
                            result.size() * sizeof(double), result.data(), 0, nullptr, nullptr),
      CL_SUCCESS);
  EXPECT_EQ(result, std::vector<double>(ones.size(), 21.0));
}

}  // namespace
}  // namespace kiln::blas::testing
