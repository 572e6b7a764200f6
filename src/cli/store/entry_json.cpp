#include "cli/store/entry_json.hpp"

#include <nlohmann/json.hpp>

#include "cli/store/open.hpp"

namespace kiln::cli {

nlohmann::ordered_json json_of(const EntryInfo& entry) {
  const Metadata& metadata = entry.metadata;
  nlohmann::ordered_json json{{"key", entry.key.hex()},
                              {"kind", name_of(entry.kind)},
                              {"label", metadata.label},
                              {"size", entry.size},
                              {"cost_seconds", metadata.cost_seconds},
                              {"hits", entry.hits},
                              {"created", iso_date(entry.created)},
                              {"last_used", iso_date(entry.last_used)},
                              {"fingerprint", metadata.fingerprint},
                              {"schema", metadata.schema},
                              {"options", metadata.options},
                              {"build_log", metadata.build_log},
                              {"in_file", entry.in_file},
                              {"made_elsewhere", metadata.made_elsewhere}};
  json["source"] = metadata.source ? metadata.source->hex() : "";
  json["signer"] = metadata.signature ? metadata.signature->signer.hex() : "";
  return json;
}

}  // namespace kiln::cli
