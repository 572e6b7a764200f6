#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "store/layer/fork_guard.hpp"
#include "store/layer/layer.hpp"
#include "store/local/blobs.hpp"
#include "store/local/database.hpp"
#include "store/local/trust_check.hpp"

namespace kiln {

/// A store that is not written while it is used: a package ships it, so that the first run of a
/// fresh install compiles nothing. The same files as the local store's, read without locks and
/// without a journal. The folder and what is in it must belong to root or to this user, and only
/// their owner may write to them. Thread-safe; closed over fork().
class SystemStore final : public Layer, private ForkGuarded {
 public:
  explicit SystemStore(std::string folder);
  ~SystemStore() override;

  std::string name() const override { return "system store"; }
  Lookup get(Kind kind, const Key& key, ByteView canonical) override;
  /// Always an error: unsupported.
  Expected<void> put(Kind, const Key&, ByteView, ByteView, const Metadata&) override;
  Expected<void> update(Kind, const Key&, ByteView, const Change&) override;
  void rest() override;

 private:
  /// These throw sqlite::Failure.
  Database::Found find(Kind kind, const Key& key);
  void make_ready();
  void drop_connection();
  void before_fork() override;
  void after_fork() override;

  const std::string folder_;
  const BlobFolder blobs_;
  TrustCheck trust_;
  std::mutex mutex_;
  std::unique_ptr<Database> database_;
  int process_ = 0;       ///< whose connection it is
  std::string given_up_;  ///< why it is not asked any more, once it is not
};

}  // namespace kiln
