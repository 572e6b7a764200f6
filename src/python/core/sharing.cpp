// Ways of the store to other machines: packs, packages of Debian, signatures, the shared store.
#include <fcntl.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "kiln/prebuild.hpp"
#include "python/core/store.hpp"

namespace kiln::python {
namespace {

Bytes file_contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw Error(Errc::not_found, path.string() + ": cannot be read");
  if (!std::filesystem::is_regular_file(path))
    throw Error(Errc::bad_input, path.string() + ": it is no file, expected one");
  Bytes bytes(static_cast<std::size_t>(file.tellg()));
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
    throw Error(Errc::io, path.string() + ": cannot be read");
  return bytes;
}

/// Appears whole or not at all.
void write_file(const std::filesystem::path& path, ByteView bytes) {
  if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path))
    throw Error(Errc::bad_input, path.string() + ": it is no file, expected one or a new name");
  auto aside = path;
  aside += ".new-" + std::to_string(::getpid());
  std::ofstream file(aside, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  file.close();
  std::error_code failed;
  if (file) std::filesystem::rename(aside, path, failed);
  if (!file || failed) {
    ::unlink(aside.c_str());
    throw Error(Errc::io, path.string() + ": cannot be written");
  }
}

/// A new file that only its owner may read: the key in a file that is there could not be recovered.
void save_key(const SigningKey& key, const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0)
    throw Error(
        errno == EEXIST ? Errc::bad_input : Errc::io,
        path.string() + ": " +
            (errno == EEXIST ? "is there already, expected a new file" : std::strerror(errno)));
  const std::string text = key.text();
  const bool is_complete = ::write(file, text.data(), text.size()) == std::ssize(text);
  if (::close(file) == 0 && is_complete) return;
  ::unlink(path.c_str());
  throw Error(Errc::io, path.string() + ": cannot be written");
}

/// A key, or the file of one.
std::optional<SigningKey> key_of(const py::object& key) {
  if (key.is_none()) return std::nullopt;
  if (py::isinstance<SigningKey>(key)) return key.cast<SigningKey>();
  return value_or_throw(SigningKey::read(key.cast<std::filesystem::path>().string()));
}

const SigningKey* address_of(const std::optional<SigningKey>& key) { return key ? &*key : nullptr; }

py::list reasons_of(const std::vector<ExportedPack::LeftOut>& left_out) {
  py::list reasons;
  for (const auto& entry : left_out) {
    using py::arg;
    reasons.append(py::dict(arg("kind") = name_of(entry.kind), arg("key") = entry.key.hex(),
                            arg("reason") = entry.reason));
  }
  return reasons;
}

py::dict export_pack(const Store& store, const std::filesystem::path& file,
                     const std::optional<std::string>& kind,
                     const std::vector<std::string>& devices, const std::vector<std::string>& keys,
                     const py::object& signing_key) {
  const auto exported = without_lock(
      [store, file, filter = filter_of(kind, devices, keys), key = key_of(signing_key)] {
        ExportedPack pack = store.export_pack(filter, address_of(key));
        write_file(file, pack.pack);
        return pack;
      });
  using py::arg;
  return py::dict(arg("entries") = exported.entries, arg("contents") = exported.contents,
                  arg("bytes") = exported.pack.size(), arg("left_out") = exported.left_out.size(),
                  arg("reasons") = reasons_of(exported.left_out));
}

py::dict export_system(const Store& store, const std::filesystem::path& file,
                       const std::optional<std::string>& kind,
                       const std::vector<std::string>& devices,
                       const std::vector<std::string>& keys, const std::string& package,
                       const std::string& version, const std::optional<std::string>& maintainer,
                       const py::object& signing_key) {
  SystemPackage about;
  about.name = package;
  about.version = version;
  if (maintainer) about.maintainer = *maintainer;
  const auto exported = without_lock(
      [store, file, about, filter = filter_of(kind, devices, keys), key = key_of(signing_key)] {
        return store.export_system(file, filter, about, address_of(key));
      });
  using py::arg;
  return py::dict(arg("name") = exported.name, arg("version") = exported.version,
                  arg("architecture") = exported.architecture, arg("entries") = exported.entries,
                  arg("bytes") = exported.bytes, arg("left_out") = exported.left_out.size(),
                  arg("reasons") = reasons_of(exported.left_out));
}

