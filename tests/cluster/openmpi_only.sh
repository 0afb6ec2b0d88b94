#!/bin/sh
# openmpi_only.sh MODULE COMMAND... - runs the command where eyot was built for Open MPI; elsewhere says why not, with the exit code of a skipped test.
module=$1
shift
if [ ! -e "$module" ]; then
  echo "skipped: eyot was built without Open MPI (Debian: libopenmpi-dev openmpi-bin; then configure again)"
  exit 77
fi
exec "$@"
