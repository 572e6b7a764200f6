#include "store/trust_check.hpp"

#include "store/entry_form.hpp"

namespace kiln {

const Trust& TrustCheck::trust() {
  if (!trust_) trust_ = default_trust();
  return *trust_;
}

bool TrustCheck::required() {
  const std::lock_guard lock(mutex_);
  return trust().required;
}

std::string TrustCheck::refusal(const RowHead& row, ByteView canonical, ByteView content) {
  if (!row.metadata.made_elsewhere) return {};
  const std::lock_guard lock(mutex_);
  // Without a list, what is unsigned is taken as it is, and its checksums stand for its wholeness.
  if (!trust().required && !row.metadata.signature) return {};
  const EntryHead head = head_of(row.kind, canonical, content, row.metadata);
  return trust().refusal(row.metadata.signature, encode_head(head));
}

}  // namespace kiln
