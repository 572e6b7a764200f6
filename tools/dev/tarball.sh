# Makes one folder, packed, that runs where it is unpacked: on any Linux with a C library as new as
# this machine's and an OpenCL loader.

# What every Linux has, or must not have twice in a process: the C library, the C++ runtime that
# drivers use as well, the OpenCL loader.
libraries_of_system='^(linux-vdso|ld-linux-.*|libc|libm|libdl|librt|libpthread|libresolv|libstdc\+\+|libgcc_s|libOpenCL)\.so'
newest_c_library=2.36

dev_tarball() {
  [ $# -eq 0 ] || bad_usage "tarball takes no arguments"
  install_groups build package
  [ -f build/portable/build.ninja ] || configure portable KILN_TESTS=OFF KILN_BENCH=OFF
  compile portable product
  local name folder
  name=kiln-$(library_version)-linux-$(uname -m)
  folder=build/tarball/$name
  rm -rf "$folder"
  step "installing into $folder" tarball.log cmake --install build/portable --prefix "$PWD/$folder" --strip
  step "adding libraries" tarball-libraries.log add_libraries "$folder"
  check_c_library "$folder"
  # Under its name there is a whole one, or the one before.
  step "packing" tarball-pack.log tar -C build/tarball --owner=0 --group=0 --sort=name \
    -cJf "build/packages/$name.tar.xz.part" "$name"
  mv "build/packages/$name.tar.xz.part" "build/packages/$name.tar.xz"
  echo "-- $(du -h --apparent-size "build/packages/$name.tar.xz" | sed 's/\t/  /')"
}

# add_libraries FOLDER: libclang with its headers, which reads kernels, and what the programs link,
# in lib/, where they are found wherever the folder is.
add_libraries() {
  local folder=$1 clang headers release program
  mkdir -p "$folder/lib" build/packages
  clang=$(find /usr/lib/llvm-*/lib -name 'libclang-[0-9]*.so.*' | sort -V | tail -n 1)
  [ -n "$clang" ] || { echo "no libclang below /usr/lib"; return 1; }
  release=$(sed 's|.*/libclang-\([0-9]*\).*|\1|' <<<"$clang")
  cp -L "$clang" "$folder/lib/"
  add_licence "$folder" "$clang"
  # And of what is compiled into the programs.
  for program in $(packages_of build | grep -v '|') g++; do
    [ ! -e "/usr/share/doc/$program/copyright" ] ||
      cp -L "/usr/share/doc/$program/copyright" "$folder/share/licences/$program"
  done
  headers=$(find "/usr/lib/llvm-$release/lib/clang" -mindepth 1 -maxdepth 1 -name "$release*" -type d |
    sort -V | tail -n 1)
  [ -n "$headers" ] || { echo "no headers of libclang $release below /usr/lib"; return 1; }
  mkdir -p "$folder/lib/clang/$(basename "$headers")"
  cp -rL "$headers/include" "$folder/lib/clang/$(basename "$headers")/"
  add_needed "$folder" "$clang"
  for program in "$folder"/libexec/kiln/*; do
    add_needed "$folder" "$program"
    patchelf --set-rpath '$ORIGIN/../../lib' "$program"
  done
  for program in "$folder"/lib/*.so*; do
    patchelf --set-rpath '$ORIGIN' "$program"
  done
}

# add_needed FOLDER FILE: all libraries that FILE needs but the system's, and their licences.
add_needed() {
  local folder=$1 needed name arrow path
  needed=$(ldd "$2")
  while read -r name arrow path; do
    [ "$arrow" = '=>' ] || continue
    [ "$path" != 'not found' ] || { echo "$2 needs $name, which is not found"; return 1; }
    path=${path% (0x*}
    [[ ! $name =~ $libraries_of_system ]] && [ ! -e "$folder/lib/$name" ] || continue
    cp -L "$path" "$folder/lib/$name"
    add_licence "$folder" "$path"
  done <<<"$needed"
}

# add_licence FOLDER FILE: of the package of Debian that FILE is from.
add_licence() {
  local package
  # Where /lib is a link, dpkg may know the file by its older path.
  package=$({ dpkg -S "$(realpath "$2")" || dpkg -S "$2"; } 2>/dev/null | head -n 1 | cut -d: -f1) || true
  [ -n "$package" ] || { echo "no package has $2"; return 1; }
  mkdir -p "$1/share/licences"
  cp -L "/usr/share/doc/$package/copyright" "$1/share/licences/$package"
}

# The newest version of the C library that a file of the folder asks for.
check_c_library() {
  local newest file programs=() symbols
  while IFS= read -r -d '' file; do
    # Scripts have no symbols.
    [ "$(head -c 4 "$file" | tr -d '\0')" != $'\x7fELF' ] || programs+=("$file")
  done < <(find "$1" -type f \( -perm -u+x -o -name '*.so*' \) -print0)
  [ ${#programs[@]} -gt 0 ] || die "$1 has no programs"
  symbols=$(objdump -T "${programs[@]}")
  newest=$(grep -oE 'GLIBC_2\.[0-9]+' <<<"$symbols" | sort -Vu | tail -n 1) || true
  [ -n "$newest" ] || die "no program in $1 names a version of the C library: expected 2.N"
  [ "$(printf '%s\n' "${newest#GLIBC_}" $newest_c_library | sort -V | tail -n 1)" = $newest_c_library ] ||
    die "the programs need ${newest/_/ }: expected at most $newest_c_library; make it on Debian 12"
  echo "-- runs with ${newest/_/ } and later"
}
