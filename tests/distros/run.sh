#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh [--list] [--folder DIR] [--mirror URL] [--only-build] [--tests 'ARGUMENTS'] [NAME...] - builds and
# tests eyot on other systems, each bootstrapped into a folder, and prints their versions of what eyot
# depends on. --tests: a part, ctest ARGUMENTS, instead of ./dev test; the build is kept for the next part.
#
# NAME: one of systems.tsv, or aarch64 (aarch64.sh: a cross build, its unit tests under an emulator).
# Without NAME: all. DIR (default /var/tmp/eyot-systems) keeps the systems for the next time. MIRROR is
# where packages come from; systems of Debian use this machine's, those of Ubuntu need another.
# Root is needed for debootstrap and chroot. Everything runs in namespaces that end with this script:
# nothing stays mounted and no process is left. Exit code 1: a system failed; 2: it could not be tried.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=/var/tmp/eyot-systems mirror= only_build=0 part= names=
usage() { echo "usage: run.sh [--list] [--folder DIR] [--mirror URL] [--only-build] [--tests 'ARGUMENTS'] [NAME...]" >&2; exit 2; }
all=$(awk -F '\t' '!/^#/ { print $1 }' "$here/systems.tsv")
while [ $# -gt 0 ]; do
  case $1 in
    --list) printf '%s\n' $all aarch64; exit 0 ;;
    --folder) [ $# -gt 1 ] || usage; folder=$2; shift ;;
    --mirror) [ $# -gt 1 ] || usage; mirror=$2; shift ;;
    --only-build) only_build=1 ;;
    --tests) [ $# -gt 1 ] || usage; part=$2; shift ;;
    -*) usage ;;
    *) names="$names $1" ;;
  esac
  shift
done
for name in $names; do
  case " $(echo $all) aarch64 " in *" $name "*) ;; *) echo "run.sh: there is no system '$name'; there are: $(echo $all) aarch64" >&2; exit 2 ;; esac
done
[ -n "$names" ] || names="$(echo $all) aarch64"
[ "$(id -u)" -eq 0 ] || { echo "run.sh: debootstrap and chroot need root" >&2; exit 2; }

# Where this machine's Debian comes from.
own_mirror() {
  cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list 2>/dev/null |
    awk '$1 == "URIs:" && $2 ~ /\/debian\/?$/ { print $2; exit } $1 == "deb" { for (i = 2; i <= 3; i++) if ($i ~ /\/debian\/?$/) { print $i; exit } }'
}

# field NAME COLUMN
field() { awk -F '\t' -v name="$1" -v column="$2" '$1 == name { print $column }' "$here/systems.tsv"; }

# inside SYSTEM COMMAND...: in namespaces of its own, below the system's root.
inside() {
  unshare --mount --pid --ipc --fork --kill-child sh -c '
    system=$1
    shift
    mount -t proc proc "$system/proc" && mount --rbind /sys "$system/sys" && mount --rbind /dev "$system/dev" &&
      mount -t tmpfs tmpfs "$system/dev/shm" && mount -t tmpfs tmpfs "$system/run" || exit 2
    exec chroot "$system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
      DEBIAN_FRONTEND=noninteractive ${CI:+CI=$CI} "$@"' sh "$@"
}

# bootstrap NAME SYSTEM: the minimal system, where packages start no services.
bootstrap() {
  suite=$(field "$1" 2) from=$(field "$1" 3) components=$(field "$1" 4) check= script=
  case $suite in
    noble) keys=/usr/share/keyrings/ubuntu-archive-keyring.gpg ;;
    *) keys=/usr/share/keyrings/debian-archive-keyring.gpg ;;
  esac
  if [ "$from" = - ]; then
    case $suite in noble) from= ;; *) from=$(own_mirror) ;; esac
  fi
  [ -z "$mirror" ] || from=$mirror
  [ -n "$from" ] || { echo "run.sh: no mirror is known for $1; name one with --mirror" >&2; return 2; }
  command -v debootstrap >/dev/null || { echo "run.sh: debootstrap is not installed (Debian: debootstrap)" >&2; return 2; }
  if [ -e "$keys" ]; then
    check=--keyring=$keys
  else
    echo "run.sh: $1: $keys is not installed: the packages' origin is not checked"
    check=--no-check-gpg
  fi
  # A debootstrap that is older than the suite knows the scripts of its predecessors.
  [ -e "/usr/share/debootstrap/scripts/$suite" ] || case $suite in noble) script=jammy ;; esac
  rm -rf "$2.part"
  debootstrap "$check" --variant=minbase --components="$components" "$suite" "$2.part" "$from" $script >"$2.log" 2>&1 ||
    { tail -n 5 "$2.log"; return 2; }
  printf '#!/bin/sh\nexit 101\n' >"$2.part/usr/sbin/policy-rc.d" && chmod +x "$2.part/usr/sbin/policy-rc.d" || return 2
  # A system whose origin was not checked cannot check its packages either.
  [ "$check" != --no-check-gpg ] || echo 'APT::Get::AllowUnauthenticated "true"; Acquire::AllowInsecureRepositories "true";' >"$2.part/etc/apt/apt.conf.d/99origin"
  mv "$2.part" "$2"
}

versions() {
  inside "$1" sh -c '
    . /etc/os-release; echo "$PRETTY_NAME"
    dpkg-query -W -f="\${Package} \${Version}\n" gcc cmake libc6 mpich openmpi-bin libsimgrid-dev libboost-context-dev lcov libhwloc-dev slurmd 2>/dev/null' |
    awk 'NR == 1 { printf "run.sh: %s: %s", name, $0; next } { printf ", %s %s", $1, $2 } END { print "" }' name="$2"
}

# try NAME: 0 passed, 1 failed, 2 not tried.
try() {
  system=$folder/$1
  [ -d "$system" ] || bootstrap "$1" "$system" || return 2
  mkdir -p "$system/eyot" || return 2
  # Builds are kept: files that have not changed are not compiled again.
  find "$system/eyot" -mindepth 1 -maxdepth 1 ! -name 'build*' -exec rm -rf {} + || return 2
  (cd "$root" && git ls-files -z --cached --others --exclude-standard | tar -c --null -T - --ignore-failed-read) | tar -x -C "$system/eyot" || return 2
  inside "$system" apt-get update -qq || return 2
  inside "$system" sh -c 'cd /eyot && ./dev deps openmpi-bin libopenmpi-dev iproute2 munge slurmctld slurmd slurm-client gdb git ca-certificates procps' || return 2
  versions "$system" "$1"
  if [ $only_build -eq 1 ] || [ -n "$part" ]; then
    inside "$system" sh -c 'cd /eyot && cmake --preset ci-test && cmake --build build -j "$(nproc)"' || return 1
    [ -z "$part" ] || inside "$system" sh -c "cd /eyot/build && ctest --no-tests=error --output-on-failure $part"
  else
    CI=true inside "$system" sh -c 'cd /eyot && ./dev test'
  fi || return 1
}

mkdir -p "$folder" || exit 2
folder=$(cd "$folder" && pwd)
code=0
for name in $names; do
  if [ "$name" = aarch64 ]; then sh "$here/aarch64.sh" "$folder/aarch64"; else try "$name"; fi
  case $? in
    0) echo "run.sh: $name: passed" ;;
    1) echo "run.sh: $name: FAILED"; code=$((code | 1)) ;;
    *) echo "run.sh: $name: not tried"; code=$((code | 2)) ;;
  esac
done
[ $code -lt 2 ] || exit 2
exit $code
