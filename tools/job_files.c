/* SPDX-License-Identifier: BSD-3-Clause */
/* job_files.c - see job_files.h. */
#include "job_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job_procs.h"

#define DIR_NAME "/dev/shm/"
#define PROCS_MAX 4096u

/* The beginnings of the names that MPI libraries and eyot give to files that nobody keeps. */
static const char *const NAMES[] = {"mpich_shar_tmp", "eyot-", "ucx_shm_posix_", "vader_segment.",
                                    "sm_segment."};

static bool is_ours(const char *name) {
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
    if (strncmp(name, NAMES[i], strlen(NAMES[i])) == 0) return true;
  return false;
}

void job_files_watch(struct job_files *f) {
  f->watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (f->watch < 0 || inotify_add_watch(f->watch, DIR_NAME, IN_CREATE | IN_MOVED_TO) >= 0) return;
  close(f->watch);
  f->watch = -1;
}

static uint64_t inode_of(const char *name) {
  char path[JOB_FILES_NAME + sizeof DIR_NAME];
  struct stat st;
  snprintf(path, sizeof path, DIR_NAME "%s", name);
  return lstat(path, &st) == 0 ? (uint64_t)st.st_ino : 0;
}

/* Makes room: forgets the files whose names are gone. */
static void files_forget(struct job_files *f) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < f->n; i++)
    if (inode_of(f->file[i].name) == f->file[i].inode) f->file[kept++] = f->file[i];
  f->n = kept;
}

/* used: a process of the job has it. */
static void files_add_name(struct job_files *f, const char *name, bool used) {
  size_t len = strcspn(name, "\n");
  if (!is_ours(name) || len >= JOB_FILES_NAME || memchr(name, ' ', len) != NULL ||
      memchr(name, '/', len) != NULL)
    return;
  struct job_file now = {0};
  memcpy(now.name, name, len);
  now.inode = inode_of(now.name);
  if (now.inode == 0) return;
  now.used = used;
  for (uint32_t i = 0; i < f->n; i++)
    if (f->file[i].inode == now.inode && strcmp(f->file[i].name, now.name) == 0) {
      f->file[i].used = f->file[i].used || used;
      return;
    }
  if (f->n == JOB_FILES_MAX) files_forget(f);
  if (f->n == JOB_FILES_MAX) return;
  f->file[f->n] = now;
  __atomic_store_n(&f->n, f->n + 1, __ATOMIC_RELEASE);
}

/* path: as the kernel shows it, "/dev/shm/NAME"; " (deleted)" after it means that no name is
 * left. */
static void files_add(struct job_files *f, const char *path) {
  if (strncmp(path, DIR_NAME, sizeof DIR_NAME - 1) == 0)
    files_add_name(f, path + sizeof DIR_NAME - 1, true);
}

static void scan_maps(struct job_files *f, pid_t pid) {
  char path[64], line[512];
  snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
  FILE *maps = fopen(path, "re");
  if (maps == NULL) return;
  while (fgets(line, sizeof line, maps) != NULL) {
    const char *at = strstr(line, DIR_NAME);
    if (at != NULL) files_add(f, at);
  }
  fclose(maps);
}

static void scan_descriptors(struct job_files *f, pid_t pid) {
  char path[64], link[320], target[256];
  snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
  DIR *d = opendir(path);
  if (d == NULL) return;
  for (const struct dirent *e; (e = readdir(d)) != NULL;) {
    snprintf(link, sizeof link, "%s/%s", path, e->d_name);
    ssize_t n = readlink(link, target, sizeof target - 1);
    if (n <= 0) continue;
    target[n] = '\0';
    files_add(f, target);
  }
  closedir(d);
}

void job_files_scan(struct job_files *f) {
  pid_t *pids = malloc(PROCS_MAX * sizeof *pids);
  size_t n = pids != NULL ? job_procs_below(0, pids, PROCS_MAX) : 0;
  for (size_t i = 0; i < n; i++) {
    scan_descriptors(f, pids[i]);
    scan_maps(f, pids[i]);
  }
  free(pids);
}

void job_files_note(struct job_files *f) {
  char buffer[4096] __attribute__((aligned(8)));
  uint32_t before = f->n;
  for (ssize_t n; (n = read(f->watch, buffer, sizeof buffer)) > 0;)
    for (ssize_t at = 0; at < n;) {
      const struct inotify_event *e = (const struct inotify_event *)(const void *)(buffer + at);
      if (e->len > 0) files_add_name(f, e->name, false);
      at += (ssize_t)(sizeof *e + e->len);
    }
  if (f->n > before) job_files_scan(f);
}

static void file_remove(const struct job_file *file) {
  char path[JOB_FILES_NAME + sizeof DIR_NAME];
  struct stat st;
  snprintf(path, sizeof path, DIR_NAME "%s", file->name);
  if (lstat(path, &st) == 0 && (uint64_t)st.st_ino == file->inode && st.st_uid == geteuid())
    (void)unlink(path);
}

/* Marks what living processes use, the job's or not. */
static void mark_used(struct job_files *f) {
  pid_t *pids = malloc(PROCS_MAX * sizeof *pids);
  size_t n = pids != NULL ? job_procs_all(pids, PROCS_MAX) : 0;
  for (uint32_t i = 0; i < f->n && pids == NULL; i++) f->file[i].used = true;
  for (size_t i = 0; i < n; i++) {
    scan_descriptors(f, pids[i]);
    scan_maps(f, pids[i]);
  }
  free(pids);
}

/* A process that is killed right after it has made a file leaves nothing that tells whose file it
 * was: what appeared while the job ran, belongs to this user and is used by no process has no
 * owner any more. */
static void remove_abandoned(const struct job_files *f) {
  struct job_files abandoned = {0};
  for (uint32_t i = 0; i < f->n && i < JOB_FILES_MAX; i++)
    if (!f->file[i].used) abandoned.file[abandoned.n++] = f->file[i];
  if (abandoned.n == 0) return;
  mark_used(&abandoned);
  for (uint32_t i = 0; i < abandoned.n && i < JOB_FILES_MAX; i++)
    if (!abandoned.file[i].used) file_remove(&abandoned.file[i]);
}

void job_files_remove(struct job_files *f) {
  job_files_note(f);
  for (uint32_t i = 0; i < f->n && i < JOB_FILES_MAX; i++)
    if (f->file[i].used) file_remove(&f->file[i]);
  remove_abandoned(f);
}