py::dict import_pack(const Store& store, const std::filesystem::path& file, bool dry_run) {
  const auto counts = without_lock([store, file, dry_run] {
    const Bytes bytes = file_contents(file);
    const auto mode = dry_run ? ImportMode::dry_run : ImportMode::write;
    std::map<std::string, std::uint64_t> made;
    std::vector<PackEntry> others;
    for (const PackEntry& entry : value_or_throw(read_pack(bytes)))
      if (const auto outcome = import_used(store, entry, mode))
        ++made[name_of(*outcome)];
      else
        others.push_back(entry);
    store.import_pack(others, mode,
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

std::size_t sign(const std::filesystem::path& file, const py::object& key, const py::object& to) {
  const std::filesystem::path output = to.is_none() ? file : to.cast<std::filesystem::path>();
  if (key.is_none())
    throw Error(Errc::bad_input, "found None, expected a SigningKey or the file of one");
  return without_lock([file, output, with = *key_of(key)] {
    const Bytes bytes = file_contents(file);
    write_file(output, value_or_throw(sign_pack(bytes, with)));
    return value_or_throw(read_pack(bytes)).size();
  });
}

py::list verify_pack(const std::filesystem::path& file) {
  using py::arg;
  const auto bytes = std::make_shared<Bytes>();
  const auto entries = without_lock([file, bytes] {
    *bytes = file_contents(file);
    return value_or_throw(read_pack(*bytes));
  });
  const Trust trust = default_trust();
  py::list all;
  for (const PackEntry& entry : entries) {
    const Metadata& metadata = entry.head.metadata;
    const std::string refusal = refusal_of(entry, trust);
    all.append(py::dict(arg("key") = entry.head.key.hex(), arg("kind") = name_of(entry.head.kind),
                        arg("label") = metadata.label, arg("size") = entry.head.size,
                        arg("fingerprint") = metadata.fingerprint,
                        arg("cost_seconds") = metadata.cost_seconds,
                        arg("signer") = entry.signature ? entry.signature->signer.hex() : "",
                        arg("trusted") = refusal.empty(), arg("reason") = refusal));
  }
  return all;
}

const char* state_name(Transfer::State state) {
  constexpr const char* names[] = {"done", "present", "refused", "failed", "not_tried"};
  return names[static_cast<std::size_t>(state)];
}

using Move = TransferSummary (Store::*)(const TransferOptions&) const;

template <Move move>
py::dict transfer(const Store& store, const std::optional<std::string>& kind,
                  const std::vector<std::string>& devices, const std::vector<std::string>& keys) {
  using py::arg;
  struct Result {
    TransferSummary summary;
    std::vector<Transfer> news;
  };
  const auto result = without_lock([store, filter = filter_of(kind, devices, keys)] {
    Result made;
    TransferOptions options{.filter = filter};
    options.report = [&made](const Transfer& entry, std::size_t) {
      if (entry.state != Transfer::State::done && entry.state != Transfer::State::present)
        made.news.push_back(entry);
    };
    made.summary = (store.*move)(options);
    return made;
  });
  py::list news;
  for (const Transfer& entry : result.news)
    news.append(py::dict(arg("state") = state_name(entry.state), arg("kind") = name_of(entry.kind),
                         arg("key") = entry.key.hex(), arg("reason") = entry.reason));
  const TransferSummary& all = result.summary;
  return py::dict(arg("shared_store") = all.where, arg("done") = all.done, arg("bytes") = all.bytes,
                  arg("present") = all.present, arg("refused") = all.refused,
                  arg("failed") = all.failed, arg("not_tried") = all.not_tried,
                  arg("reasons") = news);
}

void bind_keys(py::module_& module) {
  using py::arg;
  py::class_<SigningKey>(module, "SigningKey",
                         R"(The secret half of a key pair (Ed25519) that entries are signed with.)")
      .def_static("generate", &SigningKey::generate, "A new pair, from the system's randomness.")
      .def_static(
          "read",
          [](const std::filesystem::path& file) {
            return value_or_throw(SigningKey::read(file.string()));
          },
          arg("file"), "Of a file that only its owner may read.")
      .def("save", &save_key, arg("file"),
           "Writes it to a new file that only its owner may read; never over another one.")
      .def_property_readonly(
          "public_key", [](const SigningKey& self) { return self.public_key().hex(); },
          "str: 64 letters, a line for the trusted-keys file of machines that are to take entries")
      .def("__repr__", [](const SigningKey& self) {
        return "<kiln.SigningKey of " + self.public_key().hex().substr(0, 16) + ">";
      });
  module.def("sign_pack", &sign, arg("file"), arg("key"), arg("output") = py::none(),
             R"(Signs every entry of a pack with a SigningKey or the file of one; returns how many.

output: another file than the pack itself.)");
  module.def("verify_pack", &verify_pack, arg("file"),
             R"(What is in a pack, checked: list of dict, an entry each.

key, kind, label, size, fingerprint, cost_seconds, signer, and whether this machine trusts it, or the
reason why not.)");
}

}  // namespace

void bind_sharing(py::module_& module, StoreClass& store) {
  using py::arg;
  bind_keys(module);
  const auto kind = arg("kind") = py::none();
  const auto devices = arg("devices") = std::vector<std::string>();
  const auto keys = arg("keys") = std::vector<std::string>();
  store
      .def("export_pack", &export_pack, arg("file"), kind, devices, keys,
           arg("signing_key") = py::none(),
           R"(Writes the entries that fit to a pack; returns a dict of counts.

signing_key: a SigningKey or a key file, with which all are signed. Entries that are
not taken are damaged, or not to be used here either; reasons say which.)")
      .def("import_pack", &import_pack, arg("file"), arg("dry_run") = false,
           R"(Takes the entries of a pack that this machine trusts; returns a dict of counts.)")
      .def("export_system", &export_system, arg("file"), kind, devices, keys, py::kw_only(),
           arg("package") = "kiln-system-store", arg("version") = "",
           arg("maintainer") = py::none(), arg("signing_key") = py::none(),
           R"(Writes the entries that fit as a package of Debian, which installs a system store.

Returns a dict: what the package is, and counts. Needs dpkg.)")
      .def("push", &transfer<&Store::push>, kind, devices, keys,
           R"(Sends the entries that fit to the shared store; returns a dict of counts.

reasons: a dict for each entry that did not arrive. Raises BadInputError where there is none.)")
      .def("pull", &transfer<&Store::pull>, kind, devices, keys,
           R"(Brings entries of the shared store that this one lacks, as far as they are trusted.

Returns a dict of counts, as push().)");
}

}  // namespace kiln::python
