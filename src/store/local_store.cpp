#include "store/local_store.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "store/details.hpp"
#include "store/folder.hpp"
#include "store/guarded_call.hpp"
#include "store/verified_lookup.hpp"

namespace kiln {
namespace {

using sqlite::Failure;
using sqlite::Trouble;

template <class T>
using Attempt = sqlite::Attempt<T>;

std::int64_t seconds_since_1970() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

RowHead head_of(Kind kind, const Key& key, const Metadata& metadata, ByteView content) {
  RowHead head{kind,          key, kept_metadata(metadata), seconds_since_1970(), content.size(),
               xxh3(content), {}};
  if (content.size() > LocalStore::largest_inline) head.blob = blake2b(content);
  return head;
}

Expected<void> check_sizes(ByteView canonical, const Metadata& metadata) {
  const auto check = [](const char* what, std::size_t size, std::size_t limit) -> Expected<void> {
    if (size <= limit) return {};
    return fail(Errc::bad_input, fmt::format("not stored: the {} has {} bytes; at most {} are kept",
                                             what, size, limit));
  };
  auto checked = check("entry's key", canonical.size(), LocalStore::largest_canonical);
  if (checked) checked = check("label", metadata.label.size(), LocalStore::largest_text);
  if (checked)
    checked = check("fingerprint", metadata.fingerprint.size(), LocalStore::largest_text);
  return checked;
}

/// Absolute, so that a later change of the working folder does not split the store in two.
std::string absolute_folder(const std::string& folder) {
  std::error_code error;
  const auto path =
      folder.empty() ? std::filesystem::path() : std::filesystem::absolute(folder, error);
  return error ? folder : path.string();
}

}  // namespace

LocalStore::LocalStore(const std::string& folder)
    : folder_(absolute_folder(folder)), blobs_(folder_) {
  watch();
}
LocalStore::~LocalStore() {
  write_uses();
  close();
  unwatch();
}

Lookup LocalStore::get(Kind kind, const Key& key, ByteView canonical) {
  try {
    Lookup found = look_up(kind, key, canonical);
    if (found.entry) uses_.note(kind, key, seconds_since_1970());
    return found;
  } catch (const std::exception& problem) {
    return {{}, std::string("store: ") + problem.what()};
  }
}

Lookup LocalStore::look_up(Kind kind, const Key& key, ByteView canonical) {
  Lookup answer;
  // A writer may replace the entry, and remove its file, between our two steps: look again.
  for (int attempt = 0; attempt < 3; ++attempt) {
    Database::Found found;
    std::string set_aside;
    const auto done = on_database(Access::read, [&](Database& database) -> Attempt<void> {
      set_aside = set_aside_;
      auto result = database.find(kind, key);
      if (!result) return tl::unexpected(result.error());
      found = *std::move(result);
      return {};
    });
    if (!done) return {{}, done.error().message()};
    const bool in_file = found.row.head.blob.has_value();
    answer = verified_lookup(found, canonical, blobs_, trust_);
    if (found.state == Database::State::absent && !set_aside.empty())
      answer.reason += "; the damaged database was set aside as " + set_aside;
    if (answer.entry || !in_file || answer.reason != missing_content) break;
  }
  return answer;
}

Reservation LocalStore::reserve(const Key& key, std::chrono::milliseconds bound) {
  return Reservation::acquire(folder_, key, bound);
}

Expected<void> LocalStore::put(Kind kind, const Key& key, ByteView canonical, ByteView content,
                               const Metadata& metadata) {
  return guarded([&]() -> Expected<void> {
    if (auto checked = check_sizes(canonical, metadata); !checked) return checked;
    RowHead head = head_of(kind, key, metadata, content);
    trust_.sign_local_entry(head, canonical, content);
    auto done = insert(head, canonical, content);
    if (done && uses_.due(seconds_since_1970())) write_uses();
    if (done && limit_ != 0) keep_within_limit();
    return done;
  });
}

Expected<void> LocalStore::insert(const RowHead& head, ByteView canonical, ByteView content) {
  std::optional<AtomicFile> staged;
  if (head.blob) {
    // The long part, writing the file, is done before anybody has to wait for us.
    if (auto folder = check_store_folder(folder_, FolderUse::make); !folder)
      return tl::unexpected(error_of({Trouble::refused, folder.error().message()}));
    auto file = blobs_.stage(*head.blob, content);
    if (!file) return tl::unexpected(error_of({Trouble::refused, file.error().message()}));
    staged.emplace(*std::move(file));
  }
  std::optional<Digest> replaced;
  const auto work = [&](Database& database) -> Attempt<void> {
    if (auto begun = database.begin(); !begun) return begun;
    auto old = database.find(head.kind, head.key);
    if (!old) return tl::unexpected(old.error());
    if (old->state == Database::State::sound) replaced = old->row.head.blob;
    if (auto named = name_blob(database, head, content, staged); !named) return named;
    auto stored = database.store(head, canonical, head.blob ? ByteView() : content);
    return stored ? database.commit() : stored;
  };
  auto done = on_database(Access::write, work);
  if (done && replaced != head.blob) drop_if_unused(replaced);
  return done;
}

Expected<void> LocalStore::update(Kind kind, const Key& key, ByteView canonical,
                                  const Change& change) {
  return guarded([&]() -> Expected<void> {
    std::optional<Digest> replaced, written;
    Expected<void> checked;
    const auto work = [&](Database& database) -> Attempt<void> {
      if (auto begun = database.begin(); !begun) return begun;
      auto old = database.find(kind, key);
      if (!old) return tl::unexpected(old.error());
      if (old->state == Database::State::sound) replaced = old->row.head.blob;
      written = replaced;
      const auto present = verified_lookup(*old, canonical, blobs_, trust_).entry;
      auto entry = change(present);
      // What came from elsewhere has passed what this machine asks for; what was added is its own.
      if (entry && present && entry->metadata.made_elsewhere && !entry->metadata.signature)
        entry->metadata.made_elsewhere = !trust_.required();
      if (process_ != ::getpid()) {
        // SQLite's own notes, copied into this child, say that the lock on the file is held.
        given_up_ = "the process was forked inside an update";
        return tl::unexpected(Failure{Trouble::refused, given_up_});
      }
      if (entry) checked = check_sizes(canonical, entry->metadata);
      if (!entry || !checked) return database.commit();
      RowHead head = head_of(kind, key, entry->metadata, entry->content);
      trust_.sign_local_entry(head, canonical, entry->content);
      written = head.blob;
      std::optional<AtomicFile> staged;
      if (auto named = name_blob(database, head, entry->content, staged); !named) return named;
      auto stored =
          database.store(head, canonical, head.blob ? ByteView() : ByteView(entry->content));
      return stored ? database.commit() : stored;
    };
    auto done = on_database(Access::write, work);
    if (done && replaced != written) drop_if_unused(replaced);
    if (done && limit_ != 0) keep_within_limit();
    return done ? checked : done;
  });
}

Attempt<void> LocalStore::name_blob(Database& database, const RowHead& head, ByteView content,
                                    std::optional<AtomicFile>& staged) const {
  if (!head.blob) return {};
  const auto known = database.refers_to(*head.blob);
  if (!known) return tl::unexpected(known.error());
  if (!*known) {
    const auto counted = database.add_file_bytes(static_cast<std::int64_t>(head.size));
    if (!counted) return counted;
  }
  if (!staged) {
    auto file = blobs_.stage(*head.blob, content);
    if (!file) return tl::unexpected(Failure{Trouble::refused, file.error().message()});
    staged.emplace(*std::move(file));
  }
  const auto named = staged->commit();
  staged.reset();
  if (named) return {};
  // The whole folder may have been removed since the file was written: begin again in a new one.
  const bool gone = named.error().code() == Errc::not_found;
  return tl::unexpected(Failure{gone ? Trouble::moved : Trouble::refused, named.error().message()});
}

std::unique_ptr<Layer> open_local_store(const std::string& folder) {
  return std::make_unique<LocalStore>(folder);
}

}  // namespace kiln
