/* SPDX-License-Identifier: BSD-3-Clause */
/* standstill_dot.c - reads a graph in DOT as graphviz would, for the forms that eyot writes:
 * digraphs of nodes, edges and attributes, no subgraphs and ports.
 *
 *   standstill_dot FILE      prints "N nodes, M edges", or the line and error. Both ends of every
 *                            edge must be declared.
 * Grammar: graphviz.org, "DOT Language". */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 256u
#define TOKEN_BYTES 1024u

struct reader {
  FILE *in;
  unsigned line;
  char token[TOKEN_BYTES]; /* an identifier, or one of { } [ ] ; , = -> , or "" at the end */
  int quoted, is_id;
  char node[NAMES_MAX][64], used[NAMES_MAX][64];
  unsigned nodes, edges, uses;
};

static void refuse(const struct reader *r, const char *what) {
  fprintf(stderr, "standstill_dot: line %u: %s, at '%s'\n", r->line, what, r->token);
  exit(1);
}

static int next_char(struct reader *r) {
  int c = fgetc(r->in);
  if (c == '\n') r->line++;
  return c;
}

static int skip_blank(struct reader *r) {
  for (;;) {
    int c = next_char(r);
    if (c == '/') {
      if (next_char(r) != '/') refuse(r, "a comment of a kind that is not expected");
      while (c != '\n' && c != EOF) c = next_char(r);
    } else if (c == EOF || !isspace(c)) {
      return c;
    }
  }
}

static void next(struct reader *r) {
  unsigned n = 0;
  int c = skip_blank(r);
  r->quoted = c == '"';
  r->is_id = r->quoted || c == '_' || (c != EOF && isalnum(c));
  if (r->quoted) {
    while ((c = next_char(r)) != '"') {
      if (c == EOF || c == '\n') refuse(r, "a string does not end");
      if (c == '\\' && (c = next_char(r)) != '"' && c != '\\' && c != 'n')
        refuse(r, "an escape that graphviz would take for something else");
      if (n + 1 < TOKEN_BYTES) r->token[n++] = (char)c;
    }
  } else if (r->is_id) {
    for (; c == '_' || (c != EOF && isalnum(c)); c = next_char(r))
      if (n + 1 < TOKEN_BYTES) r->token[n++] = (char)c;
    if (c == '\n') r->line--;
    ungetc(c, r->in);
  } else if (c != EOF) {
    r->token[n++] = (char)c;
    if (c == '-') r->token[n++] = (char)next_char(r);
  }
  r->token[n] = '\0';
}

static int is(const struct reader *r, const char *text) {
  return !r->quoted && strcmp(r->token, text) == 0;
}

static void expect(struct reader *r, const char *text) {
  if (!is(r, text)) {
    fprintf(stderr, "standstill_dot: expected '%s'\n", text);
    refuse(r, "unexpected");
  }
  next(r);
}

static void attributes(struct reader *r) {
  expect(r, "[");
  while (!is(r, "]")) {
    if (!r->is_id) refuse(r, "no name of an attribute");
    next(r);
    expect(r, "=");
    if (!r->is_id) refuse(r, "no value of an attribute");
    next(r);
    if (is(r, ",") || is(r, ";")) next(r);
  }
  expect(r, "]");
}

static void name(struct reader *r, char (*list)[64], unsigned *n) {
  if (!r->is_id) refuse(r, "no name of a node");
  if (*n == NAMES_MAX) refuse(r, "more names than anybody can look at");
  snprintf(list[(*n)++], 64, "%.63s", r->token);
  next(r);
}

static void statement(struct reader *r) {
  int defaults = is(r, "node") || is(r, "edge") || is(r, "graph");
  char first[1][64];
  unsigned n = 0;
  name(r, first, &n);
  if (is(r, "->")) {
    memcpy(r->used[r->uses++], first[0], 64);
    while (is(r, "->")) {
      next(r);
      name(r, r->used, &r->uses);
      r->edges++;
    }
  } else if (!defaults) {
    if (r->nodes == NAMES_MAX) refuse(r, "more nodes than anybody can look at");
    memcpy(r->node[r->nodes++], first[0], 64);
  }
  if (is(r, "[")) attributes(r);
  if (is(r, ";")) next(r);
}

static int declared(const struct reader *r, const char *node) {
  for (unsigned i = 0; i < r->nodes; i++)
    if (strcmp(r->node[i], node) == 0) return 1;
  return 0;
}

int main(int argc, char **argv) {
  struct reader *r = calloc(1, sizeof *r);
  if (r == NULL || argc != 2 || (r->in = fopen(argv[1], "r")) == NULL) {
    fprintf(stderr, "standstill_dot: cannot read %s\n", argc == 2 ? argv[1] : "nothing");
    free(r);
    return 2;
  }
  r->line = 1;
  next(r);
  expect(r, "digraph");
  if (!is(r, "{")) next(r);
  expect(r, "{");
  while (!is(r, "}")) statement(r);
  next(r);
  if (r->token[0] != '\0') refuse(r, "more after the end");
  for (unsigned i = 0; i < r->uses; i++)
    if (!declared(r, r->used[i])) {
      fprintf(stderr, "standstill_dot: %s has an edge and is not declared\n", r->used[i]);
      return 1;
    }
  printf("%u nodes, %u edges\n", r->nodes, r->edges);
  fclose(r->in);
  free(r);
  return 0;
}
