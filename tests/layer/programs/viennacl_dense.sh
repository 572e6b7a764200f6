#!/bin/bash
# ViennaCL (libviennacl-dev), dense matrices in float, then GMRES and BiCGStab in double:
# viennacl_dense.cpp. Covers: as viennacl_cg.sh, and generated GEMM kernels, programs for
# two number types in one context, sources to 40 kB, thousands of launches.
set -u
here=$(dirname "$0")
# shellcheck source=tests/layer/programs/common.bash
. "$here/common.bash"
prepare "${0##*/}" "$@"
need_built viennacl_dense libviennacl-dev
"$BUILT" > "$1/output"
