#pragma once

#include <string>

#include "kernel/resolver.hpp"
#include "schedule/job.hpp"
#include "schedule/safety/safety.hpp"
#include "schedule/slices.hpp"

namespace kiln {

/// What runs have shown about splitting one Job: its program (by content, whatever the device),
/// geometry, scalars and buffer sizes. Kept in the store, so that the next process knows.
struct Proof {
  std::string conflict;  ///< where two parts disagreed; empty where none did
  /// Merged runs showed no conflict at cuts (work-groups of dimension 0) that are multiples of
  /// this; 0: nothing is shown.
  std::size_t conflict_free_step = 0;
  Slices slices;  ///< shown by prove_slices
};

Proof load_proof(Resolver& resolver, const Job& job);
/// Puts what is new beside what is known: a conflict wins over its absence, cuts are added, and a
/// buffer stays sliced only while every proof says so.
void add_proof(Resolver& resolver, const Job& job, const Proof& proof);

/// The analysis of a Job's kernel. Generated programs are not analysed: their front ends know how
/// to divide them.
SplitSafety analyse_job(const Job& job);

/// What the text says of the kernel's parameters, without how it uses them; empty where there is no
/// text, or where build options may change it.
std::vector<ParameterUse> parameters_of(const Job& job);

/// Macros of build options (name, value): `-DNAME=VALUE` as build_options() writes them, and
/// `-D NAME`, `-U NAME` and quotes as compilers read them.
std::vector<std::pair<std::string, std::string>> macros_of(std::string_view options);

/// Everything about a Job's geometry and arguments that a run's outcome depends on, but no data.
void write_shape(CanonicalWriter& writer, const Job& job);

}  // namespace kiln
