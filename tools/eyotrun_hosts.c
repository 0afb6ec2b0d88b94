/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotrun_hosts.c - checks the options about hosts and translates them for mpiexec
 * (eyotrun_hosts.h).
 *
 * Why these options exist beside --mpiexec-args: Hydra 4.0 divides by the number after a host's
 * colon even if it is 0, takes a list with an empty name for a shorter list, and continues when a
 * launcher was not found. This file reports frequent mistakes before it starts anything. */
#include "eyotrun_hosts.h"

#include <ctype.h>
#include <errno.h>
#include <net/if.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tool.h"

#define PER_HOST_MAX 65536
#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

/* An option, mpiexec's argument for it, and where its value is stored. */
struct row {
  const char *name;
  const char *argument;
  size_t offset;
  const char *value, *help;
};
#define ROW(field, option, argument, value, help) \
  { option, argument, offsetof(struct hosts_options, field), value, help }

static const struct row ROWS[] = {
    ROW(hosts, "hosts", "-hosts", "A,B:2",
        "names the machines, with or without the number of processes that each takes in turn"),
    ROW(hostfile, "hostfile", "-f", "FILE",
        "names a file that lists the machines, one a line, in the same form"),
    ROW(per_host, "per-host", "-ppn", "VALUE",
        "sets the number of processes that each machine takes in turn [the batch system's, or 1]"),
    ROW(launcher, "launcher", "-launcher", "NAME",
        "selects how processes start on other machines: ssh, slurm, ... [the batch system's, or "
        "ssh]"),
    ROW(launcher_exec, "launcher-exec", "-launcher-exec", "PROGRAM",
        "names a program to call instead of ssh, as PROGRAM HOST COMMAND..."),
    ROW(iface, "iface", "-iface", "NAME",
        "names the network interface by which the other machines reach this one"),
};
#define ROWS_COUNT (sizeof ROWS / sizeof *ROWS)

static char **field(struct hosts_options *o, const struct row *r) {
  return (char **)(void *)((char *)o + r->offset);
}

static const struct row *row_of(const char *name) {
  for (size_t i = 0; i < ROWS_COUNT; i++)
    if (strcmp(ROWS[i].name, name) == 0) return &ROWS[i];
  return NULL;
}

bool hosts_option_known(const char *name) {
  return row_of(name) != NULL;
}

static bool is_number(const char *text, size_t len) {
  long v = 0;
  for (size_t i = 0; i < len; i++) {
    if (!isdigit((unsigned char)text[i])) return false;
    v = v * 10 + (text[i] - '0');
    if (v > PER_HOST_MAX) return false;
  }
  return v >= 1;
}

/* "NAME" or "NAME:K". */
static bool is_host(const char *text, size_t len) {
  size_t name = strspn(text, NAME_CHARACTERS);
  if (len == 0 || name == 0 || *text == '-' || name > len) return false;
  return name == len || (text[name] == ':' && is_number(text + name + 1, len - name - 1));
}

static int check_hosts(const char *list) {
  for (const char *item = list;; item++) {
    size_t len = strcspn(item, ",");
    if (!is_host(item, len)) {
      fprintf(stderr,
              "eyotrun: --hosts is '%s', where '%.*s' is no host; expected names separated by "
              "commas, each with or without :K for K "
              "processes in "
              "turn (1 to %d), as in a,b:2\n",
              list, (int)len, item, PER_HOST_MAX);
      return TOOL_USAGE_CODE;
    }
    item += len;
    if (*item == '\0') return 0;
  }
}

