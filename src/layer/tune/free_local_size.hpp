#pragma once

#include <string_view>

namespace kiln::layer {

/// Whether the text of a program proves that what a kernel computes cannot depend on how its
/// work-items are grouped: neither it nor a function or macro that it may use names local memory,
/// local or group ids, barriers, functions of groups, atomics, printf, pipes, assembly, compilers'
/// own built-ins, or demands a local size. `text` has no #include left; `options` are the build's.
///
/// Names are what is looked at, in every conditional branch, and where the text does not say which
/// definition a name has (## in a macro, a definition that a macro makes), the answer is false.
bool has_free_local_size(std::string_view text, std::string_view options, std::string_view kernel);

}  // namespace kiln::layer
