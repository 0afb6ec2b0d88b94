/* SPDX-License-Identifier: BSD-3-Clause */
/* extras.c - buffered sends, attributes and error handlers of the program, and info objects. For
 * any number of ranks. */
#include "mpi_face/check.h"

static int next(void) {
  return (me + 1) % n_ranks;
}
static int previous(void) {
  return (me + n_ranks - 1) % n_ranks;
}

/* -- buffered sends ---------------------------------------------------------------------------- */

enum { LONG = 30000, MESSAGES = 4 };

/* Long messages to all before any receive: the buffer has them, and the data may change at once. */
static void buffered(void) {
  static int data[LONG], in[LONG];
  int bytes = MESSAGES * ((int)sizeof data + MPI_BSEND_OVERHEAD), size;
  void *memory = malloc((size_t)bytes), *at;
  MPI_Request requests[2];
  MPI_Comm copy;
  MUST(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  MUST(MPI_Buffer_attach(memory, bytes));
  for (int round = 0; round < 2; round++) {
    for (int k = 0; k < MESSAGES; k++) {
      for (int i = 0; i < LONG; i++) data[i] = 1000 * me + 10 * k + i;
      if (k == 0) MUST(MPI_Bsend(data, LONG, MPI_INT, next(), k, copy));
      if (k == 1) MUST(MPI_Ibsend(data, LONG, MPI_INT, next(), k, copy, &requests[0]));
      if (k == 2) MUST(MPI_Bsend_init(data, LONG, MPI_INT, next(), k, copy, &requests[1]));
      if (k == 2) MUST(MPI_Start(&requests[1]));
      if (k == 3) MUST(MPI_Bsend(data, LONG, MPI_INT, MPI_PROC_NULL, k, copy));
    }
    MUST(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < LONG; i++) data[i] = -1;
    MUST(MPI_Request_free(&requests[1]));
    for (int k = 2; k >= 0; k--) {
      MUST(MPI_Recv(in, LONG, MPI_INT, previous(), k, copy, MPI_STATUS_IGNORE));
      for (int i = 0; i < LONG; i += 999) CHECK(in[i] == 1000 * previous() + 10 * k + i);
    }
    MUST(MPI_Barrier(copy));
    MUST(MPI_Buffer_detach(&at, &size)); /* waits for all */
    CHECK(at == memory && size == bytes);
    MUST(MPI_Buffer_attach(memory, bytes));
  }
  /* Of a datatype with gaps. */
  MPI_Datatype every;
  MUST(MPI_Type_vector(3, 1, 2, MPI_INT, &every));
  MUST(MPI_Type_commit(&every));
  int six[6] = {me, -1, me + 1, -1, me + 2, -1};
  MUST(MPI_Bsend(six, 1, every, next(), 9, copy));
  six[0] = six[2] = six[4] = -1;
  MUST(MPI_Type_free(&every));
  MUST(MPI_Recv(in, 3, MPI_INT, previous(), 9, copy, MPI_STATUS_IGNORE));
  CHECK(in[0] == previous() && in[1] == previous() + 1 && in[2] == previous() + 2);
  MUST(MPI_Comm_free(&copy)); /* with the message that was sent */
  MUST(MPI_Buffer_detach(&at, &size));
  free(memory);
}

/* -- attributes -------------------------------------------------------------------------------- */

static int copies, removals;
static char log_of_removals[64];
static int state = 5;

static int copy_fn(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag) {
  (void)comm, (void)keyval;
  CHECK(extra == &state);
  copies++;
  *(void **)out = (char *)in + 1;
  *flag = 1;
  return MPI_SUCCESS;
}
static int delete_fn(MPI_Comm comm, int keyval, void *value, void *extra) {
  (void)comm, (void)keyval;
  CHECK(extra == &state);
  size_t n = strlen(log_of_removals);
  if (n + 1 < sizeof log_of_removals) log_of_removals[n] = *(char *)value;
  removals++;
  return MPI_SUCCESS;
}
static int refuse_fn(MPI_Comm comm, int keyval, void *value, void *extra) {
  (void)comm, (void)keyval, (void)value, (void)extra;
  return MPI_ERR_OTHER;
}

static int no_copy_fn(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag) {
  (void)comm, (void)keyval, (void)extra, (void)in, (void)out, (void)flag;
  return MPI_ERR_OTHER;
}

static void attributes(void) {
  static char text[] = "abcdef";
  int key, plain, never, flag, *number;
  char *value;
  MPI_Comm copy, second;
  MUST(MPI_Comm_create_keyval(copy_fn, delete_fn, &key, &state));
  MUST(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &plain, NULL));
  MUST(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &never, NULL));
  MUST(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag));
  CHECK(!flag);
  MUST(MPI_Comm_set_attr(MPI_COMM_WORLD, key, text));
  MUST(MPI_Comm_set_attr(MPI_COMM_WORLD, plain, text + 4));
  MUST(MPI_Comm_set_attr(MPI_COMM_WORLD, never, text + 5));
  MUST(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  MUST(MPI_Comm_get_attr(copy, key, &value, &flag));
  CHECK(flag && value == text + 1 && copies == 1);
  MUST(MPI_Comm_get_attr(copy, plain, &value, &flag));
  CHECK(flag && value == text + 4);
  MUST(MPI_Comm_get_attr(copy, never, &value, &flag));
  CHECK(!flag);
  MUST(MPI_Comm_dup(copy, &second));
  MUST(MPI_Comm_get_attr(second, key, &value, &flag));
  CHECK(flag && value == text + 2 && copies == 2);
  MUST(MPI_Comm_set_attr(second, key, text + 3)); /* removes the one before */
  CHECK(removals == 1);
  MUST(MPI_Comm_free(&second));
  MUST(MPI_Comm_delete_attr(copy, key));
  MUST(MPI_Comm_free(&copy));
  MUST(MPI_Comm_free_keyval(&never));
  CHECK(never == MPI_KEYVAL_INVALID);
  MUST(MPI_Comm_delete_attr(MPI_COMM_WORLD, key));
  MUST(MPI_Comm_delete_attr(MPI_COMM_WORLD, plain));
  CHECK(removals == 4 && strcmp(log_of_removals, "cdba") == 0);
  MUST(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &number, &flag));
  CHECK(!flag || *number >= n_ranks);
  MUST(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &number, &flag));
  CHECK(!flag || *number == 0 || *number == 1);
  MUST(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &number, &flag));
  CHECK(flag && *number >= 32767);
  MUST(MPI_Comm_free_keyval(&plain));
  MUST(MPI_Comm_free_keyval(&key));
}

