# A bare Debian of another release next to this one, in which commands run as on a new machine.

bare_files=()

# bare_debian SUITE COMMAND…: in a fresh clone of what is committed here, with ../shared next to
# it where it is here, and the files of the array bare_files in ../files. The base system is fetched once
# and kept under build/debian/.
bare_debian() {
  local suite=$1 top=$PWD/build/debian/$1
  shift
  install_groups root
  # debootstrap makes the folders first: only a base that is whole has the name.
  if [ ! -d "$top/base" ]; then
    as_root rm -rf --one-file-system "$top/base.new"
    step "fetching a bare Debian ($suite)" "debian-$suite.log" \
      as_root debootstrap --variant=minbase "$suite" "$top/base.new" \
      "${KILN_DEBIAN_MIRROR:-http://deb.debian.org/debian}"
    as_root mv "$top/base.new" "$top/base"
  fi
  make_debian_root "$top"
  # Mounts and processes of its own: whatever happens, nothing of them outlives the command.
  start_group as_root unshare --mount --propagation private --pid --fork --kill-child \
    bash -c '
      run=$1; shift
      mount -t proc proc "$run/proc" && mount --rbind /sys "$run/sys" &&
        mount --rbind /dev "$run/dev" && mkdir -p "$run/dev/shm" || exit 1
      exec chroot "$run" /usr/bin/env -i HOME=/home/new TERM=dumb LANG=C.UTF-8 \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        bash -c '\''cd /home/new/kiln && exec "$@"'\'' _ "$@"' _ "$top/run" "$@"
  wait_for_group
}

# A new root at TOP/run with the clone in it.
make_debian_root() {
  local run=$1/run
  as_root rm -rf --one-file-system "$run"
  as_root cp -a "$1/base" "$run"
  as_root cp -L /etc/resolv.conf /etc/hosts "$run/etc/"
  apt-config dump --format '%f "%v";%n' Acquire::http::Proxy Acquire::https::Proxy |
    as_root tee "$run/etc/apt/apt.conf.d/90proxy" >/dev/null
  as_root mkdir -p "$run/home/new"
  as_root git -c safe.directory='*' clone -q "$PWD" "$run/home/new/kiln"
  if [ ${#bare_files[@]} -gt 0 ]; then
    as_root mkdir "$run/home/new/files"
    as_root cp "${bare_files[@]}" "$run/home/new/files/"
  fi
  [ ! -d ../shared ] || as_root cp -a ../shared "$run/home/new/shared"
}
