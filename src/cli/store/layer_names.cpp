#include "cli/store/layer_names.hpp"

#include "store/layer.hpp"

namespace kiln::cli {
namespace {

std::string origin_of(const Context& context, std::string_view option, std::string otherwise) {
  return context.text(option).empty() ? std::move(otherwise) : context.origin(option).text();
}

/// A URL may be shown to others: without what stands between // and @.
std::string without_password(const std::string& url) {
  const auto start = url.find("://");
  const auto at = url.rfind('@');
  if (start == url.npos || at == url.npos || at < start) return url;
  return url.substr(0, start + 3) + "…" + url.substr(at);
}

std::string or_off(const std::string& place) { return place.empty() ? "off" : place; }

}  // namespace

std::vector<LayerName> layers_of(const Context& context, const StoreSettings& settings,
                                 const std::string& local_folder) {
  std::string local_origin = origin_of(context, "store", default_store_location().origin);
  if (local_folder != settings.local)
    local_origin += ": " + settings.local + " is on a network file system";
  return {{"local", or_off(local_folder), local_origin},
          {"system", or_off(settings.system), origin_of(context, "system-store", "default")},
          {"shared", or_off(without_password(settings.shared)),
           origin_of(context, "shared-store", "default")}};
}

}  // namespace kiln::cli
