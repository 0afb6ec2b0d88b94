/* SPDX-License-Identifier: BSD-3-Clause */
/* start_signal.c - start_signal default|own: eyot interrupts its own waiting at start and end by
 * SIGURG (fabric_real/wait/spin.h). The program calls eyot on a second thread while its first one
 * waits in poll(), which a signal would end. default: the program leaves SIGURG alone, and finds it
 * so before and after. own: it has a handler, which is called at any time, and for its own signals
 * only. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "programs/api_check.h"

static _Thread_local volatile sig_atomic_t handled; /* on this thread */
static bool own;
static int ends[2];

static void on_urgent(int number) {
  (void)number;
  handled++;
}

/* Whether the handler is the program's; and the signal does what the program has asked for. */
static bool is_mine(void) {
  struct sigaction now;
  sig_atomic_t before = handled;
  if (sigaction(SIGURG, NULL, &now) != 0 || pthread_kill(pthread_self(), SIGURG) != 0) return false;
  return now.sa_handler == (own ? on_urgent : SIG_DFL) && handled == before + own;
}

static void *run(void *arg) {
  static int bad;
  (void)arg;
  bad = !is_mine() || eyot_init(NULL, NULL) != EYOT_OK;
  if (bad == 0) {
    CHECK(is_mine());
    CHECK(handled == (own ? 2 : 0));
    bad = finish();
  }
  if (!is_mine()) bad = 3;
  (void)close(ends[1]);
  return &bad;
}

int main(int argc, char **argv) {
  const struct sigaction mine = {.sa_handler = on_urgent, .sa_flags = SA_RESTART};
  pthread_t id;
  void *bad;
  own = argc > 1 && strcmp(argv[1], "own") == 0;
  if (pipe(ends) != 0 || (own && sigaction(SIGURG, &mine, NULL) != 0) ||
      pthread_create(&id, NULL, run, NULL) != 0)
    return 2;
  struct pollfd end = {.fd = ends[0]};
  int woken, sent = 0;
  while ((woken = poll(&end, 1, own ? 1 : -1)) == 0)
    sent += pthread_kill(pthread_self(), SIGURG) == 0;
  if (woken != 1) fprintf(stderr, "start_signal: a signal has ended poll()\n");
  if (handled != sent)
    fprintf(stderr, "start_signal: %d of %d signals handled\n", (int)handled, sent);
  pthread_join(id, &bad);
  return woken == 1 && handled == sent ? *(int *)bad : 4;
}
