#pragma once

#include <CL/cl.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernel/source/units.hpp"

// clCompileProgram and clLinkProgram of a program's parts.
namespace kiln {

/// Compiles a part: `program` has its text, for all of its devices.
cl_int compile_unit(cl_context context, cl_program program, const Unit& unit);

/// The build log of a program as the driver has it; empty where it cannot be asked.
std::string driver_log(cl_program program, cl_device_id device);
/// The same of a program that was compiled. Nothing where that names files of this
/// run.
std::optional<std::string> log_of_compiled(cl_program program, cl_device_id device);
/// The same of a part, which is compiled for that; nothing where it does not compile.
std::optional<std::string> log_of_compiled(cl_context context, cl_device_id device,
                                           const Unit& unit);

/// A program that is linked from these parts for these devices of the context. Null where one does
/// not compile, or where they cannot be linked; `log`, where it is not null, is then what the
/// compiler says of it. `before_link`, where there is one, is called when all are compiled. The
/// caller releases the program.
cl_program link_units(cl_context context, const std::vector<cl_device_id>& devices,
                      const std::vector<Unit>& units, const std::string& options,
                      const std::function<void()>& before_link, cl_int& status, std::string* log);

}  // namespace kiln
