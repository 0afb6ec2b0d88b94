/* SPDX-License-Identifier: BSD-3-Clause */
/* carry.c - reserves the places of a message's way: the cases that are not inline. See carry.h. */
#include "fabric_sim/machine/carry.h"

uint64_t sim_leg_carry(struct sim_net *net, struct leg *m, uint64_t now_ps) {
  if (__builtin_expect(net->traffic != NULL, 0))
    return sim_leg_carry_as(net, m, net->shared, net->traffic, now_ps);
  return net->shared ? sim_leg_carry_as(net, m, true, NULL, now_ps)
                     : sim_leg_carry_as(net, m, false, NULL, now_ps);
}
