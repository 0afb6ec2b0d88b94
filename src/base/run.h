/* SPDX-License-Identifier: BSD-3-Clause */
/* run.h - the memory that the processes of a supervised mpi run share with their supervisor, one
 * record a process. For fabric_real/wait/supervised.c and tools/.
 *
 * Why it exists: a launcher reports exit codes, which do not tell whether a unit has finalized, nor
 * what it waits for. A process finds its supervisor through EYOTI_RUN, a key: it connects to the
 * abstract socket eyot-run-KEY of its host, sends a struct eyoti_run_join, and receives its
 * record's index with a descriptor of this memory (docs/adr/0031-a-run-is-supervised.md). Only the
 * process writes its record. */
#ifndef EYOT_BASE_RUN_H
#define EYOT_BASE_RUN_H

#include <stdalign.h>
#include <stdint.h>

#define EYOTI_RUN_ENV "EYOTI_RUN"
#define EYOTI_RUN_SOCKET "eyot-run-" /* and the key; an abstract name */
#define EYOTI_RUN_ABI 7u
#define EYOTI_RUN_MAGIC UINT32_C(0x65796f72)
#define EYOTI_RUN_RECORDS 4096u /* processes of a host */
#define EYOTI_RUN_CALL 64u      /* bytes of two public functions' names, or of a message's */
#define EYOTI_RUN_KEY 33u       /* bytes of a key, with its 0 */
#define EYOTI_RUN_NOUN 24u
#define EYOTI_RUN_NAME 64u
#define EYOTI_RUN_SAYINGS 128u /* mistakes that are counted over all processes */
#define EYOTI_RUN_TEXTS 4u     /* different texts of one mistake that are printed */
#define EYOTI_RUN_FIRST 320u   /* bytes of the first text */
#define EYOTI_RUN_NO_UNIT UINT32_MAX

enum eyoti_run_state {
  EYOTI_RUN_JOINED = 0, /* in eyot_init */
  EYOTI_RUN_RUNNING,    /* eyot_init has opened the fabric */
  EYOTI_RUN_LEFT,       /* eyot_finalize has closed it */
  EYOTI_RUN_REFUSED,    /* eyot_init has failed and told the program */
  EYOTI_RUN_ABORTING,   /* the process has told why it ends the run */
  EYOTI_RUN_STARTED     /* the launcher has started it; it has not called eyot_init */
};

enum eyoti_run_wait_kind {
  EYOTI_RUN_NO_WAIT = 0,
  EYOTI_RUN_WAIT_WORD,  /* a word of its own: seg, off, type, cmp, value, now */
  EYOTI_RUN_WAIT_ANY,   /* any of `words` words; the first of them as above */
  EYOTI_RUN_WAIT_MPI,   /* requests of MPI's: operations of its own */
  EYOTI_RUN_WAIT_FLUSH, /* a flush of MPI's; only `kind` is set */
  EYOTI_RUN_WAIT_UNITS, /* the other units, in a meeting of the fabric */
  EYOTI_RUN_WAIT_LEAVE, /* the launcher's barrier at the end */
  EYOTI_RUN_WAIT_TURN,  /* a lock that is passed on in order */
  EYOTI_RUN_WAIT_TRIES  /* it tries something again and again, with pauses */
};

/* An object of the process in parts (base/object.h); its reader looks up the place. */
struct eyoti_run_object {
  uint32_t known;     /* 0: the rest is not set */
  uint32_t at;        /* enum eyoti_object_at */
  uint64_t in;        /* the byte of the object */
  uint64_t len_bytes; /* of the object */
  uint64_t site;      /* the address to which the function that made it returned */
  uint64_t data;      /* of EYOTI_AT_DATA: the byte's place in the program's file */
  char noun[EYOTI_RUN_NOUN], name[EYOTI_RUN_NAME], what[EYOTI_RUN_CALL];
};

/* The wait that the process is in. `turn` is odd while the process writes the other members; it
 * changes with every wait, and a wait that ends sets `kind` to EYOTI_RUN_NO_WAIT. */
struct eyoti_run_wait {
  uint32_t turn;
  uint32_t kind;
  uint32_t seg, cmp;
  uint64_t off, value, now;
  uint64_t since_ns; /* CLOCK_MONOTONIC of its host */
  uint64_t site;     /* the address in the program to which the public function returns */
  uint32_t words;
  uint32_t timed; /* the wait has a timeout */
  uint32_t type;  /* enum fab_word */
  char call[EYOTI_RUN_CALL];
  struct eyoti_run_object word;  /* that has the (first) word; described after a while */
  struct eyoti_run_object about; /* the lock that the call waits for; likewise */
};

struct eyoti_run_record {
  alignas(256) uint32_t state; /* enum eyoti_run_state */
  uint32_t unit;               /* EYOTI_RUN_NO_UNIT: unknown, or no unit */
  uint32_t rank;               /* by the launcher's environment; EYOTI_RUN_NO_UNIT: unknown */
  uint32_t server;             /* 1 + index of a progress process on its node; 0: a unit */
  uint64_t current;            /* the address of eyot_current in the process */
  struct eyoti_run_wait wait;
};

/* A mistake of the program that units have logged (rt/said.h). Processes that die while they write
 * leave nothing locked: each member is written atomically, or by one process before `ready`. */
struct eyoti_run_saying {
  uint64_t key;                   /* 0: free; else never changes */
  uint64_t text[EYOTI_RUN_TEXTS]; /* hashes of the texts that were printed; 0: free */
  uint64_t times, printed;
  uint64_t units[EYOTI_RUN_RECORDS / 64]; /* a bit for each that made it; higher ones have none */
  uint32_t ready;                         /* the rest is set */
  uint32_t unit;                          /* that made it first */
  char level[8], first[EYOTI_RUN_FIRST];
};

struct eyoti_run_memory {
  alignas(256) uint32_t magic;
  uint32_t abi;
  uint32_t exit_all; /* 0x100 + code once a unit has called eyot_exit_all */
  uint32_t unit;     /* that unit */
  struct eyoti_run_saying saying[EYOTI_RUN_SAYINGS];
  struct eyoti_run_record record[EYOTI_RUN_RECORDS];
};

/* What a process sends to its supervisor in eyot_init, and the answer, with the memory's
 * descriptor. */
struct eyoti_run_join {
  uint32_t magic, abi;
};
struct eyoti_run_joined {
  uint32_t magic, index;
};
/* What a process sends before it executes the program (tools/unit_start.c). The answer is the end
 * of the connection: the supervisor watches over the process from then on. */
struct eyoti_run_start {
  uint32_t magic, abi, rank;
};
/* What a process sends later, one byte: eyot_exit_all was called. */
#define EYOTI_RUN_EXIT_ALL 'x'
/* And: its state is EYOTI_RUN_ABORTING. */
#define EYOTI_RUN_TOLD 't'
/* The code of MPI_Abort by which a process on another host says eyot_exit_all(0). */
#define EYOTI_RUN_EXIT_ZERO 119
#endif
