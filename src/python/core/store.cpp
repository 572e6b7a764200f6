// kiln.Store: what the store holds, its upkeep, and packs.
#include "kiln/store.hpp"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <fstream>

#include "kiln/json.hpp"
#include "kiln/prebuild.hpp"
#include "python/core/runtime.hpp"

namespace kiln::python {
namespace {

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

Bytes file_contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw Error(Errc::not_found, path.string() + ": cannot be read");
  Bytes bytes(static_cast<std::size_t>(file.tellg()));
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
    throw Error(Errc::io, path.string() + ": cannot be read");
  return bytes;
}

/// Appears whole or not at all.
void write_file(const std::filesystem::path& path, ByteView bytes) {
  auto aside = path;
  aside += ".new";
  std::ofstream file(aside, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw Error(Errc::io, path.string() + ": cannot be written");
  std::filesystem::rename(aside, path);
}

py::dict export_pack(const Store& store, const std::filesystem::path& file,
                     const std::optional<std::string>& kind,
                     const std::vector<std::string>& devices, const std::vector<std::string>& keys,
                     const std::optional<std::string>& signing_key) {
  const EntryFilter filter = filter_of(kind, devices, keys);
  const auto exported = without_lock([store, filter, file, signing_key] {
    std::optional<SigningKey> key;
    if (signing_key) key = value_or_throw(SigningKey::read(*signing_key));
    ExportedPack pack = store.export_pack(filter, key ? &*key : nullptr);
    write_file(file, pack.pack);
    return pack;
  });
  py::dict report;
  report["entries"] = exported.entries;
  report["bytes"] = exported.pack.size();
  report["left_out"] = exported.left_out.size();
  return report;
}

py::dict import_pack(const Store& store, const std::filesystem::path& file, bool dry_run) {
  const auto counts = without_lock([store, file, dry_run] {
    const Bytes bytes = file_contents(file);
    const auto pack = value_or_throw(read_pack(bytes));
    std::map<std::string, std::uint64_t> made;
    store.import_pack(pack, dry_run ? ImportMode::dry_run : ImportMode::write,
                      [&](const PackEntry&, ImportOutcome outcome, const std::string&) {
                        ++made[name_of(outcome)];
                      });
    return made;
  });
  py::dict report;
  for (const auto outcome : {ImportOutcome::imported, ImportOutcome::present, ImportOutcome::kept,
                             ImportOutcome::refused}) {
    const auto found = counts.find(name_of(outcome));
    report[name_of(outcome)] = found == counts.end() ? 0 : found->second;
  }
  return report;
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
  py::class_<Store>(module, "Store",
                    R"(The local store of programs, plans and records. Thread-safe.

devices: parts of fingerprints; keys: first letters of keys, four at least. What is not given fits
all.)")
      .def(py::init([](const std::optional<std::filesystem::path>& folder) {
             return folder ? Store::open(*folder) : Store::open(default_store_settings());
           }),
           arg("folder") = py::none(), "The store in a folder; None: the user's own.")
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
      .def("export_pack", &export_pack, arg("file"), kind, devices, keys,
           arg("signing_key") = py::none(),
           R"(Writes the entries that fit to a pack; returns a dict of counts.

signing_key: a key file, with which all are signed.)")
      .def("import_pack", &import_pack, arg("file"), arg("dry_run") = false,
           R"(Takes the entries of a pack that this machine trusts; returns a dict of counts.)")
      .def("__repr__", [](const Store& self) { return "<kiln.Store '" + self.folder() + "'>"; });
  runtime.def_property_readonly(
      "store", [](const Runtime& self) { return self.store(); },
      "Store: of its programs; raises BadInputError where it is off");
}

}  // namespace kiln::python
