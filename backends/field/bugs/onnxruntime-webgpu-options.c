/* ONNX Runtime's WebGPU provider: one OrtSessionOptions used for two sessions; when one session is
 * released, the other loses its device.
 *
 * implementation: onnxruntime-webgpu
 * bug: onnxruntime-webgpu@1.30.0
 *
 * usage: cc -I FOLDER_OF_HEADER onnxruntime-webgpu-options.c libonnxruntime.so.1 && ./a.out */
#include <onnxruntime_c_api.h>

#include <stdio.h>
#include <stdlib.h>

/* a model of one TopK node for float32 of one dimension */
static const char MODEL[] =
    "\x08\x06\x3a\x98\x01\x0a\x49\x0a\x01\x58\x0a\x01\x4b\x12\x06Values\x12\x07Indices\x22\x04TopK"
    "\x2a\x0b\x0a\x04"
    "axis\x18\x00\xa0\x01\x02\x2a\x0e\x0a\x07largest\x18\x01\xa0\x01\x02"
    "\x2a\x0d\x0a\x06sorted\x18\x01\xa0\x01\x02\x12\x04topk"
    "\x5a\x0d\x0a\x01X\x12\x08\x0a\x06\x08\x01\x12\x02\x0a\x00\x5a\x0d\x0a\x01K\x12\x08\x0a\x06\x08"
    "\x07\x12\x02\x0a\x00"
    "\x62\x12\x0a\x06Values\x12\x08\x0a\x06\x08\x01\x12\x02\x0a\x00\x62\x13\x0a\x07Indices\x12\x08"
    "\x0a\x06\x08\x07\x12\x02\x0a\x00"
    "\x42\x02\x10\x0b";

static const OrtApi *api;

static void need(OrtStatus *status, const char *what)
{
    if (status != NULL) {
        printf("%s: %s\n", what, api->GetErrorMessage(status));
        exit(2);
    }
}

/* Runs TopK of {1, 3}, K 1. Returns what went wrong, or NULL. */
static OrtStatus *run(OrtSession *session)
{
    float x[] = {1, 3};
    int64_t k = 1;
    const int64_t two = 2, one = 1;
    OrtMemoryInfo *memory;
    OrtValue *inputs[2], *outputs[2] = {NULL, NULL};
    const char *const input_names[] = {"X", "K"}, *const output_names[] = {"Values", "Indices"};
    need(api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory), "memory");
    need(api->CreateTensorWithDataAsOrtValue(memory, x, sizeof x, &two, 1,
                                             ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &inputs[0]),
         "X");
    need(api->CreateTensorWithDataAsOrtValue(memory, &k, sizeof k, &one, 1,
                                             ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &inputs[1]),
         "K");
    return api->Run(session, NULL, input_names, (const OrtValue *const *)inputs, 2, output_names, 2,
                    outputs);
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    OrtEnv *env;
    OrtSessionOptions *options;
    OrtSession *first, *second;
    for (uint32_t version = ORT_API_VERSION; api == NULL && version > 11; version--) {
        api = OrtGetApiBase()->GetApi(version);
    }
    need(api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "bug", &env), "environment");
    need(api->CreateSessionOptions(&options), "options");
    need(api->SessionOptionsAppendExecutionProvider(options, "WebGPU", NULL, NULL, 0), "WebGPU");
    need(api->CreateSessionFromArray(env, MODEL, sizeof MODEL - 1, options, &first),
         "first session");
    need(api->CreateSessionFromArray(env, MODEL, sizeof MODEL - 1, options, &second),
         "second session");
    need(run(first), "the first session runs");
    need(run(second), "the second session runs");
    printf("two sessions of the same options run\n");
    printf("the first is released, and the second runs again\n  expected success\n  actual   ");
    api->ReleaseSession(first);
    OrtStatus *status = run(second); /* 1.30.0 crashes here */
    printf("%s\n", status == NULL ? "success" : api->GetErrorMessage(status));
    return status != NULL;
}
