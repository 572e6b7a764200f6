#pragma once

#include <memory>
#include <string>

#include "store/layer.hpp"

namespace kiln {

/// A store for trying things out: what starts programs and launches is read from the base, too, but
/// written only to a folder that goes when the trials end; records are the base's. So that a search
/// among thousands of candidates fills nobody's store and sends nothing to a fleet. Without a base
/// nothing outlives the folder. Thread-safe as its parts are.
class ScratchStore final : public Layer {
 public:
  /// `base` may be null.
  ScratchStore(const std::string& folder, std::unique_ptr<Layer> base)
      : scratch_(open_local_store(folder)), base_(std::move(base)) {}

  std::string name() const override { return "scratch"; }
  Lookup get(Kind kind, const Key& key, ByteView canonical) override;
  Expected<void> put(Kind kind, const Key& key, ByteView canonical, ByteView content,
                     const Metadata& metadata) override {
    return writer(kind).put(kind, key, canonical, content, metadata);
  }
  Expected<void> update(Kind kind, const Key& key, ByteView canonical,
                        const Change& change) override {
    return writer(kind).update(kind, key, canonical, change);
  }
  std::string near_miss(Kind kind, ByteView canonical) override {
    return writer(kind).near_miss(kind, canonical);
  }
  Reservation reserve(const Key& key, std::chrono::milliseconds bound) override {
    return scratch_->reserve(key, bound);
  }

 private:
  Layer& writer(Kind kind) { return kind == Kind::record && base_ ? *base_ : *scratch_; }

  std::unique_ptr<Layer> scratch_, base_;
};

}  // namespace kiln
