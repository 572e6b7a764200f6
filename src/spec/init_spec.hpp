#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernel/source/source.hpp"
#include "kiln/spec/file.hpp"

/// `kiln init`: a specification file for a kernel, made from its source.
namespace kiln::spec {

/// What a new specification file is made from.
struct InitRequest {
  SourcePtr source;
  std::string src;     ///< as the file names the source
  std::string kernel;  ///< empty: the only one
  std::vector<std::pair<std::string, std::string>> macros;
};

/// A specification file for a kernel, as far as its text says: its arguments with their types and
/// what is done with them, the dimensions, a required work-group size. What only its user knows
/// (sizes, values) is marked (fill_in_mark). Errors: bad_input where there is no such kernel, or
/// several and none is named; unsupported for arguments that these files cannot describe.
struct InitFile {
  std::string kernel, text;
  std::size_t marks = 0;  ///< how much is to be filled in
};
Expected<InitFile> init_spec(const InitRequest& request);

}  // namespace kiln::spec
