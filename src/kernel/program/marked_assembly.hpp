#pragma once

#include <optional>
#include <string>
#include <string_view>

// Assembly that the source compiler does not take. NVIDIA's compiler of OpenCL C makes PTX for the
// common part of an architecture (sm_90), and passes inline assembly on to an assembler that
// refuses what the architecture alone has (sm_90a: wgmma, setmaxnreg, tensormap). So a text has
// such an instruction behind a mark, as a comment of the assembly, with its operands as usual:
//
//     asm volatile("//@@ wgmma.fence.sync.aligned;");
//
// The compiler allocates the operands' registers and sees a comment. The program's binary, which is
// PTX text, is then taken without the marks, for the architecture itself, as the program to run
// (build_here), and is what a store keeps. A declaration behind a mark is good for what comes after
// it in its block: so a kernel may have registers and local memory of names that the compiler does
// not know, the latter up to what the device has (232448 bytes where OpenCL says 49152).
namespace kiln {

constexpr std::string_view assembly_mark = "//@@";

/// PTX without its marks and for the architecture itself (".target sm_90" becomes ".target
/// sm_90a"). Nothing where it holds no marks, or is no PTX: other drivers' binaries, and programs
/// whose source has the characters of a mark in a comment of its own.
std::optional<std::string> without_assembly_marks(std::string_view binary);

}  // namespace kiln
