#include <cstdlib>
#include <string_view>

#include "base/environment.hpp"
#include "store/layer.hpp"

namespace kiln {

StoreLocation default_store_location() {
  if (const auto own = environment("KILN_STORE"); !own.empty())
    return {own == "off" ? "" : own, "KILN_STORE"};
  const auto folder = user_folder(UserFolder::cache);
  if (folder.empty()) return {"", "no home folder"};
  return {folder.string(), variable_of(UserFolder::cache)};
}

std::string Layer::near_miss(Kind, ByteView) { return {}; }

Reservation Layer::reserve(const Key&, std::chrono::milliseconds) { return {}; }

const char* name_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::artifact:
      return "artifact";
    case Kind::plan:
      return "plan";
    case Kind::record:
      return "record";
  }
  return "unknown";
}

}  // namespace kiln
