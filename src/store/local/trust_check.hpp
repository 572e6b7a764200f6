#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "store/layer/layer.hpp"
#include "store/local/blobs.hpp"
#include "store/local/database.hpp"
#include "store/trust/trust.hpp"

// What a row must fulfil before its entry is handed out.
namespace kiln {

/// Whether entries of a store may be used by this machine: those that were made elsewhere need what
/// Trust asks for, and where there is a list of keys, those that were made here need a signature by
/// this machine's key (store/trust/trust.hpp). List and key are read when they are first needed.
/// Thread-safe.
class TrustCheck {
 public:
  TrustCheck() = default;
  explicit TrustCheck(Trust trust) : trust_(std::move(trust)) {}

  /// Empty: it may. The row's content is verified against its checksum already.
  std::string refusal(const RowHead& head, ByteView canonical, ByteView content);
  /// Signs an entry that is about to be kept as made here, where there is a list of keys; it loses
  /// a signature otherwise. One line in the log where there can be no key to sign with.
  void sign_local_entry(RowHead& head, ByteView canonical, ByteView content);
  /// Whether there is a list of keys.
  bool required();
  /// Where the store is root's, nothing in it that was made by its owner needs a signature: root
  /// can replace the program that asks.
  void set_owner_trusted(bool trusted);

  /// Around a fork(): the child must not find the lock held by a thread that it does not have.
  void before_fork() { mutex_.lock(); }
  void after_fork() { mutex_.unlock(); }

 private:
  const Trust& trust();
  bool local_entries_need_signature();
  std::string refusal_of_own(const RowHead& head, ByteView signed_bytes);
  std::mutex mutex_;
  std::optional<Trust> trust_;
  std::optional<SigningKey> own_key_;
  bool owner_trusted_ = false, warned_ = false;
};

/// Reason of a miss whose entry was sound: its content's file may have been replaced meanwhile.
inline constexpr const char* missing_content = "the content's file is missing";

/// The entry of a row that was found: row, canonical bytes, sizes and checksums all fit, and this
/// machine trusts its maker, or it is a miss with the reason. Moves out of `found`.
Lookup verified_lookup(Database::Found& found, ByteView canonical, const BlobFolder& blobs,
                       TrustCheck& trust);

}  // namespace kiln
