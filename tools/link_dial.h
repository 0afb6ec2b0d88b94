/* SPDX-License-Identifier: BSD-3-Clause */
/* link_dial.h - connects an agent to the supervisor of its run (link_message.h). For
 * unit_agent.c. */
#ifndef EYOT_LINK_DIAL_H
#define EYOT_LINK_DIAL_H

#include "link_message.h"

/* Tries all addresses of `at`, the value of LINK_ENV, at once. Returns a descriptor that has been
 * answered, -1: none has within seconds. */
int link_dial(const char *at, const struct link_hello *hello);
#endif
