# Makes Debian packages, on this machine or in a bare Debian of another release.

# As debian/changelog has it.
changelog_version() { sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog; }

# package_version: that of debian/changelog, and the release of Debian it is built on: packages
# for the next release replace these when a machine is upgraded.
package_version() {
  local release
  release=$(. /etc/os-release && [ "${ID:-}" = debian ] && echo "~deb${VERSION_ID:-}") || true
  echo "$(changelog_version)$release"
}

# The version that the headers say they are.
library_version() {
  sed -n 's/^#define KILN_VERSION_\(MAJOR\|MINOR\|PATCH\) //p' include/kiln/version.hpp | paste -sd .
}

# copy_tree FOLDER: the files of the project as they are here, committed or not, in a new folder.
copy_tree() {
  rm -rf "$1"
  mkdir -p "$1"
  git -c safe.directory='*' ls-files -z --cached --others --exclude-standard --deduplicate |
    tar -c --null --files-from=- --ignore-failed-read 2>/dev/null | tar -x -C "$1"
  # What `./dev docs` has made goes into kiln-doc.
  if [ -d build/docs/site ]; then
    mkdir -p "$1/build/docs"
    cp -a build/docs/site "$1/build/docs/"
  fi
}

dev_package() {
  [ $# -le 1 ] || bad_usage "package takes one release of Debian"
  case ${1:-} in
    '') package_here ;;
    bookworm | trixie) package_in_bare "$1" ;;
    *) bad_usage "unknown release '$1' (known: bookworm trixie)" ;;
  esac
}

package_here() {
  install_groups build python mpi package
  local version tree=build/package/kiln
  version=$(package_version)
  [[ $version == "$(library_version)"* ]] ||
    die "debian/changelog: found $version, expected $(library_version), as include/kiln/version.hpp says"
  copy_tree "$tree"
  sed -i "1s/(.*)/($version)/" "$tree/debian/changelog"
  # debhelper gives builds a home of their own, where a compiler cache would be lost.
  step "building packages" package.log env -C "$tree" \
    CCACHE_DIR="${CCACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/ccache}" \
    DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-parallel=$(jobs_at_once)}" \
    dpkg-buildpackage -b -us -uc
  step "checking packages" lintian.log check_package_policy "build/package/kiln_${version}_"*.changes
  grep -E '^[EW]: ' build/log/lintian.log || true
  mkdir -p build/packages
  rm -f build/packages/*"_${version}_"*
  mv build/package/*"_${version}_"* build/packages/
  list_packages "$version"
}

# What is wrong by Debian's policy fails; warnings are shown.
check_package_policy() {
  local root=()
  [ "$(id -u)" -ne 0 ] || root=(--allow-root)
  lintian "${root[@]}" --fail-on error "$@"
}

list_packages() {
  local file
  for file in build/packages/*"_${1}_"*.deb; do
    echo "-- $(du -h --apparent-size "$file" | sed 's/\t/  /')"
  done
}

# Of what is committed here; the packages come back to build/packages.
package_in_bare() {
  bare_debian "$1" ./dev package
  local made=build/debian/$1/run/home/new/kiln/build/packages
  mkdir -p build/packages
  as_root find "$made" -type f -exec cp -t build/packages {} +
  as_root chown "$(id -u):$(id -g)" build/packages/*
}

# Both releases' packages, built in a bare system and tried in another one that has nothing but them.
check_packages() {
  local suite
  for suite in bookworm trixie; do
    package_in_bare "$suite"
    test_packages "$suite"
  done
}

test_packages() {
  local number=12 version file bare_files=()
  [ "$1" = bookworm ] || number=13
  version=$(changelog_version)~deb$number
  for file in build/packages/*"_${version}_"*.deb; do
    [[ $file == *-dbgsym_* ]] || bare_files+=("$file")
  done
  bare_debian "$1" bash -c 'tools/run-package-tests ../files/*.deb'
}

# The build of the packages has debugging information, which says what the libraries offer.
check_abi() {
  install_groups package
  package_here
  tools/check-abi build/package/kiln/obj-*/lib
}
