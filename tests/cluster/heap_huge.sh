#!/bin/sh
# heap_huge.sh EYOTRUN PROGRAM - EYOT_HEAP_HUGE where one unit has a node for itself, so that its heap is private memory: the system says that the pages are huge, and without the
# option that they are not. Exit code 77 where the system does not leave it to programs (transparent_hugepage is not madvise).
eyotrun=$1 program=$2
says=$(cat /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null)
case $says in
  *'[madvise]'*) ;;
  *) echo "heap_huge: skipped, transparent_hugepage/enabled is '$says', not madvise"; exit 77 ;;
esac
must=$(dirname "$0")/../support/must.sh
sh "$must" pass "KiB of huge pages" "$eyotrun" --fabric mpi -n 2 --node-size 1 --heap-huge=on "$program" huge || exit 1
sh "$must" pass "KiB of huge pages" "$eyotrun" --fabric mpi -n 1 --heap-huge=on "$program" huge || exit 1
sh "$must" fail "not true: kib >= " "$eyotrun" --fabric mpi -n 1 --heap-huge=off "$program" huge
