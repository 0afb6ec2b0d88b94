/* SPDX-License-Identifier: BSD-3-Clause */
/* hello.c - the first program: units greet in order. Each puts a line of text into the memory of
 * the next unit and signals that it is there.
 *
 *   eyotrun --fabric sim -n 8 ./hello        eight simulated units of a Cray XC40
 *   eyotrun --fabric mpi -n 4 ./hello        four processes, the same file */
#include <eyot/eyot.h>
#include <stdio.h>

enum { TEXT_BYTES = 64 };

static void must(int code, const char *what) {
  if (code != EYOT_OK) {
    fprintf(stderr, "hello: %s: %s\n", what, eyot_strerror(code));
    eyot_abort(1, what);
  }
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  eyot_unit_t me = eyot_me(), next = {me.id + 1};

  /* Each unit owns one such part of global memory: a line of text, and after it the word that
   * signals that the text has arrived. */
  eyot_gptr_t part;
  must(eyot_team_alloc(EYOT_TEAM_ALL, TEXT_BYTES + sizeof(uint64_t), &part), "eyot_team_alloc");
  eyot_gptr_t mine = eyot_gptr_at(part, me);

  char text[TEXT_BYTES] = "no unit, as the first one";
  if (me.id > 0) {
    must(eyot_wait_until(eyot_gptr_add(mine, TEXT_BYTES), EYOT_CMP_EQ, 1, NULL), "eyot_wait_until");
    must(eyot_get(text, mine, TEXT_BYTES), "eyot_get");
  }
  eyot_place_t place;
  must(eyot_locate(me, &place), "eyot_locate");
  printf("unit %u of %u on node %u, group %u (fabric %s): greeted by %s\n", me.id, eyot_size(),
         place.id[EYOT_DOMAIN_NODE], place.id[EYOT_DOMAIN_GROUP], eyot_fabric_name(), text);
  fflush(stdout);

  if (next.id < eyot_size()) {
    eyot_gptr_t there = eyot_gptr_at(part, next);
    eyot_domain_t level;
    must(eyot_distance(me, next, &level), "eyot_distance");
    snprintf(text, sizeof text, "unit %u (nearest common domain: %s)", me.id,
             eyot_domain_name(level));
    must(eyot_put_signal(there, text, TEXT_BYTES, eyot_gptr_add(there, TEXT_BYTES), EYOT_SIGNAL_SET,
                         1),
         "eyot_put_signal");
  }
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  must(eyot_team_free(part), "eyot_team_free");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
