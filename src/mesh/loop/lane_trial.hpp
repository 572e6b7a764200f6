#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/context.hpp"
#include "kernel/resolver/resolver.hpp"
#include "kiln/mesh/distribution.hpp"
#include "mesh/codegen/built_ins.hpp"

namespace kiln::mesh {

/// Tries built-in functions on vectors of `lanes` numbers, all in one program, which goes through
/// the Resolver: which of them keep lanes apart, by BuiltIn::name(lanes). A function of which one
/// evaluation takes far too long does not hold, either. Takes one small compile, then milliseconds.
/// Never throws: where the trial fails nothing holds, and that does not last (Finding::lasts).
///
/// @param prelude as lane_probe_text() takes it.
/// @param explanation of the program; may be null.
Findings try_lanes(Resolver& resolver, const ContextPtr& context, const DevicePtr& device,
                   const std::vector<BuiltIn>& built_ins, int lanes, std::string_view prelude = {},
                   Explanation* explanation = nullptr);

/// What was found of the built-in functions of a loop's kernel.
struct LanesFound {
  std::vector<std::string> notes;    ///< for its explanation: those called for each lane, and why
  std::optional<Explanation> trial;  ///< of the program that tried them, where one ran
  bool has_asked = false;            ///< false: it names none, or works on one element at a time
};

/// Gives a Request of a loop (make_request), whose Parameters are chosen, those of its kernel's
/// built-in functions that the device's driver keeps apart on vectors: what is not known of them
/// is tried now, and kept in the Resolver's findings. Nothing to do where the loop does not work on
/// several elements at once, or names none.
LanesFound find_lanes(Request& request, const Parameters& parameters, Resolver& resolver,
                      const ContextPtr& context, const DevicePtr& device);

/// Which of a kernel's built-in functions a Request calls on vectors, as bits in the order of
/// built_ins_of(); those beyond the 64th share the last one. And the Request without those whose
/// bits are not set: parts of a mesh agree on them, since functions may round otherwise on vectors,
/// and parts compute elements of others.
std::uint64_t lane_bits(const Request& request);
void keep_lanes(Request& request, std::uint64_t lanes);
/// The bits that all parts of a mesh have; they all call it.
std::uint64_t common_lanes(Transport& transport, std::string_view kernel, std::uint64_t mine);

}  // namespace kiln::mesh
