/* A complete backend process of topk-cts: docs/backend-protocol.md in ISO C, little-endian.
 *   gcc -std=c17 -O2 -o example example.c && topk-cts run --backend-command ./example
 * It sorts on the host. To test a kernel of your own, replace top_k(): upload each whole buffer,
 * bind at its offset, dispatch, and read each whole buffer back, the input's too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long number;
struct call {
    number operator_type, axis, k, direction, rank;
    struct tensor {
        number type, width, offset, at, sizes[16], strides[16]; /* width and strides in bytes */
    } tensors[3];                                               /* input, value, index */
};

/* Compares pairs of key and index: the least key comes first; of equal keys, the least index. */
static int compare(const void *a, const void *b)
{
    const number *x = a, *y = b, tie = x[0] == y[0];
    return x[tie] < y[tie] ? -1 : 1;
}

/* Turns the bits of an element into a number that compares as its value does. */
static number key_of(number bits, number type, number width)
{
    number sign = 1ull << (8 * width - 1), magnitude = bits & (sign - 1);
    if (type > 2) { /* an integer; INT64, INT32, INT16 and INT8 have a sign */
        return type == 11 || (type >= 6 && type <= 8) ? bits ^ sign : bits;
    }
    int nan = magnitude > (type == 1 ? 0x7F800000 : 0x7C00); /* the greatest; zeros are equal */
    return nan ? 2 * sign - 1 : bits & sign ? sign - magnitude : sign + magnitude;
}

/* Computes what starts at `at` in the tensors, from dimension d on; row has room to sort. */
static void top_k(const struct call *call, number d, unsigned char *at[3], number (*row)[2])
{
    const struct tensor *in = &call->tensors[0], *value = in + 1, *index = in + 2;
    number axis = call->axis, length = in->sizes[axis], step = in->strides[axis];
    for (number i = 0; d < call->rank && i < (d == axis ? 1 : in->sizes[d]); i++) {
        unsigned char *part[] = {at[0] + i * in->strides[d], at[1] + i * value->strides[d],
                                 at[2] + i * index->strides[d]};
        top_k(call, d + 1, part, row);
    }
    for (number i = 0; d == call->rank && i < length; i++) {
        number bits = 0, smallest = call->operator_type == 112 && call->direction == 0;
        memcpy(&bits, at[0] + i * step, in->width);
        row[i][0] = key_of(bits, in->type, in->width) ^ (smallest ? 0 : ~0ull);
        row[i][1] = i;
    }
    qsort(row, d == call->rank ? length : 0, sizeof *row, compare);
    for (number j = 0; d == call->rank && j < call->k; j++) {
        memcpy(at[1] + j * value->strides[axis], at[0] + row[j][1] * step, value->width);
        memcpy(at[2] + j * index->strides[axis], &row[j][1], index->width);
    }
}

/* Serves the call of a line, whose buffers are in the bytes of the frame. */
static void serve(const char *line, unsigned char *frame)
{
    static const number widths[] = {0, 4, 2, 4, 2, 1, 4, 2, 1, 0, 8, 8}; /* by type */
    struct call call;
    unsigned char *at[3];
    int used;
    sscanf(line, "call operator=%llu %*s %*s %*s axis=%llu k=%llu direction=%llu%n",
           &call.operator_type, &call.axis, &call.k, &call.direction, &used);
    for (int t = 0; t < 3; t++) {
        struct tensor *tensor = &call.tensors[t];
        char sizes[200], strides[200], *size = sizes, *stride = strides;
        sscanf(line += used,
               "%*[^=]=%llu %*s %*s%*[^=]=%199s%*[^=]=%199s %*s %*s%*[^=]=%llu%*[^=]=%llu%n",
               &tensor->type, sizes, strides, &tensor->offset, &tensor->at, &used);
        const number width = tensor->width = widths[tensor->type];
        for (call.rank = 0; *size != 0; call.rank++) {
            tensor->sizes[call.rank] = strtoull(size + (*size == ','), &size, 10);
            tensor->strides[call.rank] = strtoull(stride + (*stride == ','), &stride, 10) * width;
        }
        for (number d = call.rank, next = 1; *strides == 'p' && d-- > 0; next *= tensor->sizes[d]) {
            tensor->strides[d] = next * width;
        }
        at[t] = frame + tensor->at + tensor->offset;
    }
    void *row = malloc(call.tensors[0].sizes[call.axis] * 2 * sizeof(number));
    top_k(&call, 0, at, row);
    free(row);
}

int main(void)
{
    static const char introduction[] =
        "topk-backend 1 name=example version=1 device= driver= features= level=5.0 "
        "flags=5 batch=64 frame=0 align=1 own=descriptions%20are%20not%20checked";
    static char line[8194], calls[1024][8194];
    number frame, count, bytes = 0;
    while (fflush(stdout) == 0 && fgets(line, sizeof line, stdin) && strcmp(line, "quit\n")) {
        if (strcmp(line, "devices\n") == 0 || strcmp(line, "open 1 \n") == 0) {
            puts(*line == 'd' ? "devices=" : introduction); /* there is no choice of device */
            continue;
        }
        if (strncmp(line, "open 1 ", 7) == 0) {
            return puts("unavailable there%20is%20no%20choice%20of%20device"), 0;
        }
        int good = sscanf(line, "frame %llu %llu %*s %llu", &frame, &count, &bytes) == 3;
        for (number i = 0; good && i < count; i += *calls[i] == 'c') { /* skips "group N" */
            good = count <= 1024 && fgets(calls[i], sizeof calls[i], stdin) != NULL;
        }
        unsigned char *data = malloc(bytes + 1);
        if (!good || data == NULL || fread(data, 1, bytes, stdin) != bytes) {
            return puts("error not%20understood"), 3;
        }
        printf("answer %llu %llu %llu\n", frame, count, bytes);
        for (number i = 0; i < count; i++) {
            serve(calls[i], data);
            puts("done "); /* "unsupported W" where a kernel cannot; no bytes if no call is done */
        }
        fwrite(data, 1, bytes, stdout);
        free(data);
    }
}
