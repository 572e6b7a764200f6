#pragma once

#include "kernel/runtime.hpp"
#include "kiln/spec/run.hpp"
#include "schedule/partition.hpp"

/// `kiln verify`: whether a kernel gives the same result whole and split.
namespace kiln::spec {

/// verify() of kiln/spec/run.hpp. Calls `report` for each split when it is known.
void verify_spec(const std::filesystem::path& file, const VerifyOptions& options,
                 const std::vector<Partition>& splits, Runtime::State& runtime,
                 const std::function<void(const Verdict&)>& report);

}  // namespace kiln::spec
