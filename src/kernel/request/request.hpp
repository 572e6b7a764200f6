#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "kernel/request/facts.hpp"
#include "kernel/request/parameters.hpp"
#include "kernel/source/source.hpp"
#include "store/key/canonical.hpp"

// What a front end asks for, and the canonical bytes that its Key is made of.
namespace kiln {

/// What a front end wants. Pure data; holds no geometry (local sizes are variants of an Artifact).
struct Request {
  std::string family;        ///< "source", "blas.gemm", "mesh.par_loop"
  std::int64_t version = 1;  ///< of the family's Generator, raised when its text changes
  Payload payload;           ///< what the text depends on, for the family's Generator
  SourcePtr source;          ///< the program's text; null where the family's Generator makes it
  std::vector<spirv::Setting> constants = {};  ///< of a SPIR-V module, sorted by id
  std::string options;               ///< build options in one spelling (see build_options)
  std::vector<std::string> kernels;  ///< entry points; empty: all
  std::string problem_class;         ///< which Parameters on record apply; not a part of the Key
  /// How large the problem is, in the class's own measure: of several records the nearest applies.
  /// 0: not known. Not a part of the Key.
  std::int64_t problem_size = 0;
  std::string label;  ///< for people: "VectorAdd"; not a part of the Key
};

/// Everything the binary depends on, as canonical bytes: family, version, the payload's facts,
/// source (length and digest after include expansion, or of a SPIR-V module, and the values of its
/// constants), options, entry points, Parameters, device
/// fingerprint.
Bytes canonical_request(const Request& request, const Parameters& parameters, const Device& device);

/// One spelling of build options: macros sorted by name (the last definition of a name wins), then
/// the other options in their order, single blanks. Blanks that C does not need are left out of
/// values ("16 * 16" is 16*16); what holds others or quotes is refused.
Expected<std::string> build_options(const std::vector<std::pair<std::string, std::string>>& macros,
                                    const std::vector<std::string>& others);

/// Sets a Request's source and options: as build_options(), but values that hold blanks or quotes,
/// which drivers split and read differently, become #define lines before the source's text. Errors:
/// bad_input for a name that is no macro's and for a value of several lines.
Expected<void> set_source(Request& request, SourcePtr source,
                          const std::vector<std::pair<std::string, std::string>>& macros,
                          const std::vector<std::string>& others);

}  // namespace kiln
