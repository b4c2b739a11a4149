/* Reads ONNX test folders with ONNX Runtime and nothing of this project, runs their models and
 * compares what comes out with what is expected there. Run as
 *   onnx_run LIBRARY DIR...
 * Prints a line a folder:
 *   DIR type=N sizes=N,... k=N data=HEX,... index=HEX,... VERDICT
 * with the tensors as ONNX Runtime sees them, where VERDICT is `same', `differs', or `no kernel' if
 * it has none for the type. Exits with 1 if something differs, with 2 if something cannot be read.
 *
 * ONNX Runtime has no function that reads a TensorProto; but it reads those in a model. So each
 * file is put into a model as an initializer, as it is, and passed through an Identity. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <onnxruntime_c_api.h>

#define FILE_MAX (1u << 24)

static const OrtApi *api;
static OrtEnv *env;
static OrtSessionOptions *options;

static void must(OrtStatus *status, const char *what)
{
    if (status != NULL) {
        fprintf(stderr, "onnx_run: %s: %s\n", what, api->GetErrorMessage(status));
        exit(2);
    }
}

/* ---- files, and messages around them --------------------------------------------------------- */

struct bytes {
    uint8_t list[FILE_MAX + 256];
    size_t count;
};

static void read_file(struct bytes *bytes, const char *dir, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(2);
    }
    bytes->count = fread(bytes->list, 1, FILE_MAX, file);
    fclose(file);
}

static void put(struct bytes *to, const void *bytes, size_t count)
{
    if (count > sizeof to->list - to->count) {
        fputs("onnx_run: a file is too large\n", stderr);
        exit(2);
    }
    memcpy(to->list + to->count, bytes, count);
    to->count += count;
}

