#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# aarch64.sh FOLDER [REGEX] - compiles the core and the unit tests for aarch64, and runs them (those whose name matches REGEX) under
# qemu's user emulation. FOLDER keeps the C library and CMocka of the target, and the build.
#
# The fabrics are left out: their libraries would have to be installed for the target. The emulator gives
# a thread the memory order of the host, so this checks code, alignment and atomics, not memory order.
# Exit code 1: something does not compile or fails; 2: it cannot be tried here.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=${1:?aarch64.sh FOLDER [REGEX]} regex=${2:-.}
for tool in aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ qemu-aarch64-static debootstrap cmake ninja; do
  command -v $tool >/dev/null ||
    { echo "aarch64.sh: there is no '$tool'; Debian has it in gcc-aarch64-linux-gnu, g++-aarch64-linux-gnu, qemu-user-static, debootstrap, cmake or ninja-build" >&2; exit 2; }
done
mkdir -p "$folder" || exit 2
folder=$(cd "$folder" && pwd)
system=$folder/system
if [ ! -d "$system" ]; then
  . /etc/os-release
  mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list 2>/dev/null |
    awk '$1 == "URIs:" && $2 ~ /\/debian\/?$/ { print $2; exit } $1 == "deb" { for (i = 2; i <= 3; i++) if ($i ~ /\/debian\/?$/) { print $i; exit } }')
  [ -n "$mirror" ] || { echo "aarch64.sh: no mirror of Debian is known here" >&2; exit 2; }
  rm -rf "$folder/part"
  # Downloads only; the packages are unpacked, not installed.
  debootstrap --arch=arm64 --foreign --variant=minbase --include=uthash-dev,libc6-dev,libcmocka-dev,libcmocka0,libstdc++6 "$VERSION_CODENAME" "$folder/part" "$mirror" >"$folder/debootstrap.log" 2>&1 ||
    { tail -n 5 "$folder/debootstrap.log"; exit 2; }
  for package in "$folder"/part/var/cache/apt/archives/*.deb; do dpkg-deb -x "$package" "$folder/part" || exit 2; done
  mv "$folder/part" "$system"
fi
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
  -DEYOT_FABRIC_MPI=OFF -DEYOT_FABRIC_SIM=OFF -DEYOT_EXAMPLES=OFF -DEYOT_BENCH=OFF -DEYOT_TESTS=ON >"$folder/cmake.log" 2>&1 || { tail -n 20 "$folder/cmake.log"; exit 1; }
cmake --build "$folder/build" -j "$(nproc)" --target eyot eyot_unit_tests >"$folder/build.log" 2>&1 || { grep -A 10 -m 3 'FAILED\|error:' "$folder/build.log"; exit 1; }
kind=$(aarch64-linux-gnu-readelf -h "$folder/build/lib/libeyot.so" | sed -n 's/^ *Machine: *//p')
[ "$kind" = AArch64 ] || { echo "aarch64.sh: the library is for $kind" >&2; exit 1; }
# An emulated test takes ten to twenty times as long.
(cd "$folder/build" && ctest --no-tests=error -L unit -R "$regex" -j "$(nproc)" --timeout 1200 --output-on-failure) || exit 1
echo "aarch64.sh: $(aarch64-linux-gnu-gcc -dumpfullversion), $(qemu-aarch64-static --version | head -n 1)"
