/* SPDX-License-Identifier: BSD-3-Clause */
/* prog_ends.c - ways to end the process, not a unit: prog_ends WAY WHEN. Unit 1 ends it with code
 * 0: by errx of libc, pthread_exit, or exit in another thread; before or after eyot_finalize. */
#include <err.h>
#include <eyot/eyot.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *thread(void *unused) {
  (void)unused;
  exit(0);
}

static void end(const char *way) {
  pthread_t t;
  if (strcmp(way, "errx") == 0) errx(0, "the reason");
  if (strcmp(way, "pthread_exit") == 0) pthread_exit(NULL);
  if (strcmp(way, "thread") == 0 && pthread_create(&t, NULL, thread, NULL) == 0)
    (void)pthread_join(t, NULL);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  if (eyot_init(&argc, &argv) != EYOT_OK) return 1;
  bool ends = eyot_me().id == 1;
  if (ends && strcmp(argv[2], "before") == 0) end(argv[1]);
  if (eyot_barrier(EYOT_TEAM_ALL) != EYOT_OK || eyot_finalize() != EYOT_OK) return 1;
  if (ends) end(argv[1]);
  return 0;
}
