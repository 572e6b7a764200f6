#pragma once

#include "kiln/graph.hpp"
#include "schedule/graph_run/work.hpp"

namespace kiln::graph {

/// A function of the application.
class HostWork final : public Work {
 public:
  HostWork(Graph::HostFunction function, std::vector<Use> uses)
      : function_(std::move(function)), uses_(std::move(uses)) {}

  const std::string& name() const override { return name_; }
  const std::vector<Use>& uses() const override { return uses_; }
  const Bytes& kind() const override { return kind_; }
  std::unique_ptr<Runner> prepare(Resolver&, const Queue&) const override { return nullptr; }
  bool runs_on_host() const override { return true; }
  void run_on_host(std::span<const std::span<std::byte>> memory) const override {
    function_(memory);
  }

 private:
  Graph::HostFunction function_;
  std::vector<Use> uses_;
  std::string name_ = "function of the host";
  Bytes kind_;  // no time is kept of them
};

}  // namespace kiln::graph
