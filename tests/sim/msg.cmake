# Two-sided messages: each call, and random programs against a serial model of matching.
eyot_test_program(msg msg.c)
eyot_test_program(msg_model msg_model.c)
