#include "schedule/proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/cursor.hpp"
#include "base/log.hpp"

namespace kiln {
namespace {

constexpr std::uint32_t proof_schema = 4;

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
  if (resolver.store() == nullptr) return {};
  const Bytes canonical = canonical_proof(job);
  const auto lookup = resolver.store()->get(Kind::record, key_of(canonical), canonical);
  if (!lookup.entry || lookup.entry->metadata.schema != proof_schema) return {};
  return decode(lookup.entry->content).value_or(Proof{});
}

void add_proof(Resolver& resolver, const Job& job, const Proof& proof) {
  if (resolver.store() == nullptr) return;
  const Bytes canonical = canonical_proof(job);
  const Metadata metadata{proof_schema, job.kernel, "", 0};
  const auto change = [&](const std::optional<Entry>& present) -> std::optional<Entry> {
    Proof all;
    if (present && present->metadata.schema == proof_schema)
      all = decode(present->content).value_or(Proof{});
    if (!proof.conflict.empty()) all.conflict = proof.conflict;
    all.conflict_free_step =
        all.conflict.empty() ? std::gcd(all.conflict_free_step, proof.conflict_free_step) : 0;
    unite(all.slices, proof.slices);
    return Entry{encode(all), metadata};
  };
  const auto kept = resolver.store()->update(Kind::record, key_of(canonical), canonical, change);
  if (!kept) log(LogLevel::info, "a split proof is not kept: " + kept.error().message());
}

namespace {

/// The words of build options: blanks separate them, quotes keep them together.
std::vector<std::string> words_of(std::string_view options) {
  std::vector<std::string> words;
  char quote = 0;
  bool within = false;
  for (const char c : options) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (quote == 0 && blank) {
      within = false;
      continue;
    }
    if (!within) words.emplace_back();
    within = true;
    if (quote == 0 && (c == '"' || c == '\''))
      quote = c;
    else if (c == quote)
      quote = 0;
    else
      words.back() += c;
  }
  return words;
}

/// Options after which the compiler does not read the text that Kiln reads.
bool changes_the_text(std::string_view word) {
  for (const std::string_view option : {"-cl-std=CLC++", "-include", "-imacros", "-x", "-Xclang",
                                        "-fmacro", "-trigraphs", "-ftrigraphs", "@"})
    if (word.starts_with(option)) return true;
  return false;
}

}  // namespace

std::vector<ParameterUse> parameters_of(const Job& job) {
  const auto words = words_of(job.request.options);
  if (!job.request.source || std::any_of(words.begin(), words.end(), changes_the_text)) return {};
  return describe_parameters(job.request.source->text(), job.kernel,
                             macros_of(job.request.options));
}

SplitSafety analyse_job(const Job& job) {
  SplitSafety safety;
  if (!job.request.source) {
    safety.reasons.push_back("a generated kernel is divided by its own front end");
    return safety;
  }
  safety = analyse_split(job.request.source->text(), job.kernel, macros_of(job.request.options));
  for (const auto& word : words_of(job.request.options))
    if (changes_the_text(word)) {
      safety.reasons.push_back(
          fmt::format("the build option {} may change what the source says", word));
      safety.splittable = false;
      for (auto& parameter : safety.parameters) parameter.layout = {};
    }
  return safety;
}

std::vector<std::pair<std::string, std::string>> macros_of(std::string_view options) {
  std::vector<std::pair<std::string, std::string>> macros;
  const auto words = words_of(options);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i];
    const bool defines = word.starts_with("-D");
    if (!defines && !word.starts_with("-U")) continue;
    word.remove_prefix(2);
    if (word.empty() && i + 1 < words.size()) word = words[++i];  // "-D NAME=1"
    const auto equals = word.find('=');
    const std::string name(word.substr(0, equals));
    if (defines)
      macros.emplace_back(
          name, equals == std::string_view::npos ? "1" : std::string(word.substr(equals + 1)));
    else
      std::erase_if(macros, [&](const auto& macro) { return macro.first == name; });
  }
  return macros;
}

}  // namespace kiln