static void put_field(struct bytes *to, unsigned field, const void *bytes, size_t count)
{
    const uint8_t tag = (uint8_t)(field << 3 | 2);
    put(to, &tag, 1);
    size_t rest = count;
    do {
        const uint8_t byte = (uint8_t)((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
        put(to, &byte, 1);
        rest >>= 7;
    } while (rest > 0);
    put(to, bytes, count);
}

/* ---- tensors --------------------------------------------------------------------------------- */

static OrtValue *run_one(OrtSession *session, const char *name)
{
    OrtValue *value = NULL;
    const char *const outputs[] = {"Y"};
    must(api->Run(session, NULL, NULL, NULL, 0, outputs, 1, &value), name);
    return value;
}

static OrtValue *read_tensor(const char *dir, const char *file, const char *name)
{
    static struct bytes tensor;
    static struct bytes graph;
    static struct bytes model;
    struct bytes *node = calloc(1, sizeof *node);
    static const uint8_t output[] = {0x0a, 1, 'Y'};
    static const uint8_t opset[] = {0x10, 13};
    static const uint8_t version[] = {0x08, 8};
    OrtSession *session = NULL;
    if (node == NULL) {
        exit(2);
    }
    graph.count = 0;
    model.count = 0;
    read_file(&tensor, dir, file);
    put_field(node, 1, name, strlen(name));
    put_field(node, 2, "Y", 1);
    put_field(node, 4, "Identity", 8);
    put_field(&graph, 1, node->list, node->count);
    put_field(&graph, 2, "g", 1);
    put_field(&graph, 5, tensor.list, tensor.count);
    put_field(&graph, 12, output, sizeof output);
    put(&model, version, sizeof version);
    put_field(&model, 7, graph.list, graph.count);
    put_field(&model, 8, opset, sizeof opset);
    free(node);
    must(api->CreateSessionFromArray(env, model.list, model.count, options, &session), file);
    OrtValue *value = run_one(session, file);
    api->ReleaseSession(session);
    return value;
}

struct view {
    ONNXTensorElementDataType type;
    size_t rank;
    int64_t sizes[16];
    size_t elements;
    size_t width;
    const uint8_t *data;
};

static size_t width_of(ONNXTensorElementDataType type)
{
    switch (type) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8:
        return 1;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16:
        return 2;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64:
        return 8;
    default:
        return 4;
    }
}

static struct view look(OrtValue *value)
{
    struct view view = {.rank = 0};
    OrtTensorTypeAndShapeInfo *info = NULL;
    void *data = NULL;
    must(api->GetTensorTypeAndShape(value, &info), "a tensor's shape");
    must(api->GetTensorElementType(info, &view.type), "a tensor's type");
    must(api->GetDimensionsCount(info, &view.rank), "a tensor's rank");
    must(api->GetDimensions(info, view.sizes, view.rank), "a tensor's sizes");
    must(api->GetTensorShapeElementCount(info, &view.elements), "a tensor's elements");
    must(api->GetTensorMutableData(value, &data), "a tensor's data");
    api->ReleaseTensorTypeAndShapeInfo(info);
    view.width = width_of(view.type);
    view.data = data;
    return view;
}

static void print_data(const char *name, const struct view *view)
{
    printf(" %s=", name);
    for (size_t i = 0; i < view->elements; i++) {
        printf("%s", i == 0 ? "" : ",");
        for (size_t byte = view->width; byte-- > 0;) {
            printf("%02x", view->data[i * view->width + byte]);
        }
    }
}

static bool same(OrtValue *a, OrtValue *b)
{
    const struct view x = look(a);
    const struct view y = look(b);
    return x.type == y.type && x.rank == y.rank &&
           memcmp(x.sizes, y.sizes, x.rank * sizeof x.sizes[0]) == 0 &&
           memcmp(x.data, y.data, x.elements * x.width) == 0;
}

/* ---- a folder -------------------------------------------------------------------------------- */

/* NULL: there is no kernel for the type */
static OrtSession *load(const char *dir)
{
    OrtSession *session = NULL;
    char path[1024];
    snprintf(path, sizeof path, "%s/model.onnx", dir);
    OrtStatus *status = api->CreateSession(env, path, options, &session);
    if (status != NULL && api->GetErrorCode(status) == ORT_NOT_IMPLEMENTED) {
        api->ReleaseStatus(status);
        return NULL;
    }
    must(status, path);
    return session;
}

static const char *run(const char *dir, OrtValue *x, OrtValue *k, OrtValue *const expected[2])
{
    static const char *const input_names[] = {"X", "K"};
    static const char *const output_names[] = {"Values", "Indices"};
    const OrtValue *inputs[] = {x, k};
    OrtValue *outputs[2] = {NULL, NULL};
    OrtSession *session = load(dir);
    if (session == NULL) {
        return "no kernel";
    }
    must(api->Run(session, NULL, input_names, inputs, 2, output_names, 2, outputs), dir);
    const bool right = same(outputs[0], expected[0]) && same(outputs[1], expected[1]);
    api->ReleaseValue(outputs[0]);
    api->ReleaseValue(outputs[1]);
    api->ReleaseSession(session);
    return right ? "same" : "differs";
}

static bool visit(const char *dir)
{
    char data[900];
    snprintf(data, sizeof data, "%s/test_data_set_0", dir);
    OrtValue *values[] = {
        read_tensor(data, "input_0.pb", "X"),
        read_tensor(data, "input_1.pb", "K"),
        read_tensor(data, "output_0.pb", "Values"),
        read_tensor(data, "output_1.pb", "Indices"),
    };
    const struct view x = look(values[0]);
    const struct view k = look(values[1]);
    const struct view index = look(values[3]);
    int64_t number = 0;
    if (k.type != ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64 || k.rank != 1 || k.elements != 1) {
        fprintf(stderr, "onnx_run: %s: K is not one int64\n", dir);
        exit(2);
    }
    memcpy(&number, k.data, sizeof number);
    printf("%s type=%d sizes=", dir, (int)x.type);
    for (size_t d = 0; d < x.rank; d++) {
        printf("%s%" PRId64, d == 0 ? "" : ",", x.sizes[d]);
    }
    printf(" k=%" PRId64, number);
    print_data("data", &x);
    print_data("index", &index);
    const char *verdict = run(dir, values[0], values[1], values + 2);
    printf(" %s\n", verdict);
    for (unsigned i = 0; i < 4; i++) {
        api->ReleaseValue(values[i]);
    }
    return strcmp(verdict, "differs") != 0;
}

int main(int argc, char **argv)
{
    void *library = argc < 3 ? NULL : dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    const OrtApiBase *(*get)(void) = NULL;
    if (library == NULL) {
        fprintf(stderr, "usage: onnx_run LIBRARY DIR...: %s\n", argc < 3 ? "what?" : dlerror());
        return 2;
    }
    void *symbol = dlsym(library, "OrtGetApiBase");
    memcpy(&get, &symbol, sizeof get);
    api = get == NULL ? NULL : get()->GetApi(ORT_API_VERSION);
    if (api == NULL) {
        fputs("onnx_run: another version of the library\n", stderr);
        return 2;
    }
    must(api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "onnx_run", &env), "an environment");
    must(api->CreateSessionOptions(&options), "options");
    must(api->SetIntraOpNumThreads(options, 1), "one thread");
    must(api->SetSessionGraphOptimizationLevel(options, ORT_DISABLE_ALL), "no optimization");
    bool right = true;
    for (int i = 2; i < argc; i++) {
        right = visit(argv[i]) && right;
    }
    api->ReleaseSessionOptions(options);
    api->ReleaseEnv(env);
    return right ? 0 : 1;
}
