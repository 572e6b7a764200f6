#include "store/trust_check.hpp"

#include "store/entry_form.hpp"

namespace kiln {

std::string TrustCheck::refusal(const RowHead& row, ByteView canonical, ByteView content) {
  if (!row.metadata.made_elsewhere) return {};
  const std::lock_guard lock(mutex_);
  if (!trust_) trust_ = default_trust();
  // Without a list, what is unsigned is taken as it is, and its checksums stand for its wholeness.
  if (!trust_->required && !row.metadata.signature) return {};
  const EntryHead head = head_of(row.kind, canonical, content, row.metadata);
  return trust_->refusal(row.metadata.signature, encode_head(head));
}

}  // namespace kiln
