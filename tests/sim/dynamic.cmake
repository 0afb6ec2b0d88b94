# Dynamic segments: random use against a model, in every order of deliveries; and what a put costs. Where the model provokes errors, their log lines are
# left out; what the program itself finds wrong it says without the log.
eyot_test_program(dynamic dynamic.c)
foreach(kind validate notify)
  foreach(order strict rdma chaos)
    eyot_wide_order(wide ${order})
    # With an odd seed of the model nobody accesses what is not attached.
    foreach(seed 1 2)
      eyot_sim_test(dynamic_${kind}_${order}_${seed} PROGRAM dynamic UNITS 4 SEEDS 40 OPTIONS --order ${order} --seed 1
        ARGS model ${kind} 1 12 ${seed} PASSES "all passed$" ENV EYOT_LOG=silent)
    endforeach()
    eyot_sim_test(dynamic_${kind}_${order}_64 PROGRAM dynamic UNITS 64 SEEDS 3 OPTIONS --order ${order} --seed 5
      ARGS model ${kind} 3 10 3 PASSES "all passed$")
    eyot_sim_test(dynamic_${kind}_${order}_1024 PROGRAM dynamic UNITS 1024 ${wide} OPTIONS --order ${order} --seed 9 ARGS model ${kind} 8 5 4 PASSES "^ok$"
      ENV EYOT_LOG=silent)
  endforeach()
endforeach()
eyot_sim_test(dynamic_simgrid PROGRAM dynamic UNITS 8 OPTIONS --engine simgrid --order chaos ARGS model notify 2 8 5 PASSES "^ok$")
eyot_sim_test(dynamic_price PROGRAM dynamic UNITS 64 OPTIONS --platform xe6 ARGS price PASSES "^ok$")
