#include "schedule/proof.hpp"

#include <fmt/format.h>

#include <numeric>

#include "base/cursor.hpp"
#include "base/log.hpp"

namespace kiln {
namespace {

constexpr std::uint32_t proof_schema = 3;

Bytes canonical_proof(const Job& job) {
  CanonicalWriter writer("split proof", 2);
  writer.text("family", job.request.family)
      .text("options", job.request.options)
      .text("kernel", job.kernel);
  if (job.request.source) writer.digest("source", job.request.source->digest());
  write_shape(writer, job);
  return writer.view();
}

// u64 conflict-free step, u32 + text conflict, u32 + u64… cuts, u32 + u8… sliced.
Bytes encode(const Proof& proof) {
  Bytes bytes;
  append_le(bytes, static_cast<std::uint64_t>(proof.conflict_free_step));
  append_le(bytes, static_cast<std::uint32_t>(proof.conflict.size()));
  append(bytes, proof.conflict);
  append_le(bytes, static_cast<std::uint32_t>(proof.slices.cuts.size()));
  for (const auto cut : proof.slices.cuts) append_le(bytes, static_cast<std::uint64_t>(cut));
  append_le(bytes, static_cast<std::uint32_t>(proof.slices.sliced.size()));
  for (const bool sliced : proof.slices.sliced) append_le(bytes, static_cast<std::uint8_t>(sliced));
  return bytes;
}

std::optional<Proof> decode(ByteView bytes) {
  Cursor in(bytes, "split proof");
  Proof proof;
  proof.conflict_free_step = in.number<std::uint64_t>("conflict-free step");
  proof.conflict = in.text("conflict");
  for (auto count = in.number<std::uint32_t>("cuts"); count > 0 && in.ok(); --count)
    proof.slices.cuts.insert(in.number<std::uint64_t>("cut"));
  for (auto count = in.number<std::uint32_t>("buffers"); count > 0 && in.ok(); --count)
    proof.slices.sliced.push_back(in.number<std::uint8_t>("sliced") != 0);
  in.expect_end();
  if (!in.ok()) return {};
  return proof;
}

void unite(Slices& known, const Slices& more) {
  if (more.sliced.empty()) return;
  known.cuts.insert(more.cuts.begin(), more.cuts.end());
  if (known.sliced.empty()) {
    known.sliced = more.sliced;
    return;
  }
  for (std::size_t i = 0; i < known.sliced.size(); ++i)
    known.sliced[i] = known.sliced[i] && more.holds(i);
}

}  // namespace

void write_shape(CanonicalWriter& writer, const Job& job) {
  writer.begin("range");
  for (unsigned d = 0; d < 3; ++d)
    writer.integer("global", static_cast<std::int64_t>(job.range.global[d]))
        .integer("local", static_cast<std::int64_t>(job.range.local[d]));
  writer.end();
  for (const auto& argument : job.arguments) {
    if (const auto* buffer = std::get_if<BufferArgument>(&argument))
      writer.integer("buffer", static_cast<std::int64_t>(buffer->data.size()));
    else if (const auto* local = std::get_if<LocalArgument>(&argument))
      writer.integer("local", static_cast<std::int64_t>(local->bytes));
    else
      writer.bytes("value", std::get<ScalarArgument>(argument).value);
  }
}

Proof load_proof(Resolver& resolver, const Job& job) {
  if (resolver.local() == nullptr) return {};
  const Bytes canonical = canonical_proof(job);
  const auto lookup = resolver.local()->get(Kind::record, key_of(canonical), canonical);
  if (!lookup.entry || lookup.entry->metadata.schema != proof_schema) return {};
  return decode(lookup.entry->content).value_or(Proof{});
}

void add_proof(Resolver& resolver, const Job& job, const Proof& proof) {
  if (resolver.local() == nullptr) return;
  const Bytes canonical = canonical_proof(job);
  const Metadata metadata{proof_schema, job.kernel, "", 0};
  const auto change = [&](const std::optional<Entry>& present) -> std::optional<Bytes> {
    Proof all;
    if (present && present->metadata.schema == proof_schema)
      all = decode(present->content).value_or(Proof{});
    if (!proof.conflict.empty()) all.conflict = proof.conflict;
    all.conflict_free_step =
        all.conflict.empty() ? std::gcd(all.conflict_free_step, proof.conflict_free_step) : 0;
    unite(all.slices, proof.slices);
    return encode(all);
  };
  const auto kept =
      resolver.local()->update(Kind::record, key_of(canonical), canonical, metadata, change);
  if (!kept) log(LogLevel::info, "a split proof is not kept: " + kept.error().message());
}

SplitSafety analyse_job(const Job& job) {
  if (job.request.source)
    return analyse_split(job.request.source->text(), job.kernel, macros_of(job.request.options));
  SplitSafety safety;
  safety.reasons.push_back("a generated kernel is divided by its own front end");
  return safety;
}

std::vector<std::pair<std::string, std::string>> macros_of(std::string_view options) {
  std::vector<std::pair<std::string, std::string>> macros;
  while (!options.empty()) {
    const auto blank = std::min(options.find(' '), options.size());
    auto word = options.substr(0, blank);
    options.remove_prefix(std::min(blank + 1, options.size()));
    if (!word.starts_with("-D")) continue;
    word.remove_prefix(2);
    const auto equals = word.find('=');
    macros.emplace_back(word.substr(0, equals),
                        equals == std::string_view::npos ? "1" : word.substr(equals + 1));
  }
  return macros;
}

}  // namespace kiln
