/* SPDX-License-Identifier: BSD-3-Clause */
/* link_message.h - the messages between a run's supervisor and the agents of its processes on other
 * hosts, over TCP. For links.c (the supervisor's end) and unit_agent.c with link_dial.c (the
 * agent's).
 *
 * An agent connects, sends a struct link_hello, and is answered by its magic number. Then it sends
 * a struct link_say, and `len` bytes, for each event and for each question, which is one byte. */
#ifndef EYOT_LINK_MESSAGE_H
#define EYOT_LINK_MESSAGE_H

#include <stdint.h>

#include "base/run.h"

/* "PORT ADDRESS ADDRESS ...": where the supervisor listens. */
#define LINK_ENV "EYOTI_RUN_AT"
#define LINK_ADDRESSES 16u
#define LINK_ADDRESS 64u /* bytes of one, with its 0 */
#define LINK_AT (LINK_ADDRESSES * LINK_ADDRESS)
#define LINK_HOST 64u
#define LINK_TEXT 8192u /* bytes after a message, at most */

struct link_hello {
  uint32_t magic, abi;
  uint32_t rank;
  int32_t pid;
  char key[EYOTI_RUN_KEY], host[LINK_HOST];
};

enum link_what {
  LINK_STATE = 1, /* the process has joined or left, or an answer to LINK_ASK_STATE */
  LINK_ENDED,     /* the process has ended: the last message */
  LINK_EXIT_ALL,  /* it has called eyot_exit_all */
  LINK_REPORT     /* the answer to LINK_ASK_REPORT: the text of its line */
};

struct link_say {
  uint32_t what;
  uint32_t state, unit, rank, server; /* of its record (base/run.h) */
  uint32_t joined;                    /* it has called eyot_init */
  int32_t pid;
  int32_t status;    /* of its end, as wait(2) gives it; -1: not known */
  uint32_t stopped;  /* by SIGSTOP */
  uint32_t exit_all; /* as in struct eyoti_run_memory */
  uint32_t len;
  uint64_t waited_ns; /* in a wait without a timeout; 0: it does not wait so */
};

enum link_ask { LINK_ASK_STATE = 's', LINK_ASK_REPORT = 'r', LINK_ASK_KILL = 'k' };
#endif
