#pragma once

#include <string>
#include <vector>

#include "cli/context.hpp"
#include "store/default_store.hpp"

namespace kiln::cli {

/// A layer of the store, for people.
struct LayerName {
  std::string name;    ///< "local", "system", "shared"
  std::string place;   ///< a folder, a URL without its password, or "off"
  std::string origin;  ///< "command line", "KILN_STORE", "default", …
};

/// `local_folder`: the one that is used, which may be another than was asked for.
std::vector<LayerName> layers_of(const Context& context, const StoreSettings& settings,
                                 const std::string& local_folder);

}  // namespace kiln::cli
