#!/bin/sh
# heap_full.sh EYOTRUN PROGRAM - a heap that outgrows the machine's shared memory: a clear error, never a signal. In a mount namespace of its own, with a small /dev/shm; exit
# code 77 where the system does not permit that.
eyotrun=$1 program=$2
command -v unshare >/dev/null || { echo "heap_full: skipped, no unshare here"; exit 77; }
reason=$(unshare --mount sh -c 'mount -t tmpfs -o size=48M none /dev/shm' 2>&1) || { echo "heap_full: skipped, namespaces are not permitted here: $reason"; exit 77; }
for node_size in 0 2; do
  output=$(unshare --mount sh -c 'mount -t tmpfs -o size=48M none /dev/shm && exec "$@"' sh "$eyotrun" --fabric mpi -n 3 --node-size $node_size --heap-size 4M --heap-max 128M \
    --heap-keep 0 "$program" full 2>&1)
  code=$?
  printf '%s\n' "$output" | sort | uniq -c
  [ $code -eq 0 ] || { echo "heap_full: exit code $code"; exit 1; }
  printf '%s\n' "$output" | grep -q 'bytes more of shared memory for the heap of unit 0: /dev/shm has .* left .* enlarge it' || { echo "heap_full: the error does not say enough"; exit 1; }
  printf '%s\n' "$output" | grep -q 'some heap is full; raise EYOT_HEAP_MAX' || { echo "heap_full: the team was not told"; exit 1; }
done
# What is promised at start must be there then.
unshare --mount sh -c 'mount -t tmpfs -o size=48M none /dev/shm && exec "$@"' sh "$eyotrun" --fabric mpi -n 2 --heap-size 40M "$program" full 2>&1 |
  grep 'bytes of shared memory each, /dev/shm has .* would fit: lower EYOT_HEAP_SIZE' || { echo "heap_full: a start beyond what there is was not refused"; exit 1; }
