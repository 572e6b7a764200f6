#include "cli/store/pack_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/streams.hpp"
#include "base/text.hpp"
#include "cli/failure.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "store/trust.hpp"

namespace kiln::cli {

PackFile read_pack_file(const std::string& path) {
  const EndsAtOnce reading;
  PackFile pack{path, value_or_throw(read_input(path, largest_pack)), {}};
  auto entries = read_pack(pack.bytes);
  // To whom gives the file it is his input that is wrong, whatever the reader calls it (exit code
  // 2).
  if (!entries)
    throw Error(Errc::bad_input, fmt::format("{}: {}", path, entries.error().message()));
  pack.entries = *std::move(entries);
  return pack;
}

int each_pack(const Context& context, const std::function<int(const std::string& path)>& call) {
  int code = 0;
  for (const std::string& path : context.arguments()) {
    try {
      code = std::max(code, call(path));
    } catch (const Error& error) {
      code = std::max(code, tell_failure(context, path, error));
    }
  }
  return code;
}

SigningKey signing_key_of(const Context& context) {
  if (context.has("key")) return value_or_throw(SigningKey::read(context.text("key")));
  if (auto key = value_or_throw(default_signing_key())) return *key;
  throw Error(Errc::bad_input,
              fmt::format("{}: missing signing key: --key FILE or KILN_SIGNING_KEY names it (kiln "
                          "store key FILE makes one)",
                          context.command().name));
}

nlohmann::ordered_json json_of(const PackFile& pack, const PackEntry& entry) {
  const Metadata& metadata = entry.head.metadata;
  return {{"pack", pack.path},
          {"key", entry.head.key.hex()},
          {"kind", name_of(entry.head.kind)},
          {"label", metadata.label},
          {"size", entry.head.size},
          {"cost_seconds", metadata.cost_seconds},
          {"fingerprint", metadata.fingerprint},
          {"schema", metadata.schema},
          {"signer", entry.signature ? entry.signature->signer.hex() : ""}};
}

std::string name_of(const PackEntry& entry) {
  return fmt::format("{} {} ({})", name_of(entry.head.kind), entry.head.key.digest.brief(),
                     one_line(entry.head.metadata.label));
}

std::string entries_text(std::size_t count) {
  return fmt::format("{} {}", count, count == 1 ? "entry" : "entries");
}

}  // namespace kiln::cli
