#include "store/local/trust_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/data/text.hpp"
#include "base/log.hpp"
#include "store/layer/entry_form.hpp"

namespace kiln {

const Trust& TrustCheck::trust() {
  if (!trust_) trust_ = default_trust();
  return *trust_;
}

bool TrustCheck::required() {
  const std::lock_guard lock(mutex_);
  return trust().required;
}

void TrustCheck::set_owner_trusted(bool trusted) {
  const std::lock_guard lock(mutex_);
  owner_trusted_ = trusted;
}

/// A list that cannot be read keeps out what came from elsewhere. What was made here would only be
/// made again in every run with another user's HOME.
bool TrustCheck::local_entries_need_signature() { return trust().required && !trust().unreadable; }

std::string TrustCheck::refusal(const RowHead& row, ByteView canonical, ByteView content) {
  const bool elsewhere = row.metadata.made_elsewhere;
  const std::lock_guard lock(mutex_);
  // Without a list, what is unsigned is taken as it is, and its checksums stand for its wholeness.
  if (elsewhere && !trust().required && !row.metadata.signature) return {};
  if (!elsewhere && (owner_trusted_ || !local_entries_need_signature())) return {};
  const Bytes head = encode_head(head_of(row.kind, canonical, content, row.metadata));
  return elsewhere ? trust().refusal(row.metadata.signature, head) : refusal_of_own(row, head);
}

std::string TrustCheck::refusal_of_own(const RowHead& row, ByteView signed_bytes) {
  const auto& signature = row.metadata.signature;
  if (!signature) return "unsigned, but this machine requires signatures";
  if (!own_key_) {
    // Another process may have made it by now.
    auto key = read_machine_key();
    if (!key) return "this machine's key cannot be read: " + key.error().message();
    own_key_ = *std::move(key);
  }
  const PublicKey own = own_key_->public_key();
  if (signature->signer != own)
    return fmt::format("signed by {}, which is not this machine's key", signature->signer.hex());
  return verifies(*signature, signed_bytes) ? "" : "its signature does not verify";
}

void TrustCheck::sign_local_entry(RowHead& row, ByteView canonical, ByteView content) {
  if (row.metadata.made_elsewhere) return;
  row.metadata.signature.reset();
  const std::lock_guard lock(mutex_);
  if (!local_entries_need_signature()) return;
  if (!own_key_) {
    auto key = make_machine_key();
    if (!key) {
      if (!std::exchange(warned_, true))
        log(LogLevel::warning, fmt::format("what is made here is kept unsigned, and not used while "
                                           "{} asks for signatures: {}",
                                           trust().origin, one_line(key.error().message())));
      return;
    }
    own_key_ = *std::move(key);
  }
  row.metadata.signature =
      own_key_->sign(encode_head(head_of(row.kind, canonical, content, row.metadata)));
}

namespace {

/// The content of a sound row, checked.
Expected<Bytes> content_of(Row& row, const BlobFolder& blobs) {
  if (row.head.blob) return blobs.read(*row.head.blob, row.head.size, row.head.checksum);
  if (row.content.size() != row.head.size || xxh3(row.content) != row.head.checksum)
    return fail(Errc::corrupt, "checksum differs");
  return std::move(row.content);
}

}  // namespace

Lookup verified_lookup(Database::Found& found, ByteView canonical, const BlobFolder& blobs,
                       TrustCheck& trust) {
  Row& row = found.row;
  if (found.state == Database::State::absent) return {{}, "no entry"};
  if (found.state == Database::State::damaged) return {{}, "checksum of the row differs"};
  if (!std::ranges::equal(row.canonical, canonical)) return {{}, "key collision"};
  auto content = content_of(row, blobs);
  if (!content)
    return {
        {},
        content.error().code() == Errc::not_found ? missing_content : content.error().message()};
  if (auto refusal = trust.refusal(row.head, canonical, *content); !refusal.empty())
    return {{}, std::move(refusal)};
  // This machine's own signature is for its own store: where the entry goes, it gets another.
  if (!row.head.metadata.made_elsewhere) row.head.metadata.signature.reset();
  return {Entry{*std::move(content), std::move(row.head.metadata)}, {}};
}

}  // namespace kiln
