/* SPDX-License-Identifier: BSD-3-Clause */
/* progress_crash.c - progress_crash SIGNAL: unit 0 sends SIGNAL (a number) to a progress process of
 * its node, or to the progress thread of its own, which both have the name eyot-progress; then all
 * units wait for ever. The run must end with a non-zero code and say who has crashed. */
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "programs/api_check.h"

#define NAME "eyot-progress\n"

/* The first line of a file below /proc; empty if it cannot be read. */
static void line_of(const char *path, char *out, int size) {
  FILE *f = fopen(path, "re");
  if (f == NULL || fgets(out, size, f) == NULL) *out = '\0';
  if (f != NULL) fclose(f);
}

/* The parent of a process, the launcher's process for this node; 0: unknown. */
static long parent_of(const char *process) {
  char path[PATH_MAX], line[512];
  long parent = 0;
  snprintf(path, sizeof path, "/proc/%s/stat", process);
  line_of(path, line, sizeof line);
  const char *after = strrchr(line, ')'); /* the name may have blanks */
  if (after != NULL) (void)sscanf(after, ") %*c %ld", &parent);
  return parent;
}

/* An entry of `folder`, threads of this process or processes with the same parent, whose name is
 * NAME; 0: none. */
static long find(const char *folder, bool siblings) {
  long found = 0;
  DIR *d = opendir(folder);
  if (d == NULL) return 0;
  for (const struct dirent *e = readdir(d); e != NULL && found == 0; e = readdir(d)) {
    char path[PATH_MAX], line[64];
    if (!isdigit((unsigned char)e->d_name[0])) continue;
    if (siblings && parent_of(e->d_name) != (long)getppid()) continue;
    snprintf(path, sizeof path, "%s/%s/comm", folder, e->d_name);
    line_of(path, line, sizeof line);
    if (strcmp(line, NAME) == 0) found = strtol(e->d_name, NULL, 10);
  }
  closedir(d);
  return found;
}

int main(int argc, char **argv) {
  eyot_gptr_t word;
  OK(eyot_init(&argc, &argv));
  int number = argc == 2 ? atoi(argv[1]) : SIGSEGV;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, sizeof(uint64_t), &word));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (eyot_me().id == 0) {
    long thread = 0, process = 0;
    for (int i = 0; i < 1000 && thread == 0 && process == 0; i++) {
      thread = find("/proc/self/task", false); /* it names itself when it first runs */
      process = find("/proc", true);
      if (thread == 0 && process == 0) usleep(1000);
    }
    CHECK(thread != 0 || process != 0);
    CHECK(thread != 0 ? syscall(SYS_tgkill, getpid(), thread, number) == 0
                      : kill((pid_t)process, number) == 0);
  }
  OK(eyot_wait_until(eyot_gptr_at(word, eyot_me()), EYOT_CMP_NE, 0, NULL));
  return finish();
}
