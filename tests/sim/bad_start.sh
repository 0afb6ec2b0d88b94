#!/bin/sh
# bad_start.sh BIN_DIR PROGRAM_DIR SANITIZED - runs that cannot start in the simulator: each names what is wrong, what was expected and what to do. And what every
# user tries: help, a pipe, many lines.
set -u
bin=$1 program=$2/bad_end sanitized=$3 # ON: the address space is the sanitizer's
. "$(dirname "$0")/../support/refuse.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
sim() { "$bin/eyotrun" --fabric sim -n 4 "$@"; }

runs help "usage: eyotrun .*PROGRAM" "$bin/eyotrun" --help
runs version "^eyotrun [0-9]" "$bin/eyotrun" --version
runs info "EYOT_HEAP_SIZE +bytes +64M" "$bin/eyot-info"
runs "eyotcc help" "eyotcc .*FILES" "$bin/eyotcc" --help
refused "eyotcc alone" "eyotcc .*FILES" "$bin/eyotcc"
refused alone "no program given" "$bin/eyotrun"
refused "sim started directly" "start it with: eyotrun --fabric sim -n UNITS PROGRAM" env EYOT_FABRIC=sim "$program"

# Values of every type of option, and names that do not exist.
refused "number" "EYOT_SEED .*is '1.5'; expected a whole number from 0" sim --seed=1.5 "$program"
refused "negative number" "EYOT_N .*is '-3'; expected a whole number from 1" sim -n -3 "$program"
refused "huge number" "EYOT_N .*expected a whole number from 1 to" sim -n 99999999999999999999999 "$program"
refused "bytes" "EYOT_HEAP_SIZE .*is '12Q'; expected bytes from .*suffix K, M or G" sim --heap-size 12Q "$program"
refused "too many bytes" "EYOT_HEAP_SIZE .*is '9999G'; expected bytes from .* to" sim --heap-size 9999G "$program"
refused "time" "EYOT_WATCHDOG .*is '10q'; expected a number of seconds, or a time with its unit" sim --watchdog 10q "$program"
refused "on or off" "EYOT_STATS .*is 'maybe'; expected on or off" sim --stats=maybe "$program"
refused "choice" "EYOT_ORDER .*is 'any'; expected one of strict.rdma.chaos" sim --order any "$program"
refused "fabric" "EYOT_FABRIC .*is 'tcp'; expected one of mpi.sim" sim --fabric tcp "$program"
refused "value of a variable" "EYOT_SEED .*is 'abc'; expected a whole number" env EYOT_SEED=abc "$bin/eyotrun" --fabric sim "$program"
refused "option" "unknown option --sede; did you mean --seed" sim --sede 3 "$program"
refused "habit" "unknown option -np; did you mean --units" "$bin/eyotrun" -np 4 "$program"
runs "variable" "EYOT_SEDE is not an option of eyot.*did you mean EYOT_SEED" env EYOT_SEDE=3 "$bin/eyotrun" --fabric sim "$program"
runs "variable that nothing needs" "EYOT_REDUCE_FIXED is not an option of eyot.*: all reductions and scans combine in one fixed order" env EYOT_REDUCE_FIXED=1 "$bin/eyotrun" --fabric sim "$program"
runs "operator, as a variable" "EYOT_SUM_EXACT is not an option of eyot.*: it is an operator" env EYOT_SUM_EXACT=1 "$bin/eyotrun" --fabric sim "$program"

passes_over=$(dirname "$program")/started_twice
refused "start that a program passes over" "returned from main with code 0, and its eyot_init had failed" sim "$passes_over" refused
runs "start that a program does not pass over" "" sim --heap-size 64M --heap-max 64M "$passes_over" right

# A machine with a size does not grow for a node that a file names.
printf '0 8064\n1 0\n' >beyond
refused "node beyond the machine" "beyond names a node that platform xc40 does not have: its nodes are 0 to 8063; a larger platform" "$bin/eyotrun" --fabric sim -n 2 --platform xc40 --placement beyond "$passes_over" right
runs "node of a larger machine" "" "$bin/eyotrun" --fabric sim -n 2 --platform xc40:groups=22 --placement beyond "$passes_over" right
runs "node of a machine without a size" "" "$bin/eyotrun" --fabric sim -n 2 --platform xe6 --placement beyond "$passes_over" right

# Platforms.
xml() {
  printf '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n<platform version="4.1">%s</platform>\n' "$2" >"$1"
}
two='<zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><link id="l" bandwidth="1GBps" latency="1us"/>'
xml two.xml "$two<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route></zone>"
xml lost.xml "$two</zone>"
xml none.xml '<zone id="z" routing="Full"></zone>'
echo '<platform' >broken.xml
: >empty.xml
mkdir folder.xml
refused "unknown platform" "unknown platform 'xc50'; expected xc40, xe6, dragonfly, cab, fattree" sim --platform xc50 "$program"
refused "missing file" "nowhere.xml cannot be read: No such file" sim --platform nowhere.xml "$program"
refused "folder" "folder.xml is not a file" sim --platform folder.xml "$program"
refused "broken file" "cannot use platform broken.xml: Parse error at broken.xml:1" sim --platform broken.xml "$program"
refused "empty file" "cannot use platform empty.xml: Parse error" sim --platform empty.xml "$program"
refused "no hosts" "none.xml: it has no hosts" sim --platform none.xml "$program"
refused "no routes" "cannot use platform lost.xml" sim --platform lost.xml "$program"
refused "small file" "4 units do not fit on platform two.xml: it holds 2 on 2 hosts; run fewer" sim --platform two.xml "$program"
runs "two a host" "^ok$" sim --platform two.xml --units-per-node 2 "$program"
refused "small machine" "4 units do not fit .*it holds 2 .*choose a larger platform" sim --platform dragonfly:groups=1,chassis=1,blades=1,nodes=1,cores=2 "$program"
refused "key" "unknown key 'foo'; known are groups" sim --platform dragonfly:foo=1 "$program"
refused "key without value" "groups has no value; expected groups=VALUE" sim --platform dragonfly:groups "$program"
refused "value of a key" "groups=x; expected a whole number from 0" sim --platform dragonfly:groups=x "$program"
[ "$sanitized" = ON ] || refused "stack of simgrid" "EYOT_STACK_SIZE .* is 4294967296 bytes, and the stacks of --engine simgrid have at most 3221225472; lower it" sim --engine simgrid --stack-size 4G "$program"
refused "units of a node" "units-per-node 100 on platform xc40, whose nodes have 24 cores" sim --units-per-node 100 "$program"

# Limits of the machine.
limits() { (ulimit -v 40000000 && sim -n 1000 --heap-size 1G "$program"); }
[ "$sanitized" = ON ] || refused "address space" "cannot map a segment of .*lower EYOT_HEAP_SIZE or the number of units" limits
maps=$(cat /proc/sys/vm/max_map_count 2>/dev/null || echo 0)
[ "$maps" -gt 2000000 ] || refused "maps" "memory mappings.* vm.max_map_count is .* units fit; raise it .sysctl|units are too many" sim -n $((maps + 1000)) "$program"

# Shared by all units of the process.
lines=$(sim "$program" print 2>&1 | sort -u | wc -l)
[ "$lines" -eq 12001 ] || { echo "print: $lines different lines, expected 12001"; bad=1; }
echo "one line" >line
runs "stdin" "unit 0 read one line" sim "$program" stdin <line
exit $bad
