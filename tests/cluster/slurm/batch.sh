#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# batch.sh SCRIPT [ARGUMENTS...] - runs SCRIPT (sh) where Slurm has two nodes, node1 and node2, of four processors each by its reckoning, both on this machine.
#
# To be called by net/machine.sh with 0 hosts: its login host has a loopback of its own, so that no port can be taken, a /run of its own, in which everything of
# Slurm and munge lies (state, logs, key, socket), and it takes all daemons along when it ends. Nothing of a Slurm that this machine may belong to is touched or read.
# SCRIPT has srun, sbatch and the others for these nodes. The exit code is SCRIPT's, or 77, with a reason, where Slurm is not installed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
dir=/run/eyot-slurm
packages="munge slurmctld slurmd slurm-client"
PATH=$PATH:/usr/sbin:/sbin

for tool in munged slurmctld slurmd srun sbatch; do
  command -v $tool >/dev/null || { echo "batch.sh: skipped: there is no '$tool'; ./dev deps $packages installs Slurm from Debian"; exit 77; }
done
[ "$(hostname)" = login ] || { echo "batch.sh: to be called by net/machine.sh" >&2; exit 2; }

# failed WHAT: with what the daemons say.
failed() {
  echo "batch.sh: $1 does not come up"
  tail -n 20 $dir/log/*
  exit 1
}

idle() { [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 2 ]; }

unset $(env | sed -n 's/^\(SLURM_[A-Z_]*\|SBATCH_[A-Z_]*\)=.*/\1/p') SLURM_CONF
mkdir -p $dir/state $dir/spool/node1 $dir/spool/node2 $dir/tmp/node1 $dir/tmp/node2 $dir/log $dir/munge && chmod 755 $dir && chmod 700 $dir/munge || exit 1
(umask 077 && head -c 128 /dev/urandom >$dir/munge/key)
sed -e "s|@DIR@|$dir|g" -e "s|@USER@|$(id -un)|g" "$here/slurm.conf.in" >$dir/slurm.conf || exit 1
export SLURM_CONF=$dir/slurm.conf

munged --force --key-file=$dir/munge/key --socket=$dir/munge.socket --pid-file=$dir/munge/pid --log-file=$dir/log/munged --seed-file=$dir/munge/seed \
  >$dir/log/munged.out 2>&1 || failed munged
slurmctld >$dir/log/slurmctld.out 2>&1 || failed slurmctld
for node in node1 node2; do slurmd -N $node >$dir/log/slurmd.$node.out 2>&1 || failed "slurmd of $node"; done
tries=0
until idle; do
  tries=$((tries + 1))
  [ $tries -lt 300 ] || failed "one of the two nodes"
  sleep 0.1
done
sh "$@"
