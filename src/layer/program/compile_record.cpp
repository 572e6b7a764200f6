#include "layer/program/compile_record.hpp"

#include <fmt/format.h>

#include "layer/program/program_request.hpp"

namespace kiln::layer {
namespace {

// Parts that compile.

constexpr std::uint32_t schema = 1;

Bytes canonical_for(const Unit& unit, const Device& device) {
  return canonical_of_compiled(unit, device.fingerprint(),
                               device.pocl ? compiler_variables() : std::vector<std::string>());
}

}  // namespace

Bytes canonical_of_compiled(const Unit& unit, const std::string& fingerprint,
                            const std::vector<std::string>& variables) {
  CanonicalWriter writer("compiled part", schema);
  writer.digest("part", blake2b(as_bytes(text_of_units({unit})))).text("device", fingerprint);
  for (const auto& variable : variables) writer.text("variable", variable);
  return writer.view();
}

std::optional<std::string> compiled_log(Layer& store, const Unit& unit, const Device& device) {
  const Bytes canonical = canonical_for(unit, device);
  const auto found = store.get(Kind::record, key_of(canonical), canonical);
  if (!found.entry || found.entry->metadata.schema != schema) return std::nullopt;
  return std::string(as_text(found.entry->content));
}

Expected<void> keep_compiled(Layer& store, const Unit& unit, const Device& device,
                             const std::string& log) {
  const Bytes canonical = canonical_for(unit, device);
  const auto change = [&](const std::optional<Entry>& present) -> std::optional<Entry> {
    if (present) return std::nullopt;
    const ByteView text = as_bytes(log);
    return Entry{Bytes(text.begin(), text.end()),
                 {schema, fmt::format("that {} compiles", program_label(unit.text)), {}, 0}};
  };
  return store.update(Kind::record, key_of(canonical), canonical, change);
}

// Programs that are refused.

namespace {

constexpr std::uint32_t refusal_schema = 1;
constexpr std::string_view refused_text = "refused", taken_text = "taken";

Bytes canonical_for(const Key& program) {
  return CanonicalWriter(findings_schema, refusal_schema)
      .text("topic", "refused program")
      .text("program", program.hex())
      .view();
}

}  // namespace

bool is_refused(Layer& store, const Key& program) {
  const Bytes canonical = canonical_for(program);
  const auto found = store.get(Kind::record, key_of(canonical), canonical);
  return found.entry && found.entry->metadata.schema == refusal_schema &&
         as_text(found.entry->content) == refused_text;
}

Expected<void> keep_refused(Layer& store, const Key& program, bool refused,
                            const std::string& label) {
  const Bytes canonical = canonical_for(program);
  const std::string_view text = refused ? refused_text : taken_text;
  return store.put(Kind::record, key_of(canonical), canonical, as_bytes(text),
                   {refusal_schema, fmt::format("whether {} is refused", label), {}, 0});
}

}  // namespace kiln::layer
