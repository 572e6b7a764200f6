#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/layer/layer.hpp"

// Stores that are made of other layers: the usual one, and one for trials.
namespace kiln {

/// Several layers as one: a local one that is written to, and others below it that are asked in
/// order where it has nothing (the system's, which a package ships; the fleet's). Each may be
/// absent. A layer that fails answers with a miss and its reason, so that the next one is asked;
/// how long a layer may take is its own promise.
class LayeredStore final : public Layer {
 public:
  struct Below {
    std::unique_ptr<Layer> layer;
    bool copied = false;   ///< what it answers is kept in the local layer
    bool written = false;  ///< what the local layer keeps goes there, too
  };
  /// `local` may be null: then nothing is kept on this machine.
  LayeredStore(std::unique_ptr<Layer> local, std::vector<Below> below);

  std::string name() const override { return "store"; }
  /// The trail has an answer of each layer that was asked.
  Lookup get(Kind kind, const Key& key, ByteView canonical) override;
  /// Fails where the local layer does. That another layer did not take the entry is logged by it.
  Expected<void> put(Kind kind, const Key& key, ByteView canonical, ByteView content,
                     const Metadata& metadata) override;
  Expected<void> update(Kind kind, const Key& key, ByteView canonical,
                        const Change& change) override;
  std::string near_miss(Kind kind, ByteView canonical) override;
  Reservation reserve(const Key& key, std::chrono::milliseconds bound) override;
  Expected<void> check_writable() override {
    return local_ ? local_->check_writable() : Expected<void>();
  }
  void settle() override {
    if (local_) local_->settle();
  }
  void rest() override {
    if (local_) local_->rest();
    for (const Below& one : below_) one.layer->rest();
  }

  Layer* local() const { return local_.get(); }
  const std::vector<Below>& below() const { return below_; }

 private:
  void write_below(Kind kind, const Key& key, ByteView canonical, ByteView content,
                   const Metadata& metadata);
  std::unique_ptr<Layer> local_;
  std::vector<Below> below_;
};

/// A store for trying things out: what starts programs and launches is read from the base, too, but
/// written only to a folder that goes when the trials end; records are the base's. So that a search
/// among thousands of candidates fills no user's store and sends nothing to a fleet. Without a base
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
