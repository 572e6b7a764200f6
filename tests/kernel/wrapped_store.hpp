#pragma once

#include <memory>
#include <string>

#include "store/layer.hpp"

namespace kiln::testing {

/// A store that passes every call on: for tests that get in the way of one.
class WrappedStore : public Layer {
 public:
  explicit WrappedStore(std::unique_ptr<Layer> store) : store_(std::move(store)) {}
  std::string name() const override { return store_->name(); }
  Lookup get(Kind kind, const Key& key, ByteView canonical) override {
    return store_->get(kind, key, canonical);
  }
  Expected<void> put(Kind kind, const Key& key, ByteView canonical, ByteView content,
                     const Metadata& metadata) override {
    return store_->put(kind, key, canonical, content, metadata);
  }
  Expected<void> update(Kind kind, const Key& key, ByteView canonical,
                        const Change& change) override {
    return store_->update(kind, key, canonical, change);
  }
  Reservation reserve(const Key& key, std::chrono::milliseconds bound) override {
    return store_->reserve(key, bound);
  }

 private:
  std::unique_ptr<Layer> store_;
};

}  // namespace kiln::testing
