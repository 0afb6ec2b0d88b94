/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotrun_spread.c - computes the processes of each machine and writes Hydra's host list
 * (eyotrun_spread.h).
 *
 * Hydra goes through its list repeatedly; in each pass an entry takes the number after its colon,
 * or that of -ppn, and a machine may have several entries. Progress processes must be the last ones
 * of their own node, so the list given to Hydra names each machine once, with all its processes. */
#include "eyotrun_spread.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

#define LIST_CAP 65536u      /* initial capacity for the names of --hostfile */
#define ENTRY_CHARACTERS 24u /* a colon, a number and a comma */

struct entry {
  const char *name; /* len characters */
  size_t len;
  uint64_t turn; /* processes that it takes in each pass */
  size_t host;   /* the first entry with the same name, which counts for all of them */
  uint64_t units;
};

static int out_of_memory(void) {
  fputs("eyotrun: out of memory\n", stderr);
  return 1;
}

/* The names in the file, in the form of --hosts. Hydra allows options after a name, which that form
 * does not have. */
static int read_hostfile(const char *path, char **list) {
  size_t used = 0, cap = LIST_CAP;
  char line[1024], *text = malloc(cap);
  FILE *f = text != NULL ? fopen(path, "re") : NULL;
  int code = text == NULL ? out_of_memory() : 0;
  if (text != NULL && f == NULL) {
    fprintf(stderr, "eyotrun: --hostfile is '%s': %s\n", path, strerror(errno));
    code = TOOL_USAGE_CODE;
  }
  while (code == 0 && fgets(line, sizeof line, f) != NULL) {
    line[strcspn(line, "#\r\n")] = '\0';
    const char *host = line + strspn(line, " \t");
    size_t len = strcspn(host, " \t");
    if (len == 0) continue;
    if (host[len + strspn(host + len, " \t")] != '\0') {
      fprintf(stderr,
              "eyotrun: %s: '%s' has options after the name, which --progress cannot keep; give "
              "names only, or call mpiexec yourself "
              "(docs/progress.md)\n",
              path, host);
      code = TOOL_USAGE_CODE;
    }
    if (used + len + 2 > cap) {
      cap = 2 * cap + len;
      char *grown = realloc(text, cap);
      if (grown == NULL) code = out_of_memory();
      text = grown != NULL ? grown : text;
    }
    if (code != 0) break;
    if (used != 0) text[used++] = ',';
    memcpy(text + used, host, len);
    used += len;
    text[used] = '\0';
  }
  if (f != NULL) fclose(f);
  if (code == 0)
    *list = text;
  else
    free(text);
  return code;
}

/* Parses entries of "A,B:2"; *n of them. NULL: out of memory. */
static struct entry *read_entries(const char *list, const char *per_host, size_t *n) {
  size_t commas = 0;
  for (const char *c = list; *c != '\0'; c++) commas += *c == ',';
  struct entry *all = calloc(commas + 1, sizeof *all);
  if (all == NULL) return NULL;
  const char *item = list;
  for (size_t i = 0; i <= commas; i++) {
    struct entry *e = &all[i];
    size_t whole = strcspn(item, ",");
    e->name = item;
    e->len = strcspn(item, ":,");
    e->turn = per_host != NULL ? strtoull(per_host, NULL, 10)
              : e->len < whole ? strtoull(item + e->len + 1, NULL, 10)
                               : 1;
    e->host = i != 0 && all[i - 1].len == e->len && memcmp(all[i - 1].name, item, e->len) == 0
                  ? all[i - 1].host
                  : 0;
    /* ends at i at the latest */
    while (all[e->host].len != e->len || memcmp(all[e->host].name, item, e->len) != 0) e->host++;
    item += whole + 1;
  }
  *n = commas + 1;
  return all;
}

static uint64_t processes_of(uint64_t units, uint64_t node_size, uint64_t servers) {
  return units + servers * (node_size == 0 ? 1 : (units + node_size - 1) / node_size);
}

int spread_hosts(struct hosts_options *o, uint64_t units, uint64_t node_size, uint64_t servers,
                 uint64_t *processes) {
  char *list = o->hosts;
  size_t n, cap = 1, used = 0;
  int code = list != NULL ? 0 : read_hostfile(o->hostfile, &list);
  if (code != 0) return code;
  struct entry *all = read_entries(list, o->per_host, &n);
  if (all == NULL) return out_of_memory();
  for (size_t i = 0; units > 0; i = (i + 1) % n) {
    uint64_t taken = all[i].turn < units ? all[i].turn : units;
    all[all[i].host].units += taken;
    units -= taken;
  }
  for (size_t i = 0; i < n; i++) cap += all[i].len + ENTRY_CHARACTERS;
  char *spread = malloc(cap);
  if (spread == NULL) return out_of_memory();
  *processes = 0;
  for (size_t i = 0; i < n; i++) {
    if (all[i].units == 0) continue;
    uint64_t here = processes_of(all[i].units, node_size, servers);
    used += (size_t)snprintf(spread + used, cap - used, "%s%.*s:%" PRIu64, used != 0 ? "," : "",
                             (int)all[i].len, all[i].name, here);
    *processes += here;
  }
  free(all);
  o->hosts = spread;
  o->hostfile = o->per_host = NULL;
  return 0;
}
