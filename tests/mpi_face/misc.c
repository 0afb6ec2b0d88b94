/* SPDX-License-Identifier: BSD-3-Clause */
/* misc.c - names and attributes of communicators, the main thread, addresses, statuses of requests
 * that stay, and one buffer for both directions. */
#include "mpi_face/check.h"

static int next(void) {
  return (me + 1) % n_ranks;
}
static int previous(void) {
  return (me + n_ranks - 1) % n_ranks;
}

static void names(void) {
  char got[MPI_MAX_OBJECT_NAME], large[2 * MPI_MAX_OBJECT_NAME];
  int length = -1;
  MPI_Comm copy;
  MUST(MPI_Comm_get_name(MPI_COMM_WORLD, got, &length));
  CHECK(strcmp(got, "MPI_COMM_WORLD") == 0 && length == (int)strlen(got));
  MUST(MPI_Comm_get_name(MPI_COMM_SELF, got, &length));
  CHECK(strcmp(got, "MPI_COMM_SELF") == 0);
  MUST(MPI_Comm_set_name(MPI_COMM_WORLD, "all"));
  MUST(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  MUST(MPI_Comm_get_name(copy, got, &length));
  CHECK(strcmp(got, "") == 0 && length == 0);
  memset(large, 'x', sizeof large - 1);
  large[sizeof large - 1] = '\0';
  MUST(MPI_Comm_set_name(copy, large));
  MUST(MPI_Comm_get_name(copy, got, &length));
  CHECK(length == MPI_MAX_OBJECT_NAME - 1 && strncmp(got, large, (size_t)length) == 0);
  MUST(MPI_Comm_get_name(MPI_COMM_WORLD, got, &length));
  CHECK(strcmp(got, "all") == 0);
  MUST(MPI_Comm_free(&copy));
}

/* A message with the greatest tag arrives. */
static void greatest_tag(void) {
  int *most = NULL, flag = 0, in = -1, main_thread = 0;
  MPI_Status status;
  MUST(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &flag));
  CHECK(flag && most != NULL && *most >= 32767);
  MUST(MPI_Sendrecv(&me, 1, MPI_INT, next(), *most, &in, 1, MPI_INT, previous(), *most,
                    MPI_COMM_WORLD, &status));
  CHECK(in == previous() && status.MPI_TAG == *most);
  MUST(MPI_Is_thread_main(&main_thread));
  CHECK(main_thread);
}

static void addresses(void) {
  int array[5] = {0};
  MPI_Aint first, third;
  MUST(MPI_Get_address(&array[0], &first));
  MUST(MPI_Get_address(&array[3], &third));
  CHECK(third - first == 3 * (MPI_Aint)sizeof array[0]);
}

