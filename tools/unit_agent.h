/* SPDX-License-Identifier: BSD-3-Clause */
/* unit_agent.h - the parent of a program on a host where the supervisor of its run is not: it
 * supervises this one process, by the protocol of base/run.h, and is linked to the supervisor over
 * TCP (link_message.h). For unit_start.c.
 *
 * Why it exists: the protocol shares memory, and a launcher may not end a job, or may report 0,
 * after a process of another host has ended without a word. Where the supervisor cannot be reached,
 * the agent tells the launcher to end the job in that case. */
#ifndef EYOT_UNIT_AGENT_H
#define EYOT_UNIT_AGENT_H

/* Runs the program in a child and ends as it has ended. key: of the run; at: where its supervisor
 * listens, or NULL. Returns an exit code; -1: it cannot watch over a process (logged). */
int unit_agent(char **program, const char *key, const char *at);
/* Executes the program; returns an exit code, after a message, if that is impossible. */
int unit_agent_execute(char **program);
#endif
