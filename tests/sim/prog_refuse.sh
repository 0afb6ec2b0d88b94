#!/bin/sh
# prog_refuse.sh BIN_DIR - files that the simulator must refuse, each with its reason, before it runs anything; and what eyotcc refuses to link.
set -u
bin=$1
EYOT_CC=${CC:-cc}
export EYOT_CC
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
bad=0

# refused NAME REGEX COMMAND...: must end non-zero and print REGEX.
refused() {
  name=$1 regex=$2
  shift 2
  output=$("$@" 2>&1)
  code=$?
  if [ $code -eq 0 ]; then
    echo "prog_refuse: $name: not refused"
    bad=1
  elif ! printf '%s\n' "$output" | grep -Eq -- "$regex"; then
    echo "prog_refuse: $name: expected '$regex', got: $output"
    bad=1
  else
    echo "prog_refuse: $name: ok"
  fi
}
sim() { "$bin/eyotrun" --fabric sim -n 3 "$@"; }

echo 'int main(void) { return 0; }' >plain.c
$EYOT_CC -fPIE -pie plain.c -o pie
refused pie "ordinary executable.*eyotcc" sim ./pie
$EYOT_CC -no-pie -fno-pie plain.c -o fixed
refused fixed "fixed address.*eyotcc" sim ./fixed
$EYOT_CC -static plain.c -o static 2>/dev/null && refused static "(statically|fixed address).*eyotcc" sim ./static
echo 'int f(void) { return 0; }' | $EYOT_CC -shared -fPIC -x c - -o lib.so
refused library "without main" sim ./lib.so

printf '#!/bin/sh\nexit 0\n' >script && chmod +x script
refused script "is a script" sim ./script
echo "hello" >text && chmod +x text
refused text "not a program" sim ./text
: >empty && chmod +x empty
refused empty "empty" sim ./empty
refused missing "No such file" sim ./missing
refused directory "directory" sim "$dir"
refused "not in PATH" "not found in PATH" sim plain-program-that-is-nowhere

"$bin/eyotcc" plain.c -o good || { echo "prog_refuse: eyotcc failed"; exit 1; }
sim ./good || { echo "prog_refuse: a good program was refused"; bad=1; }
size=$(wc -c <good)
for part in 3 40 100 1000 $((size / 2)) $((size - 100)); do
  head -c "$part" good >cut && chmod +x cut
  refused "cut after $part bytes" "damaged|not a program" sim ./cut
done
cp good alien && printf '\377\177' | dd of=alien bs=1 seek=18 conv=notrunc 2>/dev/null
refused alien "another machine" sim ./alien

echo '#include <pthread.h>
static void *f(void *p) { return p; }
int main(void) { pthread_t t; return pthread_create(&t, 0, f, 0); }' >thread.c
"$bin/eyotcc" thread.c -o thread
sim ./thread || { echo "prog_refuse: a program with a thread that does not call eyot was refused"; bad=1; }
echo '#include <unistd.h>
int main(void) { return fork() < 0; }' >fork.c
"$bin/eyotcc" fork.c -o fork
refused fork "calls fork: it would copy" sim ./fork
echo '#include <unistd.h>
int main(void) { return execlp("true", "true", (char *)0); }' >exec.c
"$bin/eyotcc" exec.c -o exec
refused exec "calls execlp: it would replace" sim ./exec

# Programs that only look like MPI programs: no MPI is needed to build them.
echo 'int MPI_Init(int *c, char ***v) { (void)c, (void)v; return 0; }' >mpi.c
$EYOT_CC -shared -fPIC mpi.c -o libother.so
$EYOT_CC -shared -fPIC -Wl,-soname,libmpich.so.12 mpi.c -o libmpich.so
echo 'int MPI_Init(int *, char ***); int main(int c, char **v) { return MPI_Init(&c, &v); }' >callsmpi.c
"$bin/eyotcc" callsmpi.c -L. -lother -Wl,-rpath,. -o calls
refused "calls MPI" "calls MPI_Init: programs that call MPI themselves" sim ./calls
"$bin/eyotcc" callsmpi.c -L. -lmpich -Wl,-rpath,. -o needs
refused "linked with MPI" "is linked with libmpich.so.12: programs that call MPI themselves" sim ./needs

echo 'void *eyot_current; int main(void) { return 0; }' >inside.c
"$bin/eyotcc" inside.c -o inside
refused "libeyot inside" "static libeyot" sim ./inside

echo "int nothing(void); int main(void) { return nothing(); }" >undefined.c
refused "eyotcc -static" "cannot be linked statically" "$bin/eyotcc" -static plain.c -o x
refused "eyotcc libeyot.a" "static libeyot cannot be linked" "$bin/eyotcc" plain.c /some/lib/libeyot.a -o x
refused "eyotcc undefined" "undefined reference" "$bin/eyotcc" undefined.c -o x
refused "unknown option" "unknown option --plattform; did you mean --platform" "$bin/eyotrun" --plattform xc40 ./good
refused "n of 0" "EYOT_N .* is '0'; expected a whole number from 1" "$bin/eyotrun" --fabric sim -n 0 ./good
refused "n missing" "needs a value" "$bin/eyotrun" -n
refused "no program" "no program given" "$bin/eyotrun" --fabric sim
refused "bad engine" "one of fiber.simgrid" "$bin/eyotrun" --engine fibre ./good
exit $bad
