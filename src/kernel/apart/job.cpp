#include "kernel/apart/job.hpp"

#include "base/cursor.hpp"
#include "kernel/apart/driver_library.hpp"

namespace kiln::apart {
namespace {
void put(Bytes& to, ByteView bytes) {
  append_le(to, static_cast<std::uint64_t>(bytes.size()));
  append(to, bytes);
}
void put(Bytes& to, std::string_view text) { put(to, as_bytes(text)); }
ByteView get(Cursor& in) { return in.take(in.number<std::uint64_t>("length"), "content"); }
std::string get_text(Cursor& in) { return std::string(as_text(get(in))); }
}  // namespace

std::vector<std::pair<std::string, std::string>> compiler_environment() {
  std::vector<std::pair<std::string, std::string>> variables{{"POCL_CACHE_DIR", cache_folder},
                                                             {"POCL_KERNEL_CACHE", "1"}};
  if (const auto library = driver_library()) variables.emplace_back("OCL_ICD_VENDORS", *library);
  return variables;
}

Bytes encode(const Job& job) {
  Bytes bytes;
  append_le(bytes, static_cast<std::uint8_t>(job.task));
  append_le(bytes, static_cast<std::uint8_t>(job.generic));
  put(bytes, job.fingerprint);
  put(bytes, job.options);
  put(bytes, job.source);
  put(bytes, ByteView(job.archive));
  put(bytes, job.build_hash);
  append_le(bytes, static_cast<std::uint32_t>(job.variants.size()));
  for (const auto& [kernel, folder] : job.variants) {
    put(bytes, kernel);
    put(bytes, folder);
  }
  return bytes;
}

Expected<Job> decode_job(ByteView bytes) {
  Cursor in(bytes, "compile job");
  Job job;
  const auto task = in.number<std::uint8_t>("task");
  if (in.ok() && task != 1 && task != 2) in.refuse(0, "task", "it is neither compile nor start");
  job.task = static_cast<Job::Task>(task);
  job.generic = in.number<std::uint8_t>("generic") != 0;
  job.fingerprint = get_text(in);
  job.options = get_text(in);
  job.source = get_text(in);
  const ByteView archive = get(in);
  job.archive.assign(archive.begin(), archive.end());
  job.build_hash = get_text(in);
  for (auto count = in.number<std::uint32_t>("variants"); count > 0 && in.ok(); --count) {
    auto kernel = get_text(in);
    job.variants.emplace_back(std::move(kernel), get_text(in));
  }
  in.expect_end();
  if (!in.ok()) return tl::unexpected(in.error());
  return job;
}

}  // namespace kiln::apart
