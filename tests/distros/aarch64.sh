#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# aarch64.sh FOLDER [REGEX] - compiles eyot for aarch64 with both fabrics, without warnings, and runs the unit tests, tests of the simulator and jobs over MPI under
# qemu's user emulation. REGEX: only the tests of ctest whose name matches. FOLDER keeps the target's libraries, which are bootstrapped there, and the build.
#
# The emulator gives a thread the memory order of the host, so this checks code, registers, signal frames and atomics, not memory order. Tools start programs, which
# takes binfmt_misc: it is registered in a namespace of its own (Linux 6.7), where also all processes end with the script.
# Exit code 1: something does not compile or fails; 2: it cannot be tried here.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=${1:?aarch64.sh FOLDER [REGEX]} regex=${2:-.}
for tool in aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ qemu-aarch64-static debootstrap cmake ninja mpiexec.mpich; do
  command -v $tool >/dev/null ||
    { echo "aarch64.sh: there is no '$tool'; Debian has it in gcc-aarch64-linux-gnu, g++-aarch64-linux-gnu, qemu-user-static, debootstrap, cmake, ninja-build or mpich" >&2; exit 2; }
done
mkdir -p "$folder" || exit 2
folder=$(cd "$folder" && pwd)
system=$folder/system
if [ ! -e "$system/usr/include/aarch64-linux-gnu/mpich/mpi.h" ]; then
  . /etc/os-release
  mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list 2>/dev/null |
    awk '$1 == "URIs:" && $2 ~ /\/debian\/?$/ { print $2; exit } $1 == "deb" { for (i = 2; i <= 3; i++) if ($i ~ /\/debian\/?$/) { print $i; exit } }')
  [ -n "$mirror" ] || { echo "aarch64.sh: no mirror of Debian is known here" >&2; exit 2; }
  rm -rf "$folder/part" "$system"
  # Downloads only; the packages are unpacked, not installed.
  debootstrap --arch=arm64 --foreign --variant=minbase --include=uthash-dev,libc6-dev,libcmocka-dev,libcmocka0,libstdc++6,libsimgrid-dev,libboost-context-dev,libhwloc-dev,libmpich-dev \
    "$VERSION_CODENAME" "$folder/part" "$mirror" >"$folder/debootstrap.log" 2>&1 || { tail -n 5 "$folder/debootstrap.log"; exit 2; }
  for package in "$folder"/part/var/cache/apt/archives/*.deb; do dpkg-deb -x "$package" "$folder/part" || exit 2; done
  mv "$folder/part" "$system"
fi
# The target's wrapper names folders of the target, and its launcher is this machine's.
cat >"$folder/mpicc" <<END
#!/bin/sh
[ "\$1" = -show ] || exit 1
echo "cc -I$system/usr/include/aarch64-linux-gnu/mpich -L$system/usr/lib/aarch64-linux-gnu -lmpich"
END
chmod +x "$folder/mpicc"
cat >"$folder/toolchain.cmake" <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_SYSROOT $system)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static;-L;$system)
END
cmake -S "$root" -B "$folder/build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$folder/toolchain.cmake" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DEYOT_WERROR=ON \
  -DEYOT_MPI=mpich -DEYOT_MPICC="$folder/mpicc" -DEYOT_MPIEXEC="$(command -v mpiexec.mpich)" -DEYOT_BENCH=OFF -DEYOT_TESTS=ON >"$folder/cmake.log" 2>&1 ||
  { tail -n 20 "$folder/cmake.log"; exit 1; }
cmake --build "$folder/build" -j "$(nproc)" --target eyot eyot-fabric-sim eyot-fabric-mpi eyotrun eyotcheck eyot-info eyot_unit_tests \
  lib/eyot/eyot-start.o conformance engine_fail engine_time prog_own prog_exit woken >"$folder/build.log" 2>&1 || { grep -A 10 -m 3 'FAILED\|error:' "$folder/build.log"; exit 1; }
kind=$(aarch64-linux-gnu-readelf -h "$folder/build/lib/libeyot.so" | sed -n 's/^ *Machine: *//p')
[ "$kind" = AArch64 ] || { echo "aarch64.sh: the library is for $kind" >&2; exit 1; }

