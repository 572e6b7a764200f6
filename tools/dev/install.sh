# Installs Debian packages: only the missing ones, after naming them.

package_groups="build python mpi test bench long check root package docs pictures site npm"

# Entries of tools/packages/GROUP.txt, one a line: a name, or names of which one is enough.
packages_of() {
  local group
  for group in "$@"; do
    sed -e 's/#.*//' -e 's/[[:space:]].*//' -e '/^$/d' "tools/packages/$group.txt"
  done | sort -u
}

has_candidate() { [[ $(apt-cache policy "$1" 2>/dev/null) =~ "Candidate: "[^\(] ]]; }

# Of "A|B": the one that is installed, else the first that this release of Debian has; of "A|"
# nothing where there is no A. Fails where there is none of them.
choose_package() {
  local name names
  IFS='|' read -ra names <<<"$1"
  for name in "${names[@]}"; do
    dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null | grep -qx installed || continue
    echo "$name"
    return
  done
  for name in "${names[@]}"; do
    has_candidate "$name" || continue
    echo "$name"
    return
  done
  [[ $1 == *'|' ]]
}

# The packages of the groups that are not installed. Fails where an entry's names are all unknown.
missing_packages() {
  local wanted=() entry name status
  declare -A installed=()
  for entry in $(packages_of "$@"); do
    case $entry in
      *'|'*) entry=$(choose_package "$entry") || return ;;
    esac
    [ -z "$entry" ] || wanted+=("$entry")
  done
  while read -r name status; do
    [ "$status" != installed ] || installed[$name]=1
  done < <(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null || true)
  for name in "${wanted[@]}"; do
    [ -n "${installed[$name]:-}" ] || echo "$name"
  done
}

# The way to root: nothing for root itself, sudo for others.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif [ -t 0 ]; then
    sudo "$@"
  else
    sudo -n "$@"
  fi
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    -o DPkg::Lock::Timeout=300 -o APT::Color=0 -o Dpkg::Use-Pty=0 "$@"
}
apt_update() { as_root apt-get update -o APT::Color=0; }

# With no package lists, or with old ones whose versions the mirror no longer has, apt's first
# answer is a failure: only then are the lists fetched.
apt_install_fresh() {
  apt_install "$@" || { apt_update && apt_install "$@"; }
}

install_groups() {
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
    die "this is not a Debian system (no dpkg or apt-get); install by hand what tools/packages/ lists"
  local names missing
  # A machine that has no package lists yet knows no names.
  names=$(missing_packages "$@") ||
    { step "fetching package lists" install.log apt_update && names=$(missing_packages "$@"); } ||
    die "none of the names of an entry in tools/packages/ is known here"
  mapfile -t missing < <(printf '%s' "${names:+$names$'\n'}")
  [ ${#missing[@]} -gt 0 ] || return 0
  echo "-- installs ${#missing[@]} packages with what they depend on: ${missing[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      die "installing needs root, and sudo is absent. As root: apt-get install ${missing[*]}"
    if [ -t 0 ]; then sudo -v; else sudo -n true 2>/dev/null; fi ||
      die "installing needs root, and sudo does not let you. As root: apt-get install ${missing[*]}"
  fi
  step "installing" install.log apt_install_fresh "${missing[@]}"
}

dev_install_deps() {
  local group
  for group in "$@"; do
    case " $package_groups " in
      *" $group "*) ;;
      *) bad_usage "unknown package group '$group' (known: $package_groups)" ;;
    esac
  done
  [ $# -gt 0 ] || set -- build test
  install_groups "$@"
  echo "-- all packages of $* are installed"
}