/* Hydra's format: one host a line, options after a blank, comments after #. */
static int check_hostfile(const char *path) {
  struct stat st;
  FILE *f = stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? NULL : fopen(path, "re");
  if (f == NULL) {
    fprintf(stderr,
            "eyotrun: --hostfile is '%s': %s; expected a file with the name of a machine on each "
            "line\n",
            path, errno != 0 ? strerror(errno) : "a directory");
    return TOOL_USAGE_CODE;
  }
  char line[1024];
  int code = 0, n_line = 0, n_hosts = 0;
  while (code == 0 && fgets(line, sizeof line, f) != NULL) {
    n_line++;
    line[strcspn(line, "#\r\n")] = '\0';
    const char *host = line + strspn(line, " \t");
    size_t len = strcspn(host, " \t");
    if (len == 0) continue;
    n_hosts++;
    if (is_host(host, len)) continue;
    fprintf(stderr,
            "eyotrun: %s:%d: '%.*s' is no host; expected a name, with or without :K for K "
            "processes in turn (1 to %d)\n",
            path, n_line, (int)len, host, PER_HOST_MAX);
    code = TOOL_USAGE_CODE;
  }
  fclose(f);
  if (code != 0 || n_hosts > 0) return code;
  fprintf(stderr,
          "eyotrun: --hostfile is '%s', which names no host; expected the name of a machine on "
          "each line\n",
          path);
  return TOOL_USAGE_CODE;
}

static int check_iface(const char *name) {
  if (if_nametoindex(name) != 0) return 0;
  fprintf(stderr,
          "eyotrun: --iface is '%s', which is no network interface of this machine; it has:", name);
  struct if_nameindex *all = if_nameindex();
  for (const struct if_nameindex *i = all; i != NULL && i->if_index != 0; i++)
    fprintf(stderr, " %s", i->if_name);
  if (all != NULL) if_freenameindex(all);
  fputc('\n', stderr);
  return TOOL_USAGE_CODE;
}

int hosts_option_set(struct hosts_options *o, const char *name, char *value) {
  const struct row *r = row_of(name);
  int code = 0;
  errno = 0;
  if (*value == '\0') {
    fprintf(stderr, "eyotrun: --%s is empty; expected %s (eyotrun --help lists all)\n", name,
            r->value);
    return TOOL_USAGE_CODE;
  }
  char **to = field(o, r);
  if (to == &o->hosts) code = check_hosts(value);
  if (to == &o->hostfile) code = check_hostfile(value);
  if (to == &o->iface) code = check_iface(value);
  if (to == &o->per_host && !is_number(value, strlen(value))) {
    fprintf(stderr, "eyotrun: --per-host is '%s'; expected a whole number from 1 to %d\n", value,
            PER_HOST_MAX);
    code = TOOL_USAGE_CODE;
  }
  if (to == &o->launcher_exec) {
    if (tool_find(value, o->launcher_path, sizeof o->launcher_path)) {
      value = o->launcher_path;
    } else {
      fprintf(stderr,
              "eyotrun: --launcher-exec is '%s', which is not found or not executable; expected a "
              "program that is called as PROGRAM HOST "
              "COMMAND...\n",
              value);
      code = TOOL_USAGE_CODE;
    }
  }
  if (code == 0) *to = value;
  return code;
}

const char *hosts_given(const struct hosts_options *o) {
  for (size_t i = 0; i < ROWS_COUNT; i++)
    if (*(char *const *)(const void *)((const char *)o + ROWS[i].offset) != NULL)
      return ROWS[i].name;
  return NULL;
}

bool hosts_elsewhere(const struct hosts_options *o) {
  return o->hosts != NULL || o->hostfile != NULL;
}

int hosts_check(const struct hosts_options *o) {
  if (o->hosts == NULL || o->hostfile == NULL) return 0;
  fputs("eyotrun: --hosts and --hostfile both say which machines to use; give one of them\n",
        stderr);
  return TOOL_USAGE_CODE;
}

void hosts_args(struct hosts_options *o, char **args, int *n) {
  _Static_assert(2 * ROWS_COUNT <= HOSTS_ARGS_MAX, "an option and its value each");
  for (size_t i = 0; i < ROWS_COUNT; i++) {
    char *value = *field(o, &ROWS[i]);
    if (value == NULL) continue;
    /* execv has parameters of type char *, but modifies nothing */
    args[(*n)++] = (char *)(uintptr_t)ROWS[i].argument;
    args[(*n)++] = value;
  }
}

void hosts_help(void) {
  for (size_t i = 0; i < ROWS_COUNT; i++) {
    char left[2 * TOOL_COLUMN];
    snprintf(left, sizeof left, "--%s %s", ROWS[i].name, ROWS[i].value);
    tool_help_row(left, ROWS[i].help);
  }
}
