/* SPDX-License-Identifier: BSD-3-Clause */
/* bad.c - mistakes of MPI programs: `bad WAY` makes one, on rank 0 or, of some, on all. Each
 * ends the run with a message that names the call and the line; reaching the end is a failure of
 * the test. */
#include "mpi_face/check.h"

static void before(void) {
  MPI_Barrier(MPI_COMM_WORLD);
}
static void after(void) {
  MPI_Finalize();
  MPI_Barrier(MPI_COMM_WORLD);
}
static void twice(void) {
  MPI_Init(NULL, NULL);
}
static void rank(void) {
  MPI_Send(&me, 1, MPI_INT, n_ranks, 0, MPI_COMM_WORLD);
}
static void rank_before(void) {
  MPI_Send(&me, 1, MPI_INT, me - 1, 0, MPI_COMM_WORLD);
}
static void source_before(void) {
  MPI_Recv(&me, 1, MPI_INT, me - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void tag(void) {
  MPI_Send(&me, 1, MPI_INT, 0, -7, MPI_COMM_WORLD);
}
static void count(void) {
  MPI_Send(&me, -3, MPI_INT, 0, 0, MPI_COMM_WORLD);
}
static void null_buffer(void) {
  MPI_Send(NULL, 2, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
}
static void null_comm(void) {
  MPI_Barrier(MPI_COMM_NULL);
}
static void freed_comm(void) {
  MPI_Comm copy, handle;
  MPI_Comm_dup(MPI_COMM_SELF, &copy);
  handle = copy;
  MPI_Comm_free(&copy);
  MPI_Barrier(handle);
}
/* Values that are no handles. */
static void unset_comm(void) {
  MPI_Barrier((MPI_Comm)0x44000000);
}
static void unset_type(void) {
  MPI_Send(&me, 1, (MPI_Datatype)&me, 0, 0, MPI_COMM_SELF);
}
static void unset_request(void) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, (MPI_Request)0x2c000000};
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
static void unset_op(void) {
  int in = 1, out;
  MPI_Allreduce(&in, &out, 1, MPI_INT, (MPI_Op)MPI_INT, MPI_COMM_SELF);
}
static void free_world(void) {
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Comm_free(&world);
}
static void free_pending(void) {
  MPI_Comm copy;
  MPI_Request request;
  int in;
  MPI_Comm_dup(MPI_COMM_SELF, &copy);
  MPI_Irecv(&in, 1, MPI_INT, 0, 0, copy, &request);
  MPI_Comm_free(&copy);
}
static void freed_type(void) {
  MPI_Datatype type, handle;
  MPI_Type_contiguous(2, MPI_INT, &type);
  handle = type;
  MPI_Type_free(&type);
  MPI_Send(&me, 1, handle, 0, 0, MPI_COMM_WORLD);
}
static void truncated(void) {
  int out[2] = {0, 0}, in;
  MPI_Sendrecv(out, 2, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}
static void pair(void) {
  double a = 0, b;
  MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_SELF);
}
static void logical_sum(void) {
  char a = 1, b;
  MPI_Allreduce(&a, &b, 1, MPI_C_BOOL, MPI_SUM, MPI_COMM_SELF);
}
static void root(void) {
  MPI_Bcast(&me, 1, MPI_INT, -1, MPI_COMM_WORLD);
}
/* All ranks make these three: their calls differ. */
static void roots(void) {
  MPI_Bcast(&me, 1, MPI_INT, me, MPI_COMM_WORLD);
}
static void operators(void) {
  int in = 1, out;
  MPI_Allreduce(&in, &out, 1, MPI_INT, me == 0 ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);
}
static void plans(void) {
  MPI_Request request;
  int in = 1, out;
  MPI_Allreduce_init(&in, &out, 1, MPI_INT, me == 0 ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD,
                     MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void lengths(void) {
  MPI_Request request;
  int all[2] = {0, 0};
  MPI_Ibcast(all, 1 + me, MPI_INT, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static int of_all(void (*make)(void)) {
  return make == roots || make == operators || make == plans || make == lengths;
}
static void stale(void) {
  MPI_Request request, handle;
  MPI_Isend(&me, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
  handle = request;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Wait(&handle, MPI_STATUS_IGNORE);
}
/* In an array of many, whose handles are not checked by each call. */
static void stale_many(void) {
  enum { N = 40 };
  MPI_Request requests[N], handle;
  int index;
  for (int i = 0; i < N; i++)
    MPI_Isend(&me, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[i]);
  handle = requests[3];
  do MPI_Waitany(N, requests, &index, MPI_STATUS_IGNORE);
  while (index != MPI_UNDEFINED);
  requests[3] = handle;
  MPI_Waitany(N, requests, &index, MPI_STATUS_IGNORE);
}
static void cancel_send(void) {
  MPI_Request request;
  MPI_Issend(&me, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
}
static void start_plain(void) {
  MPI_Request request;
  int in;
  MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
  MPI_Start(&request);
}
static void no_function(void *in, void *inout, int *len, MPI_Datatype *type) {
  (void)in, (void)inout, (void)len, (void)type;
}
static void freed_op(void) {
  MPI_Op op, handle;
  int in = 0, out;
  MPI_Op_create(no_function, 1, &op);
  handle = op;
  MPI_Op_free(&op);
  MPI_Allreduce(&in, &out, 1, MPI_INT, handle, MPI_COMM_SELF);
}
static void free_sum(void) {
  MPI_Op op = MPI_SUM;
  MPI_Op_free(&op);
}
static void null_function(void) {
  MPI_Op op;
  MPI_Op_create(NULL, 1, &op);
}
static void block_count(void) {
  int in = 0, out, n = -1;
  MPI_Reduce_scatter(&in, &out, &n, MPI_INT, MPI_SUM, MPI_COMM_SELF);
}
static void local_pair(void) {
  int a = 0, b = 0;
  MPI_Reduce_local(&a, &b, 1, MPI_INT, MPI_MINLOC);
}
static void null_group(void) {
  int n;
  MPI_Group_size(MPI_GROUP_NULL, &n);
}
static void freed_group(void) {
  MPI_Group group, handle;
  int n;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  handle = group;
  MPI_Group_free(&group);
  MPI_Group_size(handle, &n);
}
static void group_rank(void) {
  MPI_Group group;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Group_incl(group, 2, (int[]){1, n_ranks}, &group);
}
static void group_twice(void) {
  MPI_Group group;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Group_incl(group, 2, (int[]){1, 1}, &group);
}
static void range_stride(void) {
  MPI_Group group;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Group_range_incl(group, 1, (int[][3]){{0, 1, 0}}, &group);
}
static void no_member(void) {
  MPI_Group group;
  MPI_Comm made;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Comm_create(MPI_COMM_SELF, group, &made);
}
static void info_key(void) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_delete(info, "k");
}
static MPI_Comm grid; /* of all ranks, in one dimension */
static void make_grid(void) {
  MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){n_ranks}, (int[]){0}, 0, &grid);
}
static void no_grid(void) {
  int r;
  MPI_Cart_rank(MPI_COMM_WORLD, (int[]){0}, &r);
}
static void large_grid(void) {
  MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){n_ranks + 1}, (int[]){0}, 0, &grid);
}
static void outside(void) {
  int r;
  MPI_Cart_rank(grid, (int[]){n_ranks}, &r);
}
static void direction(void) {
  int source, dest;
  MPI_Cart_shift(grid, 1, 1, &source, &dest);
}
static void factors(void) {
  MPI_Dims_create(6, 2, (int[]){4, 0});
}
static void no_attribute(void) {
  void *value;
  int flag;
  MPI_Comm_get_attr(MPI_COMM_WORLD, 77, &value, &flag);
}
static void not_committed(void) {
  MPI_Datatype type;
  int two[2] = {0, 0};
  MPI_Type_vector(2, 1, 1, MPI_INT, &type);
  MPI_Send(two, 1, type, 0, 0, MPI_COMM_SELF);
}
static void block_length(void) {
  MPI_Datatype type;
  MPI_Type_indexed(2, (int[]){1, -1}, (int[]){0, 1}, MPI_INT, &type);
}
static void part(void) {
  MPI_Datatype type;
  MPI_Type_create_subarray(2, (int[]){4, 4}, (int[]){4, 3}, (int[]){0, 2}, MPI_ORDER_C, MPI_INT,
                           &type);
}
static void too_long(void) {
  MPI_Datatype type, more;
  MPI_Type_contiguous(1 << 30, MPI_DOUBLE, &type);
  MPI_Type_contiguous(1 << 30, type, &more);
}
static void no_constructor(void) {
  MPI_Datatype type;
  int n;
  MPI_Aint address;
  MPI_Type_get_contents(MPI_INT, 1, 1, 1, &n, &address, &type);
}
static void pack_space(void) {
  int two[2] = {0, 0}, position = 4;
  char packed[10];
  MPI_Pack(two, 2, MPI_INT, packed, sizeof packed, &position, MPI_COMM_SELF);
}
static void outside_extent(void) {
  MPI_Datatype type, small;
  MPI_Op op;
  int in[4] = {0}, out[4] = {0};
  MPI_Type_vector(2, 1, 2, MPI_INT, &type);
  MPI_Type_create_resized(type, 0, 4, &small);
  MPI_Type_commit(&small);
  MPI_Op_create(no_function, 1, &op);
  MPI_Allreduce(in, out, 1, small, op, MPI_COMM_SELF);
}
static void derived_sum(void) {
  MPI_Datatype type;
  int in[2] = {0}, out[2] = {0};
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Allreduce(in, out, 1, type, MPI_SUM, MPI_COMM_SELF);
}
static char buffer[100];
static void buffer_space(void) {
  int ten[10] = {0};
  MPI_Buffer_attach(buffer, sizeof buffer);
  MPI_Bsend(ten, 10, MPI_INT, 0, 0, MPI_COMM_SELF);
}
static void no_buffer(void) {
  MPI_Bsend(&me, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
}
static void attached_twice(void) {
  MPI_Buffer_attach(buffer, sizeof buffer);
  MPI_Buffer_attach(buffer, sizeof buffer);
}
static void no_neighbors(void) {
  int in[2], out[2] = {0, 0};
  MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_SELF);
}
static void no_graph(void) {
  int in, out, weighted;
  MPI_Dist_graph_neighbors_count(grid, &in, &out, &weighted);
}
static void no_handler(MPI_Comm *comm, int *code, ...) {
  (void)comm, (void)code;
}
static void freed_handler(void) {
  MPI_Errhandler made, handle;
  MPI_Comm_create_errhandler(no_handler, &made);
  handle = made;
  MPI_Errhandler_free(&made);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handle);
}
static void reported(void) {
  MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_TAG);
}
static int refuse(MPI_Comm comm, int keyval, void *value, void *extra) {
  (void)comm, (void)keyval, (void)value, (void)extra;
  return MPI_ERR_OTHER;
}
static void removal(void) {
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, &key);
  MPI_Comm_delete_attr(MPI_COMM_SELF, key);
}
/* MPI_IN_PLACE where no function takes it. */
static void in_place_message(void) {
  MPI_Send(MPI_IN_PLACE, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
}
static void in_place_broadcast(void) {
  MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, MPI_COMM_SELF);
}
static void in_place_result(void) {
  MPI_Allreduce(&me, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
}
static void in_place_scatter(void) {
  MPI_Scatter(MPI_IN_PLACE, 1, MPI_INT, &me, 1, MPI_INT, 0, MPI_COMM_SELF);
}
static void in_place_other(void) { /* as if rank 0 were the root */
  MPI_Reduce(MPI_IN_PLACE, &me, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
}
/* One buffer in place of two. */
static int cell;
static void same_reduce(void) {
  MPI_Allreduce(&cell, &cell, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
}
static void same_scan(void) {
  MPI_Scan(&cell, &cell, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
}
static void same_blocks(void) {
  MPI_Reduce_scatter_block(&cell, &cell, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
}
static void same_allgather(void) {
  MPI_Allgather(&cell, 1, MPI_INT, &cell, 1, MPI_INT, MPI_COMM_SELF);
}
static void same_allgatherv(void) {
  MPI_Allgatherv(&cell, 1, MPI_INT, &cell, (int[]){1}, (int[]){0}, MPI_INT, MPI_COMM_SELF);
}
static void same_gather(void) {
  MPI_Gather(&cell, 1, MPI_INT, &cell, 1, MPI_INT, 0, MPI_COMM_SELF);
}
static void same_gatherv(void) {
  MPI_Gatherv(&cell, 1, MPI_INT, &cell, (int[]){1}, (int[]){0}, MPI_INT, 0, MPI_COMM_SELF);
}
static void same_scatter(void) {
  MPI_Scatter(&cell, 1, MPI_INT, &cell, 1, MPI_INT, 0, MPI_COMM_SELF);
}
static void same_scatterv(void) {
  MPI_Scatterv(&cell, (int[]){1}, (int[]){0}, MPI_INT, &cell, 1, MPI_INT, 0, MPI_COMM_SELF);
}
static void overlapping(void) {
  int three[3] = {0, 0, 0};
  MPI_Sendrecv(three, 2, MPI_INT, 0, 0, three + 1, 2, MPI_INT, 0, 0, MPI_COMM_SELF,
               MPI_STATUS_IGNORE);
}
static void listed_twice(void) {
  int in;
  MPI_Request both[2];
  MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &both[0]);
  both[1] = both[0];
  MPI_Send(&me, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}
static void same_local(void) {
  MPI_Reduce_local(&cell, &cell, 1, MPI_INT, MPI_SUM);
}
static void null_counts(void) {
  int got[2];
  MPI_Gatherv(&cell, 1, MPI_INT, got, NULL, NULL, MPI_INT, 0, MPI_COMM_SELF);
}
static void abort_run(void) {
  MPI_Abort(MPI_COMM_WORLD, 9);
}

static const struct {
  const char *name;
  void (*make)(void);
} ways[] = {{"twice", twice},
            {"rank", rank},
            {"listed_twice", listed_twice},
            {"same_local", same_local},
            {"lengths", lengths},
            {"null_counts", null_counts},
            {"rank_before", rank_before},
            {"source_before", source_before},
            {"tag", tag},
            {"count", count},
            {"null_buffer", null_buffer},
            {"null_comm", null_comm},
            {"freed_comm", freed_comm},
            {"free_world", free_world},
            {"unset_comm", unset_comm},
            {"unset_type", unset_type},
            {"unset_request", unset_request},
            {"unset_op", unset_op},
            {"free_pending", free_pending},
            {"freed_type", freed_type},
            {"truncated", truncated},
            {"pair", pair},
            {"logical_sum", logical_sum},
            {"root", root},
            {"roots", roots},
            {"operators", operators},
            {"plans", plans},
            {"stale", stale},
            {"stale_many", stale_many},
            {"cancel_send", cancel_send},
            {"start_plain", start_plain},
            {"freed_op", freed_op},
            {"free_sum", free_sum},
            {"null_function", null_function},
            {"block_count", block_count},
            {"local_pair", local_pair},
            {"null_group", null_group},
            {"freed_group", freed_group},
            {"group_rank", group_rank},
            {"group_twice", group_twice},
            {"range_stride", range_stride},
            {"no_member", no_member},
            {"info_key", info_key},
            {"no_grid", no_grid},
            {"large_grid", large_grid},
            {"outside", outside},
            {"direction", direction},
            {"factors", factors},
            {"no_attribute", no_attribute},
            {"not_committed", not_committed},
            {"block_length", block_length},
            {"part", part},
            {"too_long", too_long},
            {"no_constructor", no_constructor},
            {"pack_space", pack_space},
            {"outside_extent", outside_extent},
            {"derived_sum", derived_sum},
            {"buffer_space", buffer_space},
            {"no_buffer", no_buffer},
            {"attached_twice", attached_twice},
            {"no_neighbors", no_neighbors},
            {"no_graph", no_graph},
            {"freed_handler", freed_handler},
            {"reported", reported},
            {"removal", removal},
            {"in_place_message", in_place_message},
            {"in_place_broadcast", in_place_broadcast},
            {"in_place_result", in_place_result},
            {"in_place_scatter", in_place_scatter},
            {"in_place_other", in_place_other},
            {"same_reduce", same_reduce},
            {"same_scan", same_scan},
            {"same_blocks", same_blocks},
            {"same_allgather", same_allgather},
            {"same_allgatherv", same_allgatherv},
            {"same_gather", same_gather},
            {"same_gatherv", same_gatherv},
            {"same_scatter", same_scatter},
            {"same_scatterv", same_scatterv},
            {"overlapping", overlapping},
            {"abort", abort_run}};

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "";
  if (strcmp(way, "before") == 0) before();
  begin();
  if (strcmp(way, "after") == 0) after();
  make_grid();
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
    if (strcmp(way, ways[i].name) == 0 && (me == 0 || of_all(ways[i].make))) ways[i].make();
  return finish();
}
