/* SPDX-License-Identifier: BSD-3-Clause */
/* links.h - the processes of a supervised run on other hosts: their agents (unit_agent.h) connect
 * over TCP, and each process becomes a member (members.h). For supervise_run.c.
 *
 * Why it exists: a launcher that has lost a process of another host without a word, or before
 * eyot_init, may wait for ever, and reports 0 for one that left with 0. */
#ifndef EYOT_LINKS_H
#define EYOT_LINKS_H

#include "link_message.h"
#include "members.h"

/* The descriptors of links in the caller's epoll have data.u64 of LINKS_TAG + ... */
#define LINKS_TAG (UINT64_C(1) << 41)

struct links {
  struct members *members;
  int listener;
  char key[EYOTI_RUN_KEY];
  uint32_t n;
  struct link **link;
};

/* Listens, and tells the processes where by LINK_ENV. iface: the network interface by which the
 * other hosts reach this one; NULL: any. False: no memory, or the system refuses (logged). */
bool links_open(struct links *l, struct members *m, const char *key, const char *iface);
void links_close(struct links *l);
/* Handles the event of epoll with this tag, as members_event. */
enum members_event links_event(struct links *l, uint64_t tag, uint32_t *which);
/* Asks all agents. An answer to LINK_ASK_STATE changes the member and its record. */
void links_ask(struct links *l, enum link_ask what);
/* Every agent has answered the last LINK_ASK_REPORT, or is gone. */
bool links_reported(const struct links *l);
#endif