/* A function that refuses a removal keeps the attribute, and the communicator. */
static void refusals(void) {
  int key, flag;
  char *value, text[] = "x";
  MPI_Comm copy;
  MUST(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse_fn, &key, NULL));
  MUST(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  MUST(MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN));
  MUST(MPI_Comm_set_attr(copy, key, text));
  CHECK(MPI_Comm_delete_attr(copy, key) != MPI_SUCCESS);
  MUST(MPI_Comm_get_attr(copy, key, &value, &flag));
  CHECK(flag && value == text);

  int plain, refused, number; /* a key lives on with its attributes */
  MPI_Comm none = MPI_COMM_WORLD;
  MUST(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &plain, NULL));
  MUST(MPI_Comm_set_attr(copy, plain, text));
  number = plain;
  MUST(MPI_Comm_free_keyval(&plain));
  MUST(MPI_Comm_get_attr(copy, number, &value, &flag));
  CHECK(flag && value == text);
  MUST(MPI_Comm_delete_attr(copy, number));
  MUST(MPI_Comm_create_keyval(no_copy_fn, MPI_COMM_NULL_DELETE_FN, &refused, NULL));
  MUST(MPI_Comm_set_attr(copy, refused, text));
  CHECK(MPI_Comm_dup(copy, &none) != MPI_SUCCESS && none == MPI_COMM_NULL);
}

/* The function that deletes an attribute may delete others and set some, but not delete its own
 * once more. */
static int own_key, other_keys[2], refused_again;
static int deletes_others(MPI_Comm comm, int keyval, void *value, void *extra) {
  (void)extra;
  for (int i = 0; i < 2; i++) MUST(MPI_Comm_delete_attr(comm, other_keys[i]));
  refused_again += MPI_Comm_delete_attr(comm, keyval) != MPI_SUCCESS;
  MUST(MPI_Comm_set_attr(comm, other_keys[0], value));
  return MPI_SUCCESS;
}

