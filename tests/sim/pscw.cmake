# Active target between groups: exchange with neighbors, checked by its data, from many seeds.
eyot_test_program(pscw pscw.c)

set(pscw_small_machine --platform dragonfly:chassis=1,blades=2,nodes=2 --units-per-node 2)
set(pscw_args_ring ring=1 degree=2 ahead=4)
set(pscw_args_random ring=0 degree=3 ahead=3)
set(pscw_args_redraw ring=0 degree=3 ahead=3 redraw=1 epochs=8)
set(pscw_args_changing ring=0 degree=3 ahead=3 redraw=1 changing=1 epochs=8)
# As few places as the attribute promises.
set(pscw_args_tight ring=0 degree=3 ahead=1 redraw=1 changing=1 neighbors=3 meet=1)
set(pscw_epochs_4)
set(pscw_epochs_64 epochs=6)

foreach(graph ring random redraw changing tight)
  foreach(order strict rdma chaos)
    eyot_wide_order(wide ${order})
    foreach(units 4 64)
      eyot_sim_test(pscw.${graph}.${order}.n${units} PROGRAM pscw UNITS ${units} SEEDS 100 OPTIONS --order ${order} ${pscw_small_machine}
        ARGS ${pscw_args_${graph}} ${pscw_epochs_${units}})
    endforeach()
    eyot_sim_test(pscw.${graph}.${order}.n1024 PROGRAM pscw UNITS 1024 SEEDS 2 ${wide} OPTIONS --order ${order} ARGS ${pscw_args_${graph}} epochs=4)
  endforeach()
  set(wide WIDE)
  if(graph STREQUAL changing)
    set(wide)
  endif()
  eyot_sim_test(pscw.${graph}.n4096 PROGRAM pscw UNITS 4096 SEEDS 1 ${wide} OPTIONS --order chaos ARGS ${pscw_args_${graph}} epochs=2 TIMEOUT 300)
endforeach()
