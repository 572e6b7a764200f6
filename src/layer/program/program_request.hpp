#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/device.hpp"
#include "kernel/request/request.hpp"
#include "kernel/source/units.hpp"

// A program that an application builds, as a Request of the spine.
namespace kiln::layer {

/// The family of programs that applications bring as they are: with their own options, and with no
/// macros of Kiln's.
inline constexpr const char* program_family = "program";

/// What decides what a program becomes, along with the device.
struct ProgramText {
  std::string text;  ///< OpenCL C, the bytes of a SPIR-V module, or text_of_units()
  std::string options;
  /// Constants of a module: number and bytes, the last setting of each.
  std::vector<std::pair<std::uint32_t, std::string>> constants = {};
};

/// The Request of a program for a device. Headers are read and become a part of the text.
/// Errors: unsupported, with the reason, where the driver alone can know what it becomes (the text
/// asks for dates or its own place, a header is not found); those of reading files.
Expected<Request> program_request(const ProgramText& program, const Device& device);

/// The same as a part of a program that is linked of several: `headers` are those that the
/// application embeds; `reads_files`: others were read. Errors: as above, and of SPIR-V.
Expected<Unit> program_unit(const ProgramText& program,
                            std::vector<std::pair<std::string, std::string>> headers,
                            const Device& device, bool& reads_files);

/// A Request of the family with what the environment adds to it, and no text yet.
Request empty_request(const Device& device);
/// A text that program_request() has expanded before, as a part of a Request. Errors: those of
/// reading a module.
Expected<SourcePtr> expanded_source(std::string text, bool is_module);

/// Variables by which a driver compiles in another way, as "NAME=value", sorted: PoCL has some.
std::vector<std::string> compiler_variables();

/// A name for people: the program that runs, or another one, and its first kernel.
std::string program_label(std::string_view text);
std::string program_label(std::string_view text, std::string_view program);
/// The name of a text's first kernel, for people; "SPIR-V" of a module, empty where none is seen.
std::string first_kernel(std::string_view text);

/// The name by which this process is known: its program's file; of an interpreter its script's, if
/// there is one, too.
std::vector<std::string> program_names();

}  // namespace kiln::layer
