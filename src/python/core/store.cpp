// kiln.Store: what the store holds, and its upkeep.
#include "python/core/store.hpp"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "kiln/json.hpp"

namespace kiln::python {

EntryFilter filter_of(const std::optional<std::string>& kind,
                      const std::vector<std::string>& devices,
                      const std::vector<std::string>& keys) {
  EntryFilter filter{{}, devices, keys};
  if (!kind) return filter;
  filter.kind = kind_named(*kind);
  if (!filter.kind)
    throw Error(Errc::bad_input, "kind: found '" + *kind + "', expected artifact, plan or record");
  return filter;
}

namespace {

Store open_store(const std::optional<std::filesystem::path>& folder,
                 const std::optional<std::string>& shared, std::int64_t shared_timeout_ms) {
  if (folder && !shared) return Store::open(*folder);
  StoreSettings settings = default_store_settings();
  if (folder) settings.local = folder->string();
  if (shared) settings.shared = *shared;
  if (shared_timeout_ms > 0) settings.shared_timeout = std::chrono::milliseconds(shared_timeout_ms);
  return Store::open(settings);
}

void bind_entry(py::module_& module) {
  py::class_<EntryInfo>(module, "StoreEntry", "An entry of the store: plain data.")
      .def_property_readonly("key", [](const EntryInfo& self) { return self.key.hex(); })
      .def_property_readonly(
          "kind", [](const EntryInfo& self) { return name_of(self.kind); },
          "str: \"artifact\", \"plan\" or \"record\"")
      .def_property_readonly("label", [](const EntryInfo& self) { return self.metadata.label; })
      .def_readonly("size", &EntryInfo::size, "int: bytes")
      .def_readonly("created", &EntryInfo::created, "int: seconds since 1970, UTC")
      .def_readonly("hits", &EntryInfo::hits)
      .def(
          "to_dict", [](const EntryInfo& self) { return parsed(json_of(self)); },
          "dict: what `kiln store ls --json` says of it")
      .def("__repr__", [](const EntryInfo& self) {
        return "<kiln.StoreEntry " + self.key.hex().substr(0, 12) + " '" + self.metadata.label +
               "'>";
      });
}

}  // namespace

void bind_store(py::module_& module, RuntimeClass& runtime) {
  using py::arg;
  bind_entry(module);
  const auto kind = arg("kind") = py::none();
  const auto devices = arg("devices") = std::vector<std::string>();
  const auto keys = arg("keys") = std::vector<std::string>();
  StoreClass store(module, "Store",
                   R"(The local store of programs, plans and records. Thread-safe.

devices: parts of fingerprints; keys: first letters of keys, four at least. What is not given fits
all.)");
  store
      .def(py::init(&open_store), arg("folder") = py::none(), py::kw_only(),
           arg("shared") = py::none(), arg("shared_timeout_ms") = 0,
           R"(The store in a folder; None: the user's own.

shared: the URL of the fleet's store, for push() and pull(); None: the environment's, of the user's own
store. shared_timeout_ms: what it may add to a call; 0: the environment's.)")
      .def_property_readonly("folder", &Store::folder)
      .def(
          "entries",
          [](const Store& self, const std::optional<std::string>& of_kind,
             const std::vector<std::string>& of_devices, const std::vector<std::string>& of_keys) {
            const auto filter = filter_of(of_kind, of_devices, of_keys);
            return without_lock([self, filter] { return self.entries(filter); });
          },
          kind, devices, keys, "list of StoreEntry: all sound entries that fit")
      .def(
          "entry",
          [](const Store& self, const std::string& key) {
            return without_lock([self, key] { return self.entry(key); });
          },
          arg("key"), "StoreEntry: the one whose key begins so; raises NotFoundError")
      .def(
          "content",
          [](const Store& self, const EntryInfo& entry) {
            const Bytes content = without_lock([self, entry] { return self.content(entry); });
            return py::bytes(reinterpret_cast<const char*>(content.data()), content.size());
          },
          arg("entry"), "bytes: the content, checked")
      .def(
          "facts",
          [](const Store& self, const EntryInfo& entry) {
            return without_lock([self, entry] { return self.facts(entry); });
          },
          arg("entry"), "str: every fact that the key is made of, a line each")
      .def(
          "difference",
          [](const Store& self, const EntryInfo& first, const EntryInfo& second) {
            return without_lock([=] { return self.difference(first, second); });
          },
          arg("first"), arg("second"), "str: the facts in which two entries differ")
      .def(
          "explain",
          [](const Store& self, const EntryInfo& entry) {
            return parsed(json_of(without_lock([self, entry] { return self.explain(entry); })));
          },
          arg("entry"), "dict: what each layer says to an entry, and its nearest relative")
      .def(
          "statistics",
          [](const Store& self) {
            return parsed(json_of(without_lock([self] { return self.statistics(); })));
          },
          "dict: what the store holds, as `kiln store info --json`")
      .def(
          "verify",
          [](const Store& self, bool repair) {
            return parsed(json_of(
                without_lock([self, repair] { return repair ? self.repair() : self.verify(); })));
          },
          arg("repair") = false,
          "dict: what reading every entry has shown; repair: removes what is not whole")
      .def(
          "gc",
          [](const Store& self, const std::optional<std::uint64_t>& max_bytes, bool dry_run) {
            return parsed(json_of(without_lock(
                [self, options = GcOptions{max_bytes, dry_run}] { return self.gc(options); })));
          },
          arg("max_bytes") = py::none(), arg("dry_run") = false,
          "dict: what was removed: of changed drivers, then what saves the least time a byte")
      .def(
          "remove",
          [](const Store& self, const EntryInfo& entry) {
            return without_lock([self, entry] { return self.remove(entry); });
          },
          arg("entry"), "bool: False where it is gone already")
      .def(
          "clear",
          [](const Store& self, const std::optional<std::string>& of_kind,
             const std::vector<std::string>& of_devices, const std::vector<std::string>& of_keys) {
            const auto filter = filter_of(of_kind, of_devices, of_keys);
            return without_lock([self, filter] { return self.clear(filter); });
          },
          kind, devices, keys, "int: removes all entries that fit; how many that were")
      .def("__repr__", [](const Store& self) { return "<kiln.Store '" + self.folder() + "'>"; });
  bind_sharing(module, store);
  bind_prebuild(store, runtime);
  runtime.def_property_readonly(
      "store", [](const Runtime& self) { return self.store(); },
      "Store: of its programs; raises BadInputError where it is off");
}

}  // namespace kiln::python
