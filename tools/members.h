/* SPDX-License-Identifier: BSD-3-Clause */
/* members.h - the processes of a host that belong to a supervised run (base/run.h): those that the
 * launcher has started (unit_start.c), and those that have joined in eyot_init. The socket that
 * they find, the memory that they share, and the notice of their end. For supervise_run.c. */
#ifndef EYOT_MEMBERS_H
#define EYOT_MEMBERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/run.h"

/* A process of another host (links.h). */
struct remote {
  char host[64];
  pid_t pid;
  bool joined;        /* it has called eyot_init */
  uint64_t waited_ns; /* as of its agent's last message, like the state and `stopped` */
  uint64_t asked_ns;  /* since when its agent has not answered; 0: it has */
  char *report;       /* its line, as its agent has told it; NULL: not yet */
};

struct member {
  pid_t pid;  /* 0: not visible from here (another namespace, another host) */
  int socket; /* its end means the process's end where the process is not visible; -1: closed */
  int pidfd;  /* -1: none */
  bool gone;
  int status;            /* of its end, as wait(2) gives it; -1: not known */
  uint32_t ended;        /* its connection ended as number ...; 0: not yet */
  bool stopped;          /* when its state was last read */
  struct remote *remote; /* NULL: a process of this host */
};

struct members {
  int epoll, listener;
  int memory; /* the descriptor of `run` */
  struct eyoti_run_memory *run;
  uint32_t n, ended;
  uint32_t joined;       /* those of the n that have called eyot_init */
  struct member *member; /* by the index of its record */
};

/* What happened at a descriptor: `which` of members_event. */
enum members_event { MEMBERS_NOTHING, MEMBERS_JOINED, MEMBERS_GONE, MEMBERS_EXIT_ALL };
/* The descriptors of members in the caller's epoll have data.u64 of MEMBERS_TAG + ... */
#define MEMBERS_TAG (UINT64_C(1) << 40)

/* Sets a key that nobody can guess, by which processes find their supervisor. False: the system
 * refuses (logged). */
bool members_key(char key[EYOTI_RUN_KEY]);
/* A listening socket for `key`; -1: it cannot be made (logged). */
int members_listen(const char *key);
/* False: no memory, or the system refuses (logged). */
bool members_open(struct members *m, int listener, int epoll);
void members_close(struct members *m);
/* Lets this process open as many descriptors as it may: one or two a member. */
void members_descriptors(void);
/* Handles the event of epoll with this tag. */
enum members_event members_event(struct members *m, uint64_t tag, uint32_t *which);
/* Reads which processes of this host are stopped. */
void members_look(struct members *m);
/* Its agent has owed an answer for that long. */
bool members_cut_off(const struct members *m, uint32_t i, uint64_t now_ns, uint64_t for_ns);
void members_kill(const struct members *m);
/* Processes of the run that are known here, ended ones too. */
uint32_t members_known(const struct members *m);
/* Processes that have not ended. */
uint32_t members_alive(const struct members *m);
/* The process has called eyot_init, and not finalized it. */
bool members_unfinished(const struct members *m, uint32_t i);
/* A process has said why it ends the run; or eyot_init has failed on all units, and one has ended:
 * MPICH 4.2's launcher kills the others for that, wherever they are. */
bool members_anyone_told(const struct members *m);
/* The process has not called eyot_init. */
bool members_early(const struct members *m, uint32_t i);
/* Processes that are inside eyot_init, where they wait for all others. */
uint32_t members_starting(const struct members *m);
/* Processes that have called eyot_init, which has not opened the fabric yet. */
uint32_t members_opening(const struct members *m);
/* Processes that have neither called eyot_init nor ended, and are no scripts. */
uint32_t members_outside(const struct members *m);
/* A process that has ended before it called eyot_init; members.n: there is none. */
uint32_t members_ended_early(const struct members *m);
/* Another process of its rank has joined: the launcher has started a script. */
bool members_is_script(const struct members *m, uint32_t i);
/* The process whose end caused that of the others, given that an unfinished one ended. A launcher
 * kills the others so soon that ends and connections are told in any order: *sure is set where the
 * process was not killed, by its status, which Linux 6.15 tells once the launcher has read it. */
uint32_t members_first_lost(const struct members *m, bool *sure);
/* "with code 0", "by signal 9 (Killed)"; false: the system does not tell. */
bool members_how(const struct members *m, uint32_t i, char *text, size_t size);
/* Its exit code, 128 + N after signal N; -1: it was killed (SIGKILL) on this host, where launchers
 * do that too, or the system does not tell. */
int members_code(const struct members *m, uint32_t i);
/* The code of a process that the launcher has executed as a unit, and that ended with another code
 * than 0; 0: there is none, or the system does not tell. */
int members_failed_code(const struct members *m);
/* The process that made the launcher end process i: Open MPI's ends the others by SIGTERM when a
 * process returns another code than 0, also while they are in eyot_finalize. Else i. */
uint32_t members_cause(const struct members *m, uint32_t i);
/* "unit 3 (process 4711)", "progress process 0 (rank 4, process 4712 on host2)" */
void members_name(const struct members *m, uint32_t i, char *text, size_t size);
#endif
