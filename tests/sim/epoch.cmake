# A storm on the global word of an epoch lock: many units want something exclusively, many want all, and the tries of each kind are in the way of the other.
# Everybody gets in within a time that tries alone, without looking first, exceed by far.
eyot_sim_test(sync_lock.epoch.storm PROGRAM sync_lock UNITS 1024 SEEDS 3 OPTIONS --order chaos
  ARGS epoch shared=90 whole=10 tries=20 rounds=2 targets=1024 wait=20000000)
