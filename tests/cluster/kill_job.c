/* SPDX-License-Identifier: BSD-3-Clause */
/* kill_job.c - kills a process of a small job, time after time, and checks how the job ends:
 *   kill_job TRIALS SEED -- EYOTRUN ARGUMENTS...
 * It first times an undisturbed job. A trial starts the command, waits for a random moment within
 * that time, sends a random signal to a random process of the job, and expects within BOUND_MS:
 * an end; an exit code other than 0, with a message, if the job had not ended first; no process
 * below this one; and no file in /dev/shm. Run it in net/machine.sh, whose /dev/shm no other job
 * uses. CAMPAIGN_SEED replaces SEED. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../tools/job_procs.h"
#include "support/draw.h"

#define BOUND_MS 20000
#define PROCS_MAX 256
#define MISSES_MAX 50 /* jobs that end before they are struck */
#define NAME_BYTES 32
#define FINISHED "all finalized" /* a job that was not disturbed prints it */

struct trial {
  char **command;
  int output; /* a file in memory with what the job prints */
  pid_t job, victim;
  int signo, moment_ms;
  char victim_name[NAME_BYTES];
  int status;
};

static void pause_ms(int ms) {
  struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
  while (nanosleep(&t, &t) != 0 && errno == EINTR) continue;
}

static void name_of(pid_t pid, char *name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
  FILE *f = fopen(path, "re");
  snprintf(name, NAME_BYTES, "?");
  if (f == NULL) return;
  if (fgets(name, NAME_BYTES, f) != NULL) name[strcspn(name, "\n")] = '\0';
  fclose(f);
}

static void start(struct trial *t) {
  fflush(NULL);
  t->job = fork();
  if (t->job != 0) return;
  (void)setpgid(0, 0);
  int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (dup2(null, 0) < 0 || dup2(t->output, 1) < 0 || dup2(t->output, 2) < 0) _exit(126);
  execv(t->command[0], t->command);
  _exit(127);
}

/* Kills one of the processes of the job that are there now. */
static void strike(struct trial *t, uint64_t *random) {
  static const int SIGNALS[] = {SIGKILL, SIGKILL, SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGSEGV};
  pid_t pids[PROCS_MAX];
  size_t n = job_procs_below(0, pids, PROCS_MAX);
  if (n == 0) return; /* the job has ended */
  t->victim = pids[draw(random) % n];
  t->signo = SIGNALS[draw(random) % (sizeof SIGNALS / sizeof *SIGNALS)];
  name_of(t->victim, t->victim_name);
  (void)kill(t->victim, t->signo);
}

/* False: it has not ended in time, and is killed now. */
static bool await_end(struct trial *t) {
  for (int ms = 0; ms < BOUND_MS; ms += 5) {
    pid_t pid;
    int status;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
      if (pid == t->job) {
        t->status = status;
        return true;
      }
    pause_ms(5);
  }
  return false;
}

/* The processes that are left, after a moment in which they may still end. */
static size_t left(void) {
  pid_t pids[PROCS_MAX];
  size_t n = 1;
  for (int i = 0; i < 200 && n > 0; i++) {
    while (waitpid(-1, NULL, WNOHANG) > 0) continue;
    n = job_procs_below(0, pids, PROCS_MAX);
    if (n > 0) pause_ms(10);
  }
  for (size_t i = 0; i < n; i++) {
    char name[NAME_BYTES];
    name_of(pids[i], name);
    printf("  left: %s (%d), state %c\n", name, (int)pids[i], job_procs_state(pids[i]));
  }
  return n;
}

static size_t files(void) {
  DIR *d = opendir("/dev/shm");
  size_t n = 0;
  if (d == NULL) return 0;
  for (const struct dirent *e; (e = readdir(d)) != NULL;) {
    if (e->d_name[0] == '.') continue;
    char path[300];
    snprintf(path, sizeof path, "/dev/shm/%s", e->d_name);
    printf("  left: %s\n", path);
    (void)unlink(path);
    n++;
  }
  closedir(d);
  return n;
}

static void print_output(const struct trial *t) {
  char text[4096];
  ssize_t n = pread(t->output, text, sizeof text - 1, 0);
  text[n > 0 ? n : 0] = '\0';
  printf("%s\n", text);
}

/* True if the trial went as it must. */
static bool judge(struct trial *t, bool ended) {
  int code = !ended                 ? -1
             : WIFEXITED(t->status) ? WEXITSTATUS(t->status)
                                    : 128 + WTERMSIG(t->status);
  static char text[1u << 20]; /* UCX traces everything after a SIGHUP */
  ssize_t n = pread(t->output, text, sizeof text, 0);
  bool finished = n > 0 && memmem(text, (size_t)n, FINISHED, sizeof FINISHED - 1) != NULL;
  const char *wrong = !ended                                       ? "it did not end"
                      : code == 0 && t->victim != 0 && !finished   ? "exit code 0"
                      : code != 0 && n <= 0 && t->victim != t->job ? "no message"
                      : t->victim == 0 && code != 0                ? "it failed undisturbed"
                                                                   : NULL;
  if (!ended) (void)job_procs_kill(0);
  if (left() > 0) wrong = "processes are left";
  (void)job_procs_kill(0);
  if (files() > 0) wrong = "files are left in /dev/shm";
  if (wrong == NULL) return true;
  printf("kill_job: %s, after signal %d to %s (%d) at %d ms; exit code %d; it printed:\n", wrong,
         t->signo, t->victim_name, (int)t->victim, t->moment_ms, code);
  print_output(t);
  return false;
}

/* Makes a trial. moment_ms < 0: undisturbed. True if it went as it must. */
static bool try(struct trial *t, uint64_t *random) {
  t->output = memfd_create("kill-job", 0);
  if (t->output < 0) return false;
  start(t);
  if (t->moment_ms >= 0) {
    pause_ms(t->moment_ms);
    strike(t, random);
  }
  bool good = judge(t, await_end(t));
  close(t->output);
  return good;
}

static int clock_ms(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (int)(t.tv_sec % 1000000 * 1000 + t.tv_nsec / 1000000);
}

int main(int argc, char **argv) {
  if (argc < 5 || strcmp(argv[3], "--") != 0) {
    fputs("usage: kill_job TRIALS SEED -- EYOTRUN ARGUMENTS...\n", stderr);
    return 2;
  }
  int trials = atoi(argv[1]), bad = 0, struck = 0, missed = 0, before_ms = clock_ms();
  const char *campaign = getenv("CAMPAIGN_SEED");
  uint64_t seed = strtoull(campaign != NULL ? campaign : argv[2], NULL, 10), random = seed;
  (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
  struct trial whole = {.command = argv + 4, .moment_ms = -1};
  if (!try(&whole, &random)) return 1;
  int whole_ms = clock_ms() - before_ms;
  while (struck < trials && missed < MISSES_MAX) {
    struct trial t = {.command = argv + 4,
                      .moment_ms = (int)(draw(&random) % (unsigned)(whole_ms + 1))};
    bad += !try(&t, &random);
    if (t.victim != 0) {
      struck++;
    } else {
      missed++;
      whole_ms = t.moment_ms; /* a job ends sooner than the first one did */
    }
  }
  printf("kill_job: seed %" PRIu64 ", %d struck within %d ms, %d had ended before, %d bad\n", seed,
         struck, whole_ms, missed, bad);
  return bad != 0 || struck < trials;
}
