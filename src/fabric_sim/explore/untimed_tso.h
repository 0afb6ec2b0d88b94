/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_tso.h - store buffers: the behavior of order tso beyond rdma. For the untimed engine. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_UNTIMED_TSO_H
#define EYOT_FABRIC_SIM_EXPLORE_UNTIMED_TSO_H

#include "fabric_sim/explore/untimed.h"

/* The behavior of order tso beyond rdma: a load or store of the CPU; a store leaves
 * the buffer; the source of an operation is read; an atomic's read (part 0) or write (part 1). */
uint64_t sim_untimed_tso_cpu(struct sim_unit *u, enum fab_cpu_op op, uint64_t *word,
                             uint64_t operand, uint64_t desired);
void sim_untimed_tso_drain(struct sim_world *w, uint32_t proc);
void sim_untimed_tso_source(struct sim_world *w, struct sim_op *op);
void sim_untimed_tso_amo(struct sim_world *w, struct sim_op *op, uint32_t part);
/* Whether the part must wait because another atomic is between its read and its write. */
bool sim_untimed_tso_held(const struct sim_world *w, const struct sim_op *op, uint32_t part);
/* Called by the step that offers the part: that it has looked. */
void sim_untimed_tso_look(struct sim_world *w, const struct sim_op *op, uint32_t part);
/* A signal acts on the word. */
void sim_untimed_tso_signal(struct sim_world *w, const uint64_t *word);
#endif
