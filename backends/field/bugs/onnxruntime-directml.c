/* ONNX Runtime's DirectML provider: TopK orders int64 by their low 32 bits, as signed numbers, and
 * returns an index twice where a row of float32 has NaNs. Both are DirectML's.
 *
 * implementation: onnxruntime-directml
 * bug: onnxruntime-directml@1.18.0 onnxruntime-directml@1.27.0 onnxruntime-directml@1.30.0
 * bug: directml@1.14.1 directml@1.15.2 directml@1.15.4
 * bug: onnxruntime-directml@1.18.0 onnxruntime-directml@1.27.0 onnxruntime-directml@1.30.0
 * bug: directml@1.14.1 directml@1.15.2 directml@1.15.4
 *
 * usage: x86_64-w64-mingw32-gcc -I FOLDER_OF_HEADER onnxruntime-directml.c && a.exe
 * PATH\\onnxruntime.dll */
/* words of Microsoft's compiler */
#define _Return_type_success_(expression)
#ifndef _stdcall
#define _stdcall
#endif
#include <onnxruntime_c_api.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#define N 257

/* a model of one TopK node for one dimension; X and Values have the type TYPE */
#define MODEL(TYPE)                                                                                \
    "\x08\x06\x3a\x98\x01\x0a\x49\x0a\x01\x58\x0a\x01\x4b\x12\x06Values\x12\x07Indices\x22"        \
    "\x04TopK\x2a\x0b\x0a\x04"                                                                     \
    "axis\x18\x00\xa0\x01\x02\x2a\x0e\x0a\x07largest\x18\x01\xa0\x01\x02"                          \
    "\x2a\x0d\x0a\x06sorted\x18\x01\xa0\x01\x02\x12\x04topk"                                       \
    "\x5a\x0d\x0a\x01X\x12\x08\x0a\x06\x08" TYPE "\x12\x02\x0a\x00\x5a\x0d\x0a\x01K"               \
    "\x12\x08\x0a\x06\x08\x07\x12\x02\x0a\x00"                                                     \
    "\x62\x12\x0a\x06Values\x12\x08\x0a\x06\x08" TYPE "\x12\x02\x0a\x00\x62\x13\x0a\x07Indices"    \
    "\x12\x08\x0a\x06\x08\x07\x12\x02\x0a\x00"                                                     \
    "\x42\x02\x10\x0b"

static const OrtApi *api;
static OrtEnv *env;
static OrtStatus *(*append_directml)(OrtSessionOptions *options, int device);

static void need(OrtStatus *status, const char *what)
{
    if (status != NULL) {
        printf("%s: %s\n", what, api->GetErrorMessage(status));
        exit(2);
    }
}

/* Runs TopK of n elements of x; indices gets the k that it returns. */
static void top_k(const char *model, size_t bytes, ONNXTensorElementDataType type, void *x,
                  size_t x_bytes, int64_t n, int64_t k, int64_t *indices)
{
    static const int64_t one = 1;
    static const char *const input_names[] = {"X", "K"}, *const output_names[] = {"Values",
                                                                                  "Indices"};
    OrtSessionOptions *options;
    OrtSession *session;
    OrtMemoryInfo *memory;
    OrtValue *inputs[2], *outputs[2] = {NULL, NULL};
    void *found;
    need(api->CreateSessionOptions(&options), "options");
    need(api->DisableMemPattern(options), "options");
    need(append_directml(options, 0), "the DirectML provider");
    need(api->CreateSessionFromArray(env, model, bytes, options, &session), "session");
    need(api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory), "memory");
    need(api->CreateTensorWithDataAsOrtValue(memory, x, x_bytes, &n, 1, type, &inputs[0]), "X");
    need(api->CreateTensorWithDataAsOrtValue(memory, &k, sizeof k, &one, 1,
                                             ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &inputs[1]),
         "K");
    need(api->Run(session, NULL, input_names, (const OrtValue *const *)inputs, 2, output_names, 2,
                  outputs),
         "running");
    need(api->GetTensorMutableData(outputs[1], &found), "indices");
    memcpy(indices, found, (size_t)k * sizeof *indices);
}

int main(int count, char **arguments)
{
    static int64_t indices[N];
    setvbuf(stdout, NULL, _IONBF, 0);
    HMODULE library = LoadLibraryExA(count > 1 ? arguments[1] : "onnxruntime.dll", NULL,
                                     LOAD_WITH_ALTERED_SEARCH_PATH);
    const OrtApiBase *(*base)(void) = NULL;
    if (library == NULL) {
        printf("onnxruntime.dll cannot be loaded\n");
        return 2;
    }
    *(FARPROC *)&base = GetProcAddress(library, "OrtGetApiBase");
    *(FARPROC *)&append_directml =
        GetProcAddress(library, "OrtSessionOptionsAppendExecutionProvider_DML");
    if (base == NULL || append_directml == NULL) {
        printf("onnxruntime.dll has no DirectML provider\n");
        return 2;
    }
    for (uint32_t version = ORT_API_VERSION; api == NULL && version > 11; version--) {
        api = base()->GetApi(version);
    }
    printf("ONNX Runtime %s\n", base()->GetVersionString());
    need(api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "bug", &env), "environment");

    int64_t wide[] = {INT64_C(2147483648), 0};
    top_k(MODEL("\x07"), sizeof MODEL("\x07") - 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, wide,
          sizeof wide, 2, 1, indices);
    const int low = indices[0] != 0;
    printf("the greatest of int64 {2147483648, 0}\n  expected index 0\n  actual   index %" PRId64
           "\n",
           indices[0]);

    static float row[N];
    for (int i = 0; i < N; i++) {
        row[i] = i % 4 == 0 ? __builtin_nanf("") : 0;
    }
    top_k(MODEL("\x01"), sizeof MODEL("\x01") - 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, row,
          sizeof row, N, N, indices);
    int64_t twice = -1;
    for (int i = 0; i < N && twice < 0; i++) {
        for (int j = 0; j < i && twice < 0; j++) {
            twice = indices[i] == indices[j] ? indices[i] : -1;
        }
    }
    printf("the %d greatest of %d float32, zeros but for a NaN at every fourth\n"
           "  expected each index once\n  actual   ",
           N, N);
    printf(twice < 0 ? "each index once\n" : "index %" PRId64 " twice\n", twice);
    fflush(stdout);
    ExitProcess(low || twice >= 0); /* nothing is released */
}