static void removal_of_others(void) {
  char *value, text[] = "ab";
  int flag;
  MPI_Comm copy;
  MUST(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deletes_others, &own_key, NULL));
  for (int i = 0; i < 2; i++)
    MUST(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, NULL, &other_keys[i], NULL));
  MUST(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  MUST(MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN));
  for (int way = 0; way < 2; way++) {
    MUST(MPI_Comm_set_attr(copy, other_keys[0], text)); /* one before, and one after */
    if (way == 0) MUST(MPI_Comm_set_attr(copy, own_key, text));
    MUST(MPI_Comm_set_attr(copy, other_keys[1], text));
    MUST(way == 0 ? MPI_Comm_set_attr(copy, own_key, text + 1)
                  : MPI_Comm_delete_attr(copy, own_key));
    MUST(MPI_Comm_get_attr(copy, own_key, &value, &flag));
    CHECK(way == 0 ? flag && value == text + 1 : !flag);
    MUST(MPI_Comm_get_attr(copy, other_keys[0], &value, &flag));
    CHECK(flag && value == text + way);
    MUST(MPI_Comm_get_attr(copy, other_keys[1], &value, &flag));
    CHECK(!flag && refused_again == way + 1);
  }
  MUST(MPI_Comm_free(&copy));
}

/* -- error handlers ---------------------------------------------------------------------------- */

static int handled, last_class;
static MPI_Comm handled_comm;
static void handle(MPI_Comm *comm, int *code, ...) {
  handled++;
  handled_comm = *comm;
  MPI_Error_class(*code, &last_class);
}

static void handlers(void) {
  MPI_Errhandler mine, got;
  MPI_Comm copy, child;
  int value = 0;
  MUST(MPI_Comm_create_errhandler(handle, &mine));
  MUST(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  MUST(MPI_Comm_set_errhandler(copy, mine));
  MUST(MPI_Comm_get_errhandler(copy, &got));
  CHECK(got == mine);
  MUST(MPI_Errhandler_free(&got));
  MUST(MPI_Comm_dup(copy, &child)); /* inherits it */
  MUST(MPI_Errhandler_free(&mine));
  CHECK(mine == MPI_ERRHANDLER_NULL);
  CHECK(MPI_Send(&value, 1, MPI_INT, n_ranks + 3, 0, copy) != MPI_SUCCESS);
  CHECK(handled == 1 && last_class == MPI_ERR_RANK && handled_comm == copy);
  CHECK(MPI_Send(&value, -1, MPI_INT, 0, 0, child) != MPI_SUCCESS);
  CHECK(handled == 2 && last_class == MPI_ERR_COUNT && handled_comm == child);
  MUST(MPI_Comm_call_errhandler(child, MPI_ERR_TAG));
  CHECK(handled == 3 && last_class == MPI_ERR_TAG);
  MUST(MPI_Comm_set_errhandler(child, MPI_ERRORS_RETURN));
  MUST(MPI_Comm_call_errhandler(child, MPI_ERR_TAG));
  CHECK(MPI_Send(&value, 1, MPI_INT, 0, -5, child) != MPI_SUCCESS);
  CHECK(handled == 3);
  MUST(MPI_Comm_free(&child));
  MUST(MPI_Comm_free(&copy));
}

/* -- info objects, memory ---------------------------------------------------------------------- */

static void infos(void) {
  MPI_Info info, copy;
  char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
  int n, flag;
  MUST(MPI_Info_create(&info));
  MUST(MPI_Info_set(info, "first", "1"));
  MUST(MPI_Info_set(info, "second", "two"));
  MUST(MPI_Info_dup(info, &copy));
  MUST(MPI_Info_set(info, "third", "3"));
  MUST(MPI_Info_delete(info, "first"));
  MUST(MPI_Info_get_nkeys(copy, &n));
  CHECK(n == 2);
  for (int i = 0, found = 0; i < 2; i++) {
    MUST(MPI_Info_get_nthkey(copy, i, key));
    found += strcmp(key, "first") == 0 ? 1 : strcmp(key, "second") == 0 ? 2 : 100;
    if (i == 1) CHECK(found == 3);
  }
  MUST(MPI_Info_get_valuelen(copy, "second", &n, &flag));
  CHECK(flag && n == 3);
  MUST(MPI_Info_get_valuelen(copy, "third", &n, &flag));
  CHECK(!flag);
  n = 3;
  MUST(MPI_Info_get_string(copy, "second", &n, value, &flag));
  CHECK(flag && n == 4 && strcmp(value, "tw") == 0);
  MUST(MPI_Info_free(&info));
  MUST(MPI_Info_free(&copy));
}

static void memory(void) {
  char *at;
  int flag;
  MPI_Comm copy;
  MUST(MPI_Alloc_mem(100, MPI_INFO_NULL, &at));
  memset(at, 1, 100);
  MUST(MPI_Free_mem(at));
  MUST(MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &copy));
  MUST(MPI_Comm_test_inter(copy, &flag));
  CHECK(!flag);
  MUST(MPI_Comm_free(&copy));
}

