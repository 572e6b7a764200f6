#include <cstdlib>
#include <string_view>

#include "store/layer.hpp"

namespace kiln {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

StoreLocation default_store_location() {
  if (const auto own = variable("KILN_STORE"); !own.empty())
    return {own == "off" ? "" : std::string(own), "KILN_STORE"};
  if (const auto cache = variable("XDG_CACHE_HOME"); cache.starts_with('/'))
    return {std::string(cache) + "/kiln", "XDG_CACHE_HOME"};
  if (const auto home = variable("HOME"); home.starts_with('/'))
    return {std::string(home) + "/.cache/kiln", "HOME"};
  return {"", "no home folder"};
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
