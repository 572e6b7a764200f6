#include "kernel/apart/job.hpp"

#include "base/cursor.hpp"

namespace kiln::apart {
namespace {
void put(Bytes& to, ByteView bytes) {
  append_le(to, static_cast<std::uint64_t>(bytes.size()));
  append(to, bytes);
}
void put(Bytes& to, std::string_view text) { put(to, as_bytes(text)); }
ByteView get(Cursor& in) { return in.take_bytes(in.take<std::uint64_t>()); }
std::string get_text(Cursor& in) { return std::string(as_text(get(in))); }
}  // namespace

Bytes encode(const Job& job) {
  Bytes bytes;
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
  Cursor in(bytes);
  Job job;
  job.fingerprint = get_text(in);
  job.options = get_text(in);
  job.source = get_text(in);
  const ByteView archive = get(in);
  job.archive.assign(archive.begin(), archive.end());
  job.build_hash = get_text(in);
  for (auto count = in.take<std::uint32_t>(); count > 0 && in.good(); --count) {
    auto kernel = get_text(in);
    job.variants.emplace_back(std::move(kernel), get_text(in));
  }
  if (!in.good() || in.left() != 0) return fail(Errc::corrupt, "compile job: lengths do not meet");
  return job;
}

}  // namespace kiln::apart
