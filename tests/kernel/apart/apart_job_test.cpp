#include <gtest/gtest.h>

#include "kernel/apart/job.hpp"
#include "kernel/support.hpp"

namespace kiln::testing {
namespace {

using apart::Job;

Job example_job() {
  return {"PoCL|3.1",
          "-DN=4",
          "__kernel void f() {}",
          Bytes(9, std::byte{7}),
          "AB/CD",
          {{"f", "64-1-1"}, {"g", "1-1-1"}}};
}

TEST(ApartJob, any_job_survives_encoding) {
  EXPECT_TRUE(rc::check([](const std::string& fingerprint, const std::string& options,
                           const std::string& source, const std::string& hash,
                           const std::vector<std::pair<std::string, std::string>>& variants,
                           bool generic, bool stubs, bool facts) {
    Job job{fingerprint, options, source, *any_bytes(), hash, variants};
    job.task = *rc::gen::element(Job::Task::compile, Job::Task::start, Job::Task::trial);
    job.form = *rc::gen::element(Job::Form::archive, Job::Form::as_it_is);
    job.generic = generic;
    job.stubs = stubs;
    job.facts = facts;
    const auto back = apart::decode_job(apart::encode(job));
    RC_ASSERT(back.has_value());
    RC_ASSERT(*back == job);
  }));
}

TEST(ApartJob, every_truncation_and_every_longer_file_is_an_error) {
  Bytes bytes = apart::encode(example_job());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    ASSERT_FALSE(apart::decode_job(ByteView(bytes).first(size))) << size;
  bytes.push_back(std::byte{0});
  EXPECT_FALSE(apart::decode_job(bytes));
}

TEST(ApartJob, every_flipped_byte_is_an_error_or_another_job_of_the_same_size) {
  const Bytes whole = apart::encode(example_job());
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const int flip : {0x01, 0x80, 0xff}) {
      Bytes broken = whole;
      broken[at] ^= static_cast<std::byte>(flip);
      const auto result = apart::decode_job(broken);
      if (result) {
        EXPECT_EQ(apart::encode(*result).size(), whole.size()) << at;
      }
    }
}

}  // namespace
}  // namespace kiln::testing
