/* SPDX-License-Identifier: BSD-3-Clause */
/* heap_asked.c - a program that says itself how large its heap is: heap_asked WAY SIZE MAX, in KiB.
 * grows: the heap has the sizes of eyot_init_with, or those that the user has set, and can be
 * filled; twice: another part of the program asks too; differs: unit 1 asks for another size;
 * left: it does not free its memory; leaves: and has said so before. */
#include <string.h>

#include "programs/api_check.h"

#define KIB UINT64_C(1024)

/* Allocates what the heap has, but for the runtime's own part. */
static void grows(void) {
  eyot_heap_info_t info;
  eyot_gptr_t g;
  OK(eyot_heap_info(&info));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, info.most - info.most / 8, &g));
  OK(eyot_team_free(g));
  if (eyot_me().id == 0)
    printf("heap of %lu KiB, at most %lu KiB\n", (unsigned long)((info.size + KIB - 1) / KIB),
           (unsigned long)((info.most + KIB - 1) / KIB));
}

static void twice(const eyot_init_attr_t *attr) {
  eyot_init_attr_t more = {.heap_size = 0, .heap_max = 1024 * attr->heap_max};
  OK(eyot_init_with(NULL, NULL, attr));
  OK(eyot_init_with(NULL, NULL, NULL));
  CHECK(eyot_init_with(NULL, NULL, &more) == EYOT_ESTATE);
  OK(eyot_finalize());
  OK(eyot_finalize());
}

/* The last one is at offsets that differ, by its alignment. */
static void leaves(void) {
  eyot_gptr_t g;
  for (uint64_t align = 64; align <= 65536; align *= 32)
    OK(eyot_team_alloc_aligned(EYOT_TEAM_ALL, 1000, align, &g));
  OK(eyot_barrier(EYOT_TEAM_ALL));
}

int main(int argc, char **argv) {
  const char *way = argc == 4 ? argv[1] : "";
  CHECK(argc == 4);
  eyot_init_attr_t attr = EYOT_INIT_ATTR_INIT;
  attr.heap_size = strtoull(argv[2], NULL, 10) * KIB;
  attr.heap_max = strtoull(argv[3], NULL, 10) * KIB;
  const char *rank = getenv("PMI_RANK");
  if (strcmp(way, "differs") == 0 && rank != NULL && strcmp(rank, "1") == 0) attr.heap_max *= 2;
  attr.frees_at_end = strcmp(way, "leaves") == 0;
  if (eyot_init_with(&argc, &argv, &attr) != EYOT_OK) return 1;
  if (strcmp(way, "grows") == 0) grows();
  if (strcmp(way, "leaves") == 0 || strcmp(way, "left") == 0) leaves();
  if (strcmp(way, "twice") == 0) twice(&attr);
  return finish();
}
