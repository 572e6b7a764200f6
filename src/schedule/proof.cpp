#include "schedule/proof.hpp"

#include <fmt/format.h>

#include "base/log.hpp"

namespace kiln {
namespace {

constexpr std::uint32_t proof_schema = 1;

Bytes canonical_proof(const Program& program, const Job& job) {
  CanonicalWriter writer("split proof", 1);
  writer.digest("program", program.key().digest).text("kernel", job.kernel);
  write_shape(writer, job);
  return writer.view();
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

Proof load_proof(Resolver& resolver, const Program& program, const Job& job) {
  Proof proof;
  if (resolver.local() == nullptr) return proof;
  const Bytes canonical = canonical_proof(program, job);
  const auto lookup = resolver.local()->get(Kind::record, key_of(canonical), canonical);
  if (!lookup.entry || lookup.entry->metadata.schema != proof_schema) return proof;
  const auto text = as_text(lookup.entry->content);
  // One letter says which: '+' no conflict, '-' a conflict and where.
  proof.conflict_free = text == "+";
  if (text.starts_with('-')) proof.conflict = text.substr(1);
  return proof;
}

void store_proof(Resolver& resolver, const Program& program, const Job& job, const Proof& proof) {
  if (resolver.local() == nullptr) return;
  const Bytes canonical = canonical_proof(program, job);
  const std::string text = proof.conflict.empty() ? "+" : "-" + proof.conflict;
  const Metadata metadata{proof_schema, job.kernel, program.device()->fingerprint(), 0};
  const auto kept =
      resolver.local()->put(Kind::record, key_of(canonical), canonical, as_bytes(text), metadata);
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
