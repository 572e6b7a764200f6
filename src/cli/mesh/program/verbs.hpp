#pragma once

namespace kiln::cli {

class Context;

int mesh_naca0012(Context& context);
int mesh_info(Context& context);
int mesh_convert(Context& context);
int mesh_check(Context& context);
int mesh_airfoil(Context& context);
int mesh_aero(Context& context);
int mesh_jac1(Context& context);
int mesh_jac2(Context& context);
int mesh_reduction(Context& context);

}  // namespace kiln::cli
