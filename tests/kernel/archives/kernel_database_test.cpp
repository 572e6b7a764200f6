// A clBLAS kernel database with compiled kernels, mounted as a source of the Resolver.
#include <gmock/gmock.h>

#include "kernel/archives/archive_build.hpp"
#include "kernel/archives/exchange.hpp"
#include "kernel/scale_family.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;
using KernelDatabaseSource = StoreFixture;

constexpr const char* pattern = "Cached global memory based block gemm";

kdb::Database database_with(ByteView kernel) {
  kdb::Record record;
  record.levels[0] = {8, 8, 8, 8, 4};
  record.levels[1] = {4, 4, 4, 4, 4};
  record.levels[2] = {0, 0, kdb::unused_v1, kdb::unused_v1, 0};
  record.granularity.work_group = {2, 2};
  record.granularity.dimensions = 2;
  record.granularity.wavefront = 1;
  record.time = 1.5;
  kdb::Database database;
  database.layout = kdb::Layout::v1;
  database.patterns = {{pattern, true, {{0, 0x10, {record}}}}};
  value_or_throw(kdb::place_kernels(database, {{0, 0, 0, 0, kernel}}));
  return database;
}

Bytes vector_add_archive() {
  ArchiveBuild build;
  build.source = value_or_throw(from_text(vector_add_text, "VectorAdd.cl"));
  build.local_sizes = {{64, 1, 1}};
  build.label = "VectorAdd";
  return value_or_throw(build_archive(*cpu_device(), build)).bytes;
}

Request database_request(std::int64_t record = 0) {
  Request request;
  request.family = "blas.from_database";
  request.payload = DatabaseKernel{std::string(pattern), 0, 0x10, record, 0};
  request.label = "VectorAdd";
  return request;
}

TEST_F(KernelDatabaseSource, gives_a_program_for_which_nobody_has_the_text) {
  const Bytes file = value_or_throw(kdb::write(database_with(vector_add_archive())));
  const auto fresh = resolver();
  fresh->mount(value_or_throw(KernelDatabase::open(file, device_->name)));
  const auto context = Context::create({device_});
  Explanation explanation;
  Program& program = fresh->resolve(database_request(), context, device_, {}, &explanation);
  EXPECT_TRUE(step_of(explanation, "kernel database").answered) << text_of(explanation);
  run_vector_add(context, program, 256, 64);
  EXPECT_THROW(fresh->resolve(database_request(1), context, device_), Error)
      << "there is no such record, and no generator either";
}

TEST_F(KernelDatabaseSource, leaves_other_programs_alone) {
  const Bytes file = value_or_throw(kdb::write(database_with(vector_add_archive())));
  const auto fresh = resolver();
  fresh->mount(value_or_throw(KernelDatabase::open(file, device_->name)));
  fresh->add(std::make_unique<ScaleGenerator>());
  const auto context = Context::create({device_});
  Explanation explanation;
  const Request request = scale_request(3);
  fresh->resolve(request, fresh->choose(request, *device_), context, device_, {}, &explanation);
  EXPECT_THAT(step_of(explanation, "kernel database").reason, HasSubstr("no pattern of clBLAS"));
}

TEST_F(KernelDatabaseSource, an_archive_of_another_device_is_a_miss) {
  const Bytes archive = vector_add_archive();
  auto foreign = value_or_throw(poclbin::parse(archive));
  foreign.device_id ^= 1;
  const Bytes changed = poclbin::write(foreign);
  const Bytes file = value_or_throw(kdb::write(database_with(changed)));
  const auto fresh = resolver();
  fresh->mount(value_or_throw(KernelDatabase::open(file, device_->name)));
  const auto context = Context::create({device_});
  Explanation explanation;
  EXPECT_THROW(fresh->resolve(database_request(), context, device_, {}, &explanation), Error);
  EXPECT_THAT(step_of(explanation, "kernel database").reason, HasSubstr("for another device"));
}

TEST_F(KernelDatabaseSource, an_archive_that_cannot_start_what_is_wanted_is_a_miss) {
  const Bytes built = vector_add_archive();
  auto archive = value_or_throw(poclbin::parse(built));
  for (auto& kernel : archive.kernels)
    std::erase_if(kernel.files, [](const poclbin::File& file) {
      return file.path.find("/0-0-0/") != std::string_view::npos;
    });
  const Bytes file = value_or_throw(kdb::write(database_with(poclbin::write(archive))));
  const auto fresh = resolver();
  fresh->mount(value_or_throw(KernelDatabase::open(file, device_->name)));
  const auto context = Context::create({device_});
  Explanation explanation;
  EXPECT_THROW(fresh->resolve(database_request(), context, device_,
                              {variant_of("VectorAdd", range_1d(256, 32))}, &explanation),
               Error);
  EXPECT_THAT(step_of(explanation, "kernel database").reason, HasSubstr("no variant 32-1-1"));
}

TEST_F(KernelDatabaseSource, a_file_of_another_device_s_name_is_a_miss_without_poclbin) {
  const Bytes file = value_or_throw(kdb::write(database_with(as_bytes("any binary"))));
  const auto source = value_or_throw(KernelDatabase::open(file, "Some GPU"));
  Device gpu;
  gpu.name = "Another GPU";
  EXPECT_THAT(source->find(database_request(), gpu).reason, HasSubstr("'Some GPU'"));
  gpu.name = "Some GPU";
  const auto found = source->find(database_request(), gpu);
  ASSERT_TRUE(found.artifact);
  EXPECT_EQ(as_text(found.artifact->binary), "any binary");
}

TEST_F(KernelDatabaseSource, a_file_that_is_damaged_or_holds_no_kernels_is_refused) {
  Bytes file = value_or_throw(kdb::write(database_with(as_bytes("binary"))));
  auto real = database_with(as_bytes("binary"));
  real = value_or_throw(kdb::convert(real, kdb::Layout::v3)).database;
  const auto refusal = [](Bytes bytes) {
    const auto source = KernelDatabase::open(std::move(bytes), "device");
    return source ? "no error" : source.error().message();
  };
  EXPECT_THAT(refusal(value_or_throw(kdb::write(real))), HasSubstr("holds no kernels"));
  file[100] ^= std::byte{1};
  EXPECT_THAT(refusal(file), HasSubstr("byte"));
  EXPECT_THAT(refusal({}), HasSubstr("byte 0"));
}

}  // namespace
}  // namespace kiln::testing
