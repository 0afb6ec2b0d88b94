#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# one.sh VARIABLE=VALUE PROGRAM... - runs the program; process 1 of the job, as its launcher counts, has the variable in addition, or is killed by signal VALUE (VARIABLE: signal).
case ${PMI_RANK:-${PMI_ID:-${OMPI_COMM_WORLD_RANK:-${SLURM_PROCID:-0}}}} in
  1) case $1 in
       signal=*) kill -"${1#signal=}" $$ ;;
       *) export "${1?}" ;;
     esac ;;
esac
shift
exec "$@"
