#include "store/scratch_store.hpp"

namespace kiln {

Lookup ScratchStore::get(Kind kind, const Key& key, ByteView canonical) {
  if (kind == Kind::record && base_) return base_->get(kind, key, canonical);
  Lookup lookup = scratch_->get(kind, key, canonical);
  if (lookup.entry || !base_) return lookup;
  return base_->get(kind, key, canonical);
}

}  // namespace kiln
