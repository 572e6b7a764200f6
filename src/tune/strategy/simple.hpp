#pragma once

#include <coroutine>
#include <exception>
#include <utility>

#include "tune/strategy/strategy.hpp"

/// What strategies without a model are made of: coroutines, so that they read like their textbooks.
namespace kiln::tune {

/// The running body of a ScriptedStrategy. Owns its coroutine.
class Script {
 public:
  struct promise_type {
    Script get_return_object() {
      return Script(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { failure = std::current_exception(); }
    std::exception_ptr failure;
  };

  Script() = default;
  Script(Script&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Script& operator=(Script&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Script() {
    if (handle_) handle_.destroy();
  }

  bool started() const { return handle_ != nullptr; }
  /// Runs to its next suspension.
  void resume() {
    if (handle_.done()) return;
    handle_.resume();
    if (handle_.promise().failure) std::rethrow_exception(handle_.promise().failure);
  }

 private:
  explicit Script(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

/// A strategy whose body reads like its textbook: a coroutine that evaluates configurations one
/// after the other with `const Outcome outcome = co_await evaluate(id);`, for ever. What is known
/// already is answered at once and costs no measurement.
class ScriptedStrategy : public Strategy {
 public:
  using Strategy::Strategy;
  bool asks_ahead() const final { return false; }

 protected:
  virtual Script search() = 0;

  /// For co_await: the outcome of one configuration.
  auto evaluate(ConfigurationId id) {
    struct Awaiter {
      ScriptedStrategy& strategy;
      ConfigurationId id;
      bool await_ready() { return strategy.is_known(id); }
      void await_suspend(std::coroutine_handle<>) { strategy.wanted_ = id; }
      Outcome await_resume() { return *strategy.history().find(id); }
    };
    return Awaiter{*this, id};
  }

 private:
  bool is_known(ConfigurationId id);
  std::optional<ConfigurationId> propose() final;

  Script script_;
  std::optional<ConfigurationId> wanted_;  ///< what the script waits for
  int repeats_ = 0;                        ///< known answers since the last new one
};

}  // namespace kiln::tune
