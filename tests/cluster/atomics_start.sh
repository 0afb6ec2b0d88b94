#!/bin/sh
# atomics_start.sh BIN_DIR PROGRAM_DIR MPIEXEC - EYOT_ATOMICS: what must run, which way it goes (the count of errands), and what must be refused with a reason.
set -u
bin=$1 plain=$2/bad_end mix=$2/atomics_mix mpiexec=$3
. "$(dirname "$0")/../support/refuse.sh"
mpi() { timeout 60 "$bin/eyotrun" --fabric mpi "$@"; }

runs "one node" "by messages to the owner's node +0" mpi -n 2 --progress 1 --atomics owner --stats "$mix" 1 all
runs "auto" "by messages to the owner's node +[1-9]" mpi -n 2 --node-size 1 --progress 1 --stats "$mix" 1 all
runs "owner" "by messages to the owner's node +[1-9]" mpi -n 2 --node-size 1 --progress 1 --atomics owner --stats "$mix" 1 all
runs "mpi" "by messages to the owner's node +0" mpi -n 2 --node-size 1 --progress 1 --atomics mpi --stats "$mix" 1 all
runs "no engine" "^ok$" mpi -n 2 --node-size 1 --atomics mpi "$plain" plain

refused "no processes" "EYOT_ATOMICS=owner needs progress processes.*set EYOT_PROGRESS=1" mpi -n 2 --node-size 1 --atomics owner "$plain" plain
refused "thread" "EYOT_ATOMICS=owner needs progress processes" mpi -n 2 --node-size 1 --progress thread --atomics owner "$plain" plain
refused "value" "EYOT_ATOMICS .*is 'cpu'; expected one of auto|mpi|owner" mpi -n 2 --atomics cpu "$plain" plain
refused "differs" "EYOT_ATOMICS is 0 on some units and 1 on others" timeout 60 "$mpiexec" -n 1 -env EYOT_ATOMICS auto "$plain" plain : -n 1 -env EYOT_ATOMICS mpi "$plain" plain
exit $bad