/* -- older calls, names ------------------------------------------------------------------------ */

struct record {
  int id;
  double value;
};

/* The calls that MPI 3.0 has removed do what those do that have replaced them. */
static void older(void) {
  struct record sent = {7, 1.5}, got = {0, 0};
  int lengths[3] = {1, 1, 1}, key, flag;
  MPI_Aint places[3], extent, lb, ub;
  MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, type, pairs;
  MPI_Errhandler handler;
  char *value, text[] = "t";
  MUST(MPI_Address(&sent.id, &places[0]));
  MUST(MPI_Address(&sent.value, &places[1]));
  places[1] -= places[0];
  places[0] = 0;
  MUST(MPI_Type_struct(2, lengths, places, types, &type));
  MUST(MPI_Type_extent(type, &extent));
  MUST(MPI_Type_lb(type, &lb));
  MUST(MPI_Type_ub(type, &ub));
  CHECK(extent == sizeof(struct record) && lb == 0 && ub == extent);
  MUST(MPI_Type_commit(&type));
  MUST(MPI_Sendrecv(&sent, 1, type, 0, 0, &got, 1, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  CHECK(got.id == 7 && got.value == 1.5);
  MUST(MPI_Type_free(&type));
  MUST(MPI_Type_hvector(2, 1, 12, MPI_INT, &pairs));
  MUST(MPI_Type_extent(pairs, &extent));
  CHECK(extent == 16);
  MUST(MPI_Type_hindexed(2, lengths, places, pairs, &type));
  MUST(MPI_Type_extent(type, &extent));
  CHECK(extent == 24);
  MUST(MPI_Type_free(&type));
  MUST(MPI_Type_free(&pairs));
  MUST(MPI_Errhandler_create(handle, &handler));
  MUST(MPI_Errhandler_set(MPI_COMM_SELF, handler));
  MUST(MPI_Errhandler_free(&handler));
  int before = handled;
  CHECK(MPI_Bcast(&key, 1, MPI_INT, 5, MPI_COMM_SELF) != MPI_SUCCESS && handled == before + 1);
  MUST(MPI_Errhandler_get(MPI_COMM_SELF, &handler));
  MUST(MPI_Errhandler_free(&handler));
  MUST(MPI_Errhandler_set(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
  MUST(MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &key, NULL));
  MUST(MPI_Attr_put(MPI_COMM_SELF, key, text));
  MUST(MPI_Attr_get(MPI_COMM_SELF, key, &value, &flag));
  CHECK(flag && value == text);
  MUST(MPI_Attr_delete(MPI_COMM_SELF, key));
  MUST(MPI_Keyval_free(&key));
}

static void names(void) {
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  MPI_Datatype type;
  MUST(MPI_Type_get_name(MPI_DOUBLE, name, &length));
  CHECK(length == 10 && strcmp(name, "MPI_DOUBLE") == 0);
  MUST(MPI_Type_contiguous(2, MPI_INT, &type));
  MUST(MPI_Type_get_name(type, name, &length));
  CHECK(length == 0 && name[0] == '\0');
  MUST(MPI_Type_set_name(type, "first"));
  MUST(MPI_Type_set_name(type, "two ints"));
  MUST(MPI_Type_get_name(type, name, &length));
  CHECK(length == 8 && strcmp(name, "two ints") == 0);
  MUST(MPI_Type_free(&type));
}

/* MPI_Finalize removes the attributes of MPI_COMM_SELF first, the last one first, and MPI goes on
 * until then. */
static int at_end;
static int end_fn(MPI_Comm comm, int keyval, void *value, void *extra) {
  int finalized = 1, one = 1, sum = 0;
  (void)comm, (void)keyval, (void)extra;
  MPI_Finalized(&finalized);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!finalized && sum == n_ranks) at_end = 10 * at_end + *(int *)value;
  return MPI_SUCCESS;
}

int main(void) {
  static int first = 1, second = 2;
  int keys[2];
  begin();
  buffered();
  attributes();
  refusals();
  removal_of_others();
  handlers();
  infos();
  memory();
  older();
  names();
  for (int i = 0; i < 2; i++)
    MUST(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_fn, &keys[i], NULL));
  MUST(MPI_Comm_set_attr(MPI_COMM_SELF, keys[0], &first));
  MUST(MPI_Comm_set_attr(MPI_COMM_SELF, keys[1], &second));
  int failed = finish();
  if (at_end != 21) fprintf(stderr, "extras.c: rank %d: removed at the end: %d\n", me, at_end);
  return failed || at_end != 21;
}
