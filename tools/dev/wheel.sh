# Makes a wheel of the Python package that brings Kiln's libraries, and theirs, along.

dev_wheel() {
  case "${1:-}" in
    '' | --stage) ;;
    *) bad_usage "unknown option '$1' of wheel" ;;
  esac
  install_groups build python package
  [ -f build/release/build.ninja ] || configure release KILN_TESTS=OFF KILN_BENCH=OFF
  configure release KILN_PYTHON_PACKAGE=ON
  compile release product
  step "putting the package together" wheel.log stage_wheel
  [ -z "${1:-}" ] || return 0
  mkdir -p build/packages
  local name
  name=$(cd python && /usr/bin/python3 -B -c \
    'import build_backend; print(build_backend.write_wheel("../build/packages", build_backend.STAGE))')
  echo "-- $(du -h --apparent-size "build/packages/$name" | sed 's/\t/  /')"
}

# The package under build/wheel/kiln, with libraries and helpers in _lib, where all find one another.
stage_wheel() {
  local stage=build/wheel/kiln parts=build/wheel-parts file
  rm -rf build/wheel "$parts"
  mkdir -p build/wheel "$parts/lib" "$parts/share/licences"
  cp -r build/release/python/kiln "$stage"
  find "$stage" -name __pycache__ -prune -exec rm -r {} +
  # MPI is the machine's, with what starts its programs.
  rm -f "$stage"/_mpi.*.so
  for file in lib/libkiln.so.0 lib/libkiln-mesh.so.0 bin/kiln-compile bin/kiln-tune; do
    cp -L "build/release/$file" "$parts/lib/"
  done
  for file in "$parts"/lib/*; do
    add_needed "$parts" "$file"
  done
  for file in "$parts"/lib/*; do
    strip --strip-unneeded "$file"
    patchelf --set-rpath '$ORIGIN' "$file"
  done
  for file in "$stage"/*.so; do
    patchelf --set-rpath '$ORIGIN/_lib' "$file"
  done
  mv "$parts/lib" "$stage/_lib"
  mkdir -p "$stage/_lib/share/kiln"
  cp -r share/tuned "$stage/_lib/share/kiln/"
  mv "$parts/share/licences" "$stage/_lib/licences"
  rm -r "$parts"
}