/* The status can be read again and again, and the request is completed as ever after it. */
static void statuses(void) {
  int in[2] = {-1, -1}, flag = -1, out[2] = {me, 7};
  MPI_Request receive, send = MPI_REQUEST_NULL;
  MPI_Status status;
  MUST(MPI_Request_get_status(send, &flag, &status));
  CHECK(flag && status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
  MUST(MPI_Irecv(in, 2, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &receive));
  MUST(MPI_Request_get_status(receive, &flag, MPI_STATUS_IGNORE));
  CHECK(n_ranks > 1 || !flag);
  MUST(MPI_Barrier(MPI_COMM_WORLD));
  MUST(MPI_Isend(out, 2, MPI_INT, next(), 5, MPI_COMM_WORLD, &send));
  do MUST(MPI_Request_get_status(receive, &flag, &status));
  while (!flag);
  for (int i = 0; i < 2; i++) {
    int count = -1;
    MUST(MPI_Get_count(&status, MPI_INT, &count));
    CHECK(status.MPI_SOURCE == previous() && status.MPI_TAG == 5 && count == 2);
    CHECK(in[0] == previous() && in[1] == 7 && receive != MPI_REQUEST_NULL);
    MUST(MPI_Request_get_status(receive, &flag, &status));
    CHECK(flag);
  }
  memset(&status, 0, sizeof status);
  MUST(MPI_Wait(&receive, &status));
  CHECK(status.MPI_SOURCE == previous() && receive == MPI_REQUEST_NULL);
  MUST(MPI_Wait(&send, MPI_STATUS_IGNORE));
}

static void last(void *in, void *inout, int *len, MPI_Datatype *type) {
  (void)in, (void)inout, (void)len, (void)type;
}

/* The result of a collective is there when its status says so, also where ranks are mapped. */
static void collective(void) {
  int mine = me, got = -1, flag = 0;
  MPI_Comm turned;
  MPI_Op op;
  MPI_Request request;
  MUST(MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &turned));
  MUST(MPI_Op_create(last, 0, &op));
  MUST(MPI_Iallreduce(&mine, &got, 1, MPI_INT, op, turned, &request));
  while (!flag) MUST(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
  CHECK(got == 0);
  got = -1;
  MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(got == -1);
  MUST(MPI_Op_free(&op));
  MUST(MPI_Comm_free(&turned));
}

/* Hints are taken, and none is in use; other bounds, and what a profiling library would get. */
static void hints(void) {
  int keys = -1;
  MPI_Info info;
  MPI_Datatype spread;
  MPI_Count low = -1, extent = -1;
  MUST(MPI_Info_create(&info));
  MUST(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
  MUST(MPI_Comm_set_info(MPI_COMM_WORLD, info));
  MUST(MPI_Info_free(&info));
  MUST(MPI_Comm_get_info(MPI_COMM_WORLD, &info));
  MUST(MPI_Info_get_nkeys(info, &keys));
  CHECK(keys == 0);
  MUST(MPI_Info_free(&info));
  MUST(MPI_Type_create_resized(MPI_INT, -8, 40, &spread));
  MUST(MPI_Type_get_extent_x(spread, &low, &extent));
  CHECK(low == -8 && extent == 40);
  MUST(MPI_Type_get_true_extent_x(spread, &low, &extent));
  CHECK(low == 0 && extent == (MPI_Count)sizeof(int));
  MUST(MPI_Type_free(&spread));
  MUST(MPI_Pcontrol(2, "any", 3));
}

/* Handles as integers: each has one, which leads back to it until it was freed. */
static void integers(void) {
  MPI_Comm comms[300];
  MPI_Fint numbers[300], f_status[MPI_F_STATUS_SIZE];
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Message message;
  MPI_Status status, copy;
  MPI_Datatype type;
  MPI_Info info;
  int in = 0;
  CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
  CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_NULL)) == MPI_COMM_NULL);
  CHECK(MPI_Type_f2c(MPI_Type_c2f(MPI_DOUBLE)) == MPI_DOUBLE);
  CHECK(MPI_Type_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_DATATYPE_NULL);
  CHECK(MPI_Comm_f2c(-3) == MPI_COMM_NULL && MPI_Comm_f2c(1 << 30) == MPI_COMM_NULL);
  CHECK(MPI_Op_f2c(MPI_Op_c2f(MPI_SUM)) == MPI_SUM);
  CHECK(MPI_Group_f2c(MPI_Group_c2f(MPI_GROUP_EMPTY)) == MPI_GROUP_EMPTY);
  CHECK(MPI_Errhandler_f2c(MPI_Errhandler_c2f(MPI_ERRORS_RETURN)) == MPI_ERRORS_RETURN);
  MUST(MPI_Type_contiguous(3, MPI_INT, &type));
  MUST(MPI_Info_create(&info));
  CHECK(MPI_Type_f2c(MPI_Type_c2f(type)) == type && MPI_Info_f2c(MPI_Info_c2f(info)) == info);
  MUST(MPI_Type_free(&type));
  MUST(MPI_Info_free(&info));
  for (int i = 0; i < 300; i++) {
    MUST(MPI_Comm_dup(MPI_COMM_SELF, &comms[i]));
    numbers[i] = MPI_Comm_c2f(comms[i]);
  }
  for (int i = 0; i < 300; i++) {
    CHECK(numbers[i] == MPI_Comm_c2f(comms[i]) && MPI_Comm_f2c(numbers[i]) == comms[i]);
    CHECK(i == 0 || numbers[i] != numbers[i - 1]);
  }
  for (int i = 0; i < 300; i++) MUST(MPI_Comm_free(&comms[i]));
  CHECK(MPI_Comm_f2c(numbers[0]) == MPI_COMM_NULL); /* its memory is gone */
  MUST(MPI_Isend(&me, 1, MPI_INT, 0, 31, MPI_COMM_SELF, &request));
  CHECK(MPI_Request_f2c(MPI_Request_c2f(request)) == request);
  MUST(MPI_Mprobe(0, 31, MPI_COMM_SELF, &message, &status));
  message = MPI_Message_f2c(MPI_Message_c2f(message));
  MUST(MPI_Status_c2f(&status, f_status));
  CHECK(f_status[MPI_F_SOURCE] == 0 && f_status[MPI_F_TAG] == 31);
  MUST(MPI_Status_f2c(f_status, &copy));
  MUST(MPI_Get_count(&copy, MPI_INT, &in));
  CHECK(in == 1 && copy.MPI_TAG == 31);
  MUST(MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
  MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(in == me);
}

/* One buffer for both directions is refused; MPI_IN_PLACE is how a program asks for it. */
static void one_buffer(void) {
  enum { MOST = 64 };
  int data[MOST] = {0}, counts[MOST], at[MOST], class;
  CHECK(n_ranks <= MOST);
  for (int r = 0; r < n_ranks; r++) counts[r] = 1, at[r] = r;
  MUST(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  int code = MPI_Alltoallv(data, counts, at, MPI_INT, data, counts, at, MPI_INT, MPI_COMM_WORLD);
  CHECK(code != MPI_SUCCESS && MPI_Error_class(code, &class) == MPI_SUCCESS &&
        class == MPI_ERR_BUFFER);
  MUST(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
  MUST(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, data, counts, at, MPI_INT, MPI_COMM_WORLD));
}

int main(void) {
  begin();
  integers();
  hints();
  names();
  greatest_tag();
  addresses();
  statuses();
  collective();
  one_buffer();
  return finish();
}
