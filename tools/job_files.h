/* SPDX-License-Identifier: BSD-3-Clause */
/* job_files.h - the files in /dev/shm that the processes of a job have made, so that they can be
 * removed after a job that was killed. For supervise.c.
 *
 * Why it exists: MPI libraries make a file, let the processes of the host map it, and remove its
 * name; a job that is killed in between leaves it, and its memory, for ever. A file belongs to the
 * job if a process below the supervisor has it open or mapped. One that appeared while the job ran,
 * and that no process at all uses in the end, is removed too; others are never touched. */
#ifndef EYOT_JOB_FILES_H
#define EYOT_JOB_FILES_H

#include <stdbool.h>
#include <stdint.h>

#define JOB_FILES_MAX 64u
#define JOB_FILES_NAME 64u

/* In memory that the front process shares: it removes the files if the supervisor is killed. */
struct job_files {
  int watch; /* readable when a file was made; -1: not available. Both processes have it */
  uint32_t n;
  struct job_file {
    uint64_t inode; /* a name may be used again by others */
    bool used;      /* by a process of the job; false: it appeared while the job ran */
    char name[JOB_FILES_NAME];
  } file[JOB_FILES_MAX];
};

/* Begins to watch for files that are made in /dev/shm. */
void job_files_watch(struct job_files *f);
/* Reads what has been made, and notes the files and whether processes below this one use them. */
void job_files_note(struct job_files *f);
/* Notes the files that these processes use now. */
void job_files_scan(struct job_files *f);
/* Removes the files that still exist, those that were made until now too; called when no process of
 * the job is left. */
void job_files_remove(struct job_files *f);
#endif
