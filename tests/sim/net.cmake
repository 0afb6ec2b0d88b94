# The simulated machine: prices against published figures, contention, platforms by name and by file.
foreach(part keys machine prices share fair plat xml)
  eyot_sim_unit(net_${part} net_${part}.c)
endforeach()
