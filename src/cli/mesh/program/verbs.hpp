#pragma once

namespace kiln::cli {

class Context;

int mesh_naca0012(Context& context);
int mesh_info(Context& context);
int mesh_convert(Context& context);
int mesh_check(Context& context);
int mesh_airfoil(Context& context);

}  // namespace kiln::cli
