#!/bin/bash
# ViennaCL (libviennacl-dev), conjugate gradients on a Poisson matrix: viennacl_cg.cpp, compiled by
# this folder's CMakeLists.txt. Covers: clBuildProgram without a list of devices (0, NULL) and with
# empty options, clCreateKernelsInProgram, the name asked of each kernel, double precision, and the
# releases of a global object after main.
set -u
here=$(dirname "$0")
# shellcheck source=tests/layer/programs/common.bash
. "$here/common.bash"
prepare "${0##*/}" "$@"
need_built viennacl_cg libviennacl-dev
"$BUILT" > "$1/output"
