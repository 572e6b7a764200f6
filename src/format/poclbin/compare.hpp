#pragma once

#include <string>
#include <vector>

#include "base/digest.hpp"
#include "format/poclbin.hpp"
#include "format/poclbin/wiki.hpp"

/// Are two archives the same code? PoCL's build hash does not say: it is no checksum of contents,
/// and program.bc differs from build to build. Pure, thread-safe.
namespace kiln::poclbin {

/// The identity of a program's code: digest over the sorted files with their contents, program.bc
/// left out, and over what a launch needs of the kernels (names, arguments, local and required
/// sizes). The same for one program in any format version, whatever its build hash.
Digest code_id(const Archive& archive);

/// The identity of all contents: the code's, and program.bc's. Archives of one build hash should
/// have one: PoCL takes them for one program.
Digest content_id(const Archive& archive);

/// One line for each difference, in a stable order.
struct Differences {
  std::vector<std::string> code;   ///< what makes them different code
  std::vector<std::string> other;  ///< what does not: version, build hash, program.bc, order …

  bool same_code() const { return code.empty(); }
};

/// `first` and `second` are called so in the lines.
Differences diff(const Archive& first, const Archive& second);

/// The same where at least one is in the wiki's layout, which holds files only: their bases are
/// left out of account, and so is program.bc.
Differences diff(const wiki::Archive& first, const wiki::Archive& second);

}  // namespace kiln::poclbin
