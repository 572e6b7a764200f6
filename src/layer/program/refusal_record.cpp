#include "layer/program/refusal_record.hpp"

#include <fmt/format.h>

namespace kiln::layer {
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