# emulated COMMAND...: programs of aarch64 start as if they were this machine's.
emulated() {
  unshare --user --map-root-user --mount --pid --ipc --fork --kill-child sh -c '
    qemu=$1 QEMU_LD_PREFIX=$2
    shift 2
    export QEMU_LD_PREFIX
    mount -t proc proc /proc && mount -t tmpfs tmpfs /dev/shm && mount -t binfmt_misc none /proc/sys/fs/binfmt_misc || exit 2
    elf="\\x7f\\x45\\x4c\\x46\\x02\\x01\\x01" zero="\\x00\\x00\\x00\\x00" ones="\\xff\\xff\\xff\\xff"
    printf "%s" ":eyot-aarch64:M::$elf$zero$zero\\x00\\x02\\x00\\xb7\\x00:$ones\\xff\\xff\\xff\\x00$ones$ones\\xfe\\xff\\xff\\xff:$qemu:F" \
      >/proc/sys/fs/binfmt_misc/register || exit 2
    exec "$@"' sh "$(command -v qemu-aarch64-static)" "$system" "$@"
}
tests() { # LABEL NAMES-REGEX NOT-REGEX COMMAND...
  label=$1 names=$2 not=$3
  shift 3
  # An emulated test takes ten to twenty times as long.
  (cd "$folder/build" && "$@" ctest -L "$label" -R "$names" -E "$not" -j "$(nproc)" --timeout 1200 --output-on-failure)
}
bad=0
if [ "$regex" = . ]; then
  # The emulator never gives back its tables of reserved pages: test_lock_quick reserves 4 GiB in each of 2,000 runs.
  tests unit . '^unit\.test_lock_quick$' || bad=1
  EYOT_HEAP_MAX=64M EYOT_HEAP_SIZE=1M tests unit '^unit\.test_lock_quick$' '^$' || bad=1
else
  tests unit "$regex" '^$' || bad=1
fi
if emulated "$folder/build/bin/eyot-info" --version >/dev/null; then
  names='^sim\.(conformance\.(fiber|simgrid|chaos|node)|engine_(fail|time)|prog_(own|exit))'
  slow='deadlock1000|simgrid\.n16' # beyond their own limits of time
  [ "$regex" = . ] || names=$regex slow='^$'
  # Sources whose lines reports name are found by a tool that reads the target's files.
  mkdir -p "$folder/bin" && ln -sf "$(command -v aarch64-linux-gnu-addr2line)" "$folder/bin/addr2line"
  PATH=$folder/bin:$PATH tests sim "$names" "$slow" emulated || bad=1
  if [ "$regex" = . ]; then
    # qemu 7.2 has no pidfd, by which eyotrun watches over processes: the launcher starts them.
    for job in "2 conformance --rounds 1" "4 woken 20 signal counter barrier"; do
      set -- $job
      n=$1 program=$2
      shift 2
      EYOT_FABRIC=mpi EYOT_ERRORS=return emulated timeout 300 mpiexec.mpich -n "$n" "$folder/build/tests/bin/$program" "$@" >"$folder/mpi.log" 2>&1 && echo "aarch64.sh: mpi: $job: passed" ||
        { tail -n 20 "$folder/mpi.log"; echo "aarch64.sh: mpi: $job: FAILED"; bad=1; }
    done
  fi
else
  echo "aarch64.sh: only the unit tests ran: programs cannot be emulated in a namespace of their own (Linux 6.7, and user namespaces)"
fi
echo "aarch64.sh: $(aarch64-linux-gnu-gcc -dumpfullversion), $(qemu-aarch64-static --version | head -n 1)"
exit $bad
