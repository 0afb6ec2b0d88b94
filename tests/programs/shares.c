/* SPDX-License-Identifier: BSD-3-Clause */
/* shares.c - messages that share links: each argument is a flow, [p|g|f]FROM:TO:BYTES:COUNT:START:
 * at START ns unit FROM posts COUNT puts (p), gets (g), or puts with an order after each (f), of
 * BYTES bytes, and completes them. Prints "flow I: NS ns" for each: how long that took. */
#include <stdlib.h>
#include <string.h>

#include "programs/api_check.h"

#define FLOWS_MAX 64

struct flow {
  char kind;
  unsigned long from, to, bytes, count, start_ns;
};

static int flow_parse(const char *text, struct flow *f) {
  f->kind = 'p';
  if (*text == 'p' || *text == 'g' || *text == 'f') f->kind = *text++;
  return sscanf(text, "%lu:%lu:%lu:%lu:%lu", &f->from, &f->to, &f->bytes, &f->count,
                &f->start_ns) == 5;
}

static void flow_run(const struct flow *f, eyot_gptr_t to, unsigned char *local) {
  for (unsigned long i = 0; i < f->count; i++) {
    if (f->kind == 'g')
      OK(eyot_get_nbi(local, to, f->bytes));
    else
      OK(eyot_put_nbi(to, local, f->bytes));
    if (f->kind == 'f') OK(eyot_order((eyot_unit_t){(uint32_t)f->to}));
  }
  OK(eyot_flush((eyot_unit_t){(uint32_t)f->to}, EYOT_REMOTE));
}

int main(int argc, char **argv) {
  static struct flow flows[FLOWS_MAX];
  int n = argc - 1;
  unsigned long most = 8;
  CHECK(n >= 1 && n <= FLOWS_MAX);
  for (int i = 0; i < n; i++) {
    CHECK(flow_parse(argv[i + 1], &flows[i]));
    if (flows[i].bytes > most) most = flows[i].bytes;
  }
  OK(eyot_init(&argc, &argv));
  eyot_gptr_t mem;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, most, &mem));
  unsigned char *local = malloc(most);
  CHECK(local != NULL);
  memset(local, 7, most);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  uint64_t begin_ns = 1000000;
  for (int i = 0; i < n; i++) {
    const struct flow *f = &flows[i];
    if (f->from != eyot_me().id) continue;
    eyot_gptr_t to = mem;
    to = eyot_gptr_at(mem, (eyot_unit_t){(uint32_t)f->to});
    uint64_t now_ns = eyot_now_ns();
    CHECK(i > 0 || now_ns < begin_ns + f->start_ns); /* all units are past the barriers */
    if (now_ns < begin_ns + f->start_ns) OK(eyot_compute(begin_ns + f->start_ns - now_ns));
    uint64_t from_ns = eyot_now_ns();
    flow_run(f, to, local);
    printf("flow %d: %lu ns\n", i, (unsigned long)(eyot_now_ns() - from_ns));
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
  free(local);
  OK(eyot_team_free(mem));
  return finish();
}
