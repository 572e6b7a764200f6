#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// What a Mesh tells of its runs.
namespace kiln::mesh {

/// What went from this part of a distributed mesh to others for a loop's sake.
struct HaloTraffic {
  std::string dat;            ///< whose halo; empty: of all of them
  std::size_t exchanges = 0;  ///< how often it was stale
  std::size_t messages = 0;   ///< to neighbours; those of several Dats are counted for each
  std::size_t bytes = 0;
  double wait_seconds = 0;  ///< on the host, until others' messages were there
  double seconds = 0;       ///< on the host, in all of it: elements to messages and back, waiting
};

/// What one loop, or one operation on the matrices of a name ("multiply K"), did since the Mesh
/// began, or since Mesh::clear_report(). Seconds are the device's where nothing else is said.
/// Kernels that come before an exchange and after it count without what is between them.
struct LoopReport {
  std::string name;
  std::size_t count = 0;
  double seconds = 0;          ///< of its kernels; 0 without Mesh::Options::timing
  double plan_seconds = 0;     ///< of making or fetching its plans, on the host
  double compile_seconds = 0;  ///< of making or fetching its programs, on the host
  std::size_t bytes = 0;       ///< moved, each datum counted once a loop, maps included
  double gigabytes_per_second = 0;
  double share = 0;           ///< of the device's own copy bandwidth; 0 where that was not measured
  std::size_t plan_hits = 0;  ///< plans that came from memory or a store
  std::size_t program_hits = 0;  ///< programs that came from memory or a store
  std::size_t colours = 0;
  /// How it runs: "blocks of 4096 in 3 colours", "atomic"; of products: "rows by 8 lanes".
  std::string form;
  /// Elements that a work-item works on at once, as vectors. With Mesh::Options::timing.
  std::size_t lanes = 1;
  /// Why it is one, where a CPU could have more: "airfoil.c:12: an index that depends on real
  /// numbers". With Mesh::Options::timing.
  std::string lanes_obstacle;
  // Of parts of a distributed mesh.
  std::size_t redundant = 0;       ///< elements of others that each run computes, too
  HaloTraffic halo;                ///< of all Dats: one message to a neighbour is one
  std::vector<HaloTraffic> halos;  ///< by Dat
};

// Of a distributed mesh, from all parts.

/// A figure that each part has.
struct OverParts {
  double least = 0, mean = 0, greatest = 0;
  int rank = 0;  ///< of the first part that has the greatest

  /// The greatest over the mean: so much longer takes all of it than if parts had the same; 1 where
  /// there is nothing.
  double imbalance() const { return mean > 0 ? greatest / mean : 1; }
};

/// A loop, or an operation on matrices, of all parts.
struct PartsLoopReport {
  /// Bytes, messages and redundant elements of all parts together; counts and seconds are the
  /// greatest of a part, gigabytes_per_second are those of all parts in the greatest time, `share`
  /// is the mean, and texts are the first part's.
  LoopReport all;
  OverParts seconds;           ///< of its kernels
  OverParts exchange_seconds;  ///< HaloTraffic::seconds
  OverParts wait_seconds;      ///< those of them that were spent waiting
};

/// How a set lies over the parts.
struct PartsSetReport {
  std::string name;
  std::int64_t elements = 0;  ///< each counted once
  OverParts owned;
  OverParts exec_halo;  ///< copies of others' elements that loops may compute, too
  OverParts halo;       ///< all copies
  OverParts neighbours;
};

/// A map that leads from one element to elements of several parts.
struct PartsMapReport {
  std::string name;
  std::int64_t elements = 0;  ///< of the set that it leads from
  std::int64_t cut = 0;       ///< of them those whose targets are not all of one part
};

struct PartsReport {
  int parts = 1;
  std::vector<PartsLoopReport> loops;
  std::vector<PartsSetReport> sets;  ///< those that are in parts
  std::vector<PartsMapReport> maps;  ///< those between them
  /// Globals brought together, those of several at once counted once: how often, and the seconds
  /// that the host waited for others.
  std::size_t reductions = 0;
  OverParts reduction_seconds;
};

/// What a search for the fastest form of a loop, or of a product with a matrix, came to.
struct LoopTuning {
  std::string name;
  std::size_t configurations = 0, evaluated = 0, failed = 0;
  /// Left out: an earlier process ended while it tried these.
  std::vector<std::string> skipped;
  std::string best;      ///< "FORM=0 LANES=8 …"
  double seconds = 0;    ///< of a run of it
  double faster_by = 1;  ///< than what is used where nothing is on record
};

/// One span of time of Mesh::timeline(), ns on the host's steady clock.
struct TimelineSpan {
  std::string lane;  ///< "host", "messages", or the device's name
  /// The loop's; "multiply K"; "compile: res_calc on DEVICE"; "make: plan of res_calc: …"; "halo of
  /// q, adt before res_calc"; "global rms". Of a loop whose exchange was under way meanwhile
  /// "res_calc (core)", then "res_calc (rest)"; of one that computes what the next one exchanges
  /// "adt_calc (rest)", then "adt_calc (core)".
  std::string name;
  /// kernel, lookup, compile, plan; of parts of a distributed mesh exchange, from the first message
  /// to the last, and wait, while the host could do nothing else.
  std::string category;
  std::int64_t start_ns = 0, end_ns = 0;
  std::string reason;  ///< of a look-up: why it found nothing, or what was done
  int rank = 0;        ///< of the part, in Mesh::timeline_of_parts()
};

}  // namespace kiln::mesh
