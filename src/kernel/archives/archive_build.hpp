#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "kernel/program/program.hpp"
#include "kernel/source/source.hpp"

// Archives of PoCL for people, and the proof that they start without a compiler.
namespace kiln {

/// What an archive for people (not for the store) shall hold.
struct ArchiveBuild {
  SourcePtr source;
  std::string options;               ///< build options (see build_options)
  std::vector<std::string> kernels;  ///< that get variants; empty: all
  /// Work-group shapes. A kernel with a required size gets that one only.
  std::vector<std::array<std::uint32_t, 3>> local_sizes;
  bool large_grids = false;   ///< also variants for grids of 65,535 work-items and more
  bool with_offset = false;   ///< also variants for launches with a global offset
  bool keep_bitcode = false;  ///< keep program.bc: other sizes are then compiled at their launch
  std::filesystem::path intermediates;  ///< a new folder that gets all the driver made; empty: none
  std::string label;                    ///< for messages
};

/// One launch of the proof. A kernel may not survive made-up arguments; whether a compiler was
/// needed shows all the same.
struct ProvenStart {
  std::string kernel, variant;  ///< as in the archive's paths: "64-1-1-goffs0-smallgrid"
  enum class Outcome { ran, died, hung, skipped } outcome = Outcome::skipped;
  std::string detail;             ///< the signal, or why it was skipped
  double seconds = 0;             ///< from the start of a new process to its end, if it ran
  std::vector<std::string> made;  ///< files that the driver made for it: none without a compiler
};

struct BuiltArchive {
  Bytes bytes;
  std::vector<KernelVariant> variants;
  std::vector<ProvenStart> starts;
};

/// Makes an archive of PoCL for a device of this machine that starts without a compiler: it holds
/// the wanted variants and each kernel's generic function, and no bitcode, so that the driver uses
/// the generic function for all other local sizes (unless keep_bitcode). Errors: build (with the
/// log), unsupported (not PoCL's device, no helper), bad_input (a kernel or size that does not
/// fit), timeout, io.
Expected<BuiltArchive> build_archive(const Device& device, const ArchiveBuild& build);

/// Launches variants of an archive in processes of their own, with an empty cache and a PATH in
/// which no compiler or linker is, and notes what the driver put into its cache besides the
/// archive's own files. Variants that the archive does not hold may be asked for, too.
Expected<std::vector<ProvenStart>> prove_starts(const Device& device, ByteView archive,
                                                std::vector<KernelVariant> variants);

/// Whether each launch was tried, and no launch needed a compiler.
bool starts_without_compiler(const std::vector<ProvenStart>& starts);

}  // namespace kiln
