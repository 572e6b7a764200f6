// Removing rows and files from a local store, a few in a transaction.

#include <sys/stat.h>
#include <unistd.h>

#include <ctime>

#include "store/local_store.hpp"

namespace kiln {
namespace {

template <class T>
using Attempt = sqlite::Attempt<T>;

// Files that are looked at in one transaction.
constexpr std::size_t files_at_once = 64;
// A writer that has not named its file after an hour is dead.
constexpr std::int64_t abandoned_seconds = 3600;

bool is_abandoned(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 &&
         std::time(nullptr) - status.st_mtim.tv_sec > abandoned_seconds;
}

}  // namespace

/// Removes what is there of these, in one transaction, and files that nothing refers to then.
Expected<std::uint64_t> LocalStore::remove_rows(std::span<const Removal> rows) {
  std::uint64_t removed = 0;
  auto done = on_database(Access::write, [&](Database& database) -> Attempt<void> {
    removed = 0;
    if (auto begun = database.begin(); !begun) return begun;
    for (const auto& row : rows) {
      const auto found = database.find(row.kind, row.key);
      if (!found) return tl::unexpected(found.error());
      // Replaced meanwhile: somebody needs it.
      if (found->state == Database::State::sound && found->row.head.created != row.created)
        continue;
      const auto gone = database.remove(row.kind, row.key);
      if (!gone) return tl::unexpected(gone.error());
      removed += *gone;
    }
    return database.commit();
  });
  if (!done) return tl::unexpected(done.error());
  // After the rows: killed in between, files stay that nothing uses, and the next gc finds them.
  std::vector<Digest> blobs;
  for (const auto& row : rows)
    if (row.blob) blobs.push_back(*row.blob);
  if (auto dropped = drop_unused(blobs, Counted::yes); !dropped)
    return tl::unexpected(dropped.error());
  return removed;
}

Expected<BlobFolder::Total> LocalStore::drop_unused(std::span<const Digest> blobs,
                                                    Counted counted) {
  BlobFolder::Total removed;
  if (blobs.empty()) return removed;
  auto done = on_database(Access::write, [&](Database& database) -> Attempt<void> {
    removed = {};
    // Files get their names inside write transactions, too, so none can come into use meanwhile.
    if (auto begun = database.begin(); !begun) return begun;
    for (const auto& blob : blobs) {
      const auto used = database.refers_to(blob);
      if (!used) return tl::unexpected(used.error());
      if (*used) continue;
      const auto bytes = blobs_.remove(blob);
      removed.files += bytes > 0;
      removed.bytes += bytes;
    }
    if (counted == Counted::yes) {
      const auto bytes = static_cast<std::int64_t>(removed.bytes);
      if (auto noted = database.add_file_bytes(-bytes); !noted) return noted;
    }
    return database.commit();
  });
  if (!done) return tl::unexpected(done.error());
  return removed;
}

void LocalStore::drop_if_unused(const std::optional<Digest>& blob) {
  if (blob) (void)drop_unused({&*blob, 1}, Counted::yes);
}

Expected<BlobFolder::Total> LocalStore::collect() {
  BlobFolder::Total removed;
  std::vector<Digest> unused;
  Expected<void> failed;
  const auto drop = [&] {
    const auto total = drop_unused(unused, Counted::no);
    unused.clear();
    if (!total) return void(failed = tl::unexpected(total.error()));
    removed.files += total->files;
    removed.bytes += total->bytes;
  };
  blobs_.each([&](const Digest* digest, const std::string& path) {
    if (!failed) return;
    if (digest != nullptr) {
      unused.push_back(*digest);  // perhaps: drop_unused() looks
      if (unused.size() == files_at_once) drop();
      return;
    }
    struct stat status {};
    if (!is_abandoned(path) || ::lstat(path.c_str(), &status) != 0 || ::unlink(path.c_str()) != 0)
      return;
    ++removed.files;
    removed.bytes += static_cast<std::uint64_t>(status.st_size);
  });
  if (failed) drop();
  if (!failed) return tl::unexpected(failed.error());
  removed.files += Reservation::collect(folder_);
  return removed;
}

}  // namespace kiln
