/* SPDX-License-Identifier: BSD-3-Clause */
/* code_line.c - runs addr2line and reads its answer. See code_line.h. The addresses are in a memory
 * file, so that no deadlock of two full pipes is possible. */
#include "base/code_line.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/out_file.h"
#include "base/patience.h"

#define PATIENCE_NS UINT64_C(5000000000)
#define LOOK_MS 100
#define ANSWER_MAX (8u << 20) /* bytes */

/* 0: there is no such clock. */
static uint64_t line_clock_ns(clockid_t clock) {
  struct timespec t = {0};
  if (clock_gettime(clock, &t) != 0) return 0;
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool eyoti_patience_lasts(struct eyoti_patience *p, uint64_t now_ns, uint64_t worked_ns) {
  if (p->since_ns == 0 || worked_ns != p->worked_ns) p->since_ns = now_ns;
  p->worked_ns = worked_ns;
  return now_ns - p->since_ns < PATIENCE_NS && worked_ns < PATIENCE_NS;
}

static bool write_questions(int fd, const uint64_t *off, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (dprintf(fd, "%#" PRIx64 "\n", off[i]) < 0) return false;
  return lseek(fd, 0, SEEK_SET) == 0;
}

/* A timer of the caller's, as the simulator's watchdog, would take the wait for one of the program.
 * Its signals come after the wait; those that end a process come at once. */
static void line_hold_timers(sigset_t *before) {
  sigset_t timers;
  sigemptyset(&timers);
  for (int s = SIGRTMIN; s <= SIGRTMAX; s++) sigaddset(&timers, s);
  (void)pthread_sigmask(SIG_BLOCK, &timers, before);
}

static bool ask_start(const char *file, int in, int out, pid_t *pid) {
  char *const argv[] = {(char[]){"addr2line"}, (char[]){"-afiC"}, (char[]){"-e"},
                        (char *)(uintptr_t)file, NULL};
  posix_spawn_file_actions_t io;
  if (posix_spawn_file_actions_init(&io) != 0) return false;
  bool ok = posix_spawn_file_actions_adddup2(&io, in, STDIN_FILENO) == 0 &&
            posix_spawn_file_actions_adddup2(&io, out, STDOUT_FILENO) == 0 &&
            posix_spawn_file_actions_addopen(&io, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
            /* a fork would copy the page tables of thousands of units */
            posix_spawnp(pid, argv[0], &io, NULL, argv, environ) == 0;
  posix_spawn_file_actions_destroy(&io);
  return ok;
}

static bool still_waits(struct eyoti_patience *p, pid_t pid) {
  clockid_t of_tool;
  uint64_t worked_ns = clock_getcpuclockid(pid, &of_tool) == 0 ? line_clock_ns(of_tool) : 0;
  return eyoti_patience_lasts(p, line_clock_ns(CLOCK_MONOTONIC), worked_ns);
}

/* Reads everything up to the end, terminated by 0; NULL: the tool is broken, or out of memory. */
static char *read_answer(int fd, pid_t pid) {
  size_t n = 0, cap = 65536;
  char *text = malloc(cap);
  struct eyoti_patience patience = {0};
  while (text != NULL) {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int ready = poll(&p, 1, LOOK_MS);
    /* nothing yet, or interrupted by a signal: the clocks bound this */
    if (ready <= 0 && still_waits(&patience, pid)) continue;
    /* in explored runs the kernel cannot write to memory that the process has not written before */
    memset(text + n, 0, cap - n);
    ssize_t got = ready > 0 ? read(fd, text + n, cap - n - 1) : -1;
    if (got <= 0) {
      text[n] = '\0';
      if (got == 0) return text;
      break;
    }
    n += (size_t)got;
    if (n + 1 < cap) continue;
    char *more = cap < ANSWER_MAX ? realloc(text, cap *= 2) : NULL;
    if (more == NULL) break;
    text = more;
  }
  free(text);
  return NULL;
}

static bool ask_run(const char *file, const uint64_t *off, uint32_t n, char **answer) {
  int ends[2] = {-1, -1};
  pid_t pid = -1;
  sigset_t before;
  struct sigaction too_long;
  *answer = NULL;
  memset(&before, 0, sizeof before); /* the kernel's writes, as in read_answer */
  line_hold_timers(&before);
  eyoti_out_begin(&too_long); /* of the memory file */
  int in = memfd_create("eyot-places", MFD_CLOEXEC);
  bool ok = in >= 0 && write_questions(in, off, n) && pipe2(ends, O_CLOEXEC) == 0 &&
            ask_start(file, in, ends[1], &pid);
  if (ends[1] >= 0) close(ends[1]);
  if (ok) {
    *answer = read_answer(ends[0], pid);
    if (*answer == NULL) (void)kill(pid, SIGKILL);
    int status = 0;
    /* a program that ignores SIGCHLD has no exit status */
    ok = waitpid(pid, &status, 0) != pid || status == 0;
  }
  if (ends[0] >= 0) close(ends[0]);
  if (in >= 0) close(in);
  eyoti_out_end(&too_long);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!ok || *answer == NULL) {
    free(*answer);
    return false;
  }
  return true;
}

/* Returns the next line, without its newline; NULL: no more. */
static char *ask_next_line(char **at) {
  if (**at == '\0') return NULL;
  char *line = *at, *end = strchr(line, '\n');
  *at = end != NULL ? end + 1 : line + strlen(line);
  if (end != NULL) *end = '\0';
  return line;
}

static bool is_address(const char *line) {
  return line[0] == '0' && line[1] == 'x';
}

/* Whether the frame is in a header of eyot or of one of its interfaces (include/eyot-upc): the
 * program's own frame is the one around it. */
static bool is_header(const char *place) {
  static const char FOLDER[] = "include/eyot";
  const char *dir = strstr(place, FOLDER);
  char next = dir != NULL ? dir[sizeof FOLDER - 1] : '\0';
  return (next == '/' || next == '-') && strstr(dir, ".h:") != NULL;
}

static void note_frame(const char *function, char *place, char *text) {
  char *more = strstr(place, " (discriminator");
  if (more != NULL) *more = '\0';
  const char *colon = strrchr(place, ':');
  if (place[0] == '?' || colon == NULL || colon[1] == '?' || colon[1] == '0') return; /* no line */
  const char *slash = strrchr(place, '/');
  const char *name = slash != NULL ? slash + 1 : place;
  if (function[0] == '?')
    snprintf(text, EYOTI_CODE_LINE, "%s", name);
  else
    snprintf(text, EYOTI_CODE_LINE, "%s (%s)", name, function);
}

/* addr2line prints for each address a line with it, then two lines per frame, the innermost first:
 * the function; file and line. */
bool eyoti_code_lines(const char *file, const uint64_t *off, uint32_t n,
                      char (*text)[EYOTI_CODE_LINE]) {
  for (uint32_t i = 0; i < n; i++) text[i][0] = '\0';
  char *answer;
  if (!ask_run(file, off, n, &answer)) return false;
  char *at = answer, *line = ask_next_line(&at);
  for (uint32_t i = 0; i < n && line != NULL && is_address(line); i++) {
    bool taken = false;
    line = ask_next_line(&at);
    while (line != NULL && !is_address(line)) {
      char *place = ask_next_line(&at);
      if (place == NULL) break;
      if (!taken) note_frame(line, place, text[i]);
      taken = taken || !is_header(place);
      line = ask_next_line(&at);
    }
  }
  free(answer);
  return true;
}
