/* Measures what the suite adds to the work of a Vulkan driver: small cases through one worker and
 * the judge, and the bare dispatches of the same kernel on buffers of the same sizes, 512 per
 * submission. Bare means that nothing is uploaded, read back or judged; the commands are recorded
 * once, or for each submission. Target: the rate of cases is at least half of the bare rate. Run by
 * hand: vulkan_bench [FOLDER of topk-worker [VARIANT [LENGTH]]]; VK_DRIVER_FILES selects the
 * driver. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "vulkan/kernel.h"
#include "worker/call.h"

#define BATCH 512u
#define LISTS 64u
#define CASES (LISTS * BATCH)

struct bare {
    struct topk_vulkan vulkan;
    struct topk_vulkan_batch batch;
    struct topk_vulkan_kernels kernels;
    struct topk_call calls[BATCH];
    struct topk_kernel_job jobs[BATCH];
    struct topk_vulkan_places places[BATCH];
};

static void must(VkResult result, const char *what)
{
    if (result != VK_SUCCESS) {
        bench_die(what);
    }
}

static void prepare_job(struct bare *bare, unsigned number, uint32_t variant, unsigned elements)
{
    char text[128];
    struct topk_case tc;
    struct topk_case_error error;
    struct topk_backend_answer answer;
    struct topk_call *call = &bare->calls[number];
    struct topk_kernel_job *job = &bare->jobs[number];
    const int length = bench_print_case(text, sizeof text, elements, number);
    if (!topk_case_parse(text, (size_t)length - 1, &tc, &error)) {
        bench_die(error.message);
    }
    if (!topk_call_prepare(call, &tc, TOPK_POISON_ZEROS)) {
        bench_die("out of memory");
    }
    topk_call_load(call);
    topk_case_clear(&tc);
    job->call = &call->backend_call;
    job->answer = &call->answer;
    if (!topk_cpu_validate(job->call, &job->plan, &answer)) {
        bench_die(answer.reason);
    }
    job->variant = variant;
    job->shader = topk_vulkan_variant_choose(&bare->vulkan, &job->variant, &job->plan,
                                             answer.reason, sizeof answer.reason);
    if (job->shader == NULL) {
        bench_die(answer.reason);
    }
    must(topk_vulkan_prepare(&bare->kernels, job), "no pipeline");
}

static void open_bare(struct bare *bare, uint32_t variant, unsigned elements)
{
    const struct topk_vulkan_options options = {.timeout_ms = 120000};
    const struct topk_backend_call *calls[BATCH];
    char error[4096];
    if (!topk_vulkan_open(&bare->vulkan, &options, error, sizeof error)) {
        bench_die(error);
    }
    must(topk_vulkan_batch_open(&bare->batch, &bare->vulkan), "no command buffer");
    must(topk_vulkan_kernels_open(&bare->kernels, &bare->vulkan, BATCH), "no descriptors");
    for (unsigned i = 0; i < BATCH; i++) {
        prepare_job(bare, i, variant, elements);
        calls[i] = bare->jobs[i].call;
    }
    must(topk_vulkan_kernels_reserve(&bare->kernels, topk_kernel_place_scratch(bare->jobs, BATCH)),
         "no memory for kernels");
    /* once like the backend; from now on the inputs are on the device */
    must(topk_vulkan_load(&bare->batch, calls, BATCH, bare->places), "no memory for calls");
    topk_vulkan_record(&bare->kernels, &bare->batch, bare->jobs, BATCH, bare->places);
    must(topk_vulkan_submit(&bare->batch, calls, BATCH, bare->places), "no submission");
    must(topk_vulkan_finish(&bare->batch, calls, BATCH, bare->places), "no result");
}

static void close_bare(struct bare *bare)
{
    for (unsigned i = 0; i < BATCH; i++) {
        topk_call_free(&bare->calls[i]);
    }
    topk_vulkan_kernels_close(&bare->kernels);
    topk_vulkan_batch_close(&bare->batch);
    topk_vulkan_close(&bare->vulkan);
}

static void record(struct bare *bare)
{
    const struct topk_vulkan_api *api = &bare->vulkan.api;
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    must(api->ResetCommandPool(bare->vulkan.device, bare->batch.pool, 0), "no reset");
    must(api->BeginCommandBuffer(bare->batch.commands, &info), "no command buffer");
    topk_vulkan_record(&bare->kernels, &bare->batch, bare->jobs, BATCH, bare->places);
    must(api->EndCommandBuffer(bare->batch.commands), "no command buffer");
}

static void submit(struct bare *bare)
{
    const struct topk_vulkan_api *api = &bare->vulkan.api;
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &bare->batch.commands};
    must(api->ResetFences(bare->vulkan.device, 1, &bare->batch.fence), "no fence");
    must(api->QueueSubmit(bare->vulkan.queue, 1, &info, bare->batch.fence), "no submission");
    must(api->WaitForFences(bare->vulkan.device, 1, &bare->batch.fence, VK_TRUE,
                            UINT64_C(120000000000)),
         "no end");
}

/* Dispatches per second. */
static double run_bare(struct bare *bare, bool recorded)
{
    record(bare);
    submit(bare);
    const double start = bench_now();
    for (unsigned i = 0; i < LISTS; i++) {
        if (!recorded) {
            record(bare);
        }
        submit(bare);
    }
    return CASES / (bench_now() - start);
}

static void print(const char *what, double rates[BENCH_RUNS])
{
    bench_sort(rates);
    printf("%-16s %8.0f a second (%.0f, %.0f)\n", what, rates[BENCH_RUNS / 2], rates[0],
           rates[BENCH_RUNS - 1]);
}

int main(int argc, char **argv)
{
    char command[4200];
    const char *slash = strrchr(argv[0], '/');
    const char *folder = argc > 1 ? argv[1] : slash == NULL ? "." : argv[0];
    const int length = argc > 1 || slash == NULL ? (int)strlen(folder) : (int)(slash - argv[0]);
    const char *name = argc > 2 ? argv[2] : "rank";
    uint32_t variant = 0;
    while (variant < TOPK_VARIANTS && strcmp(name, topk_vulkan_variants[variant].name) != 0) {
        variant++;
    }
    const unsigned elements = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 64;
    if (variant == TOPK_VARIANTS) {
        bench_die("unknown variant");
    }
    snprintf(command, sizeof command, "exec '%.*s/topk-worker' --backend vulkan:variant=%s", length,
             folder, name);
    struct bench_messages messages;
    bench_make_messages(&messages, CASES, BATCH, elements);
    struct bare *bare = calloc(1, sizeof *bare);
    if (bare == NULL) {
        bench_die("out of memory");
    }
    open_bare(bare, variant, elements);
    double again[BENCH_RUNS];
    double anew[BENCH_RUNS];
    double whole[BENCH_RUNS];
    double of_bare[BENCH_RUNS];
    double of_anew[BENCH_RUNS];
    for (int i = 0; i < BENCH_RUNS; i++) {
        again[i] = run_bare(bare, true);
        anew[i] = run_bare(bare, false);
        whole[i] = bench_through_worker(command, &messages, 1);
        of_bare[i] = whole[i] / again[i];
        of_anew[i] = whole[i] / anew[i];
    }
    printf("%s, %s: %u times f32[1,1,1,%u] k=8, median of %d runs (least, greatest)\n",
           bare->vulkan.driver, name, CASES, elements, BENCH_RUNS);
    close_bare(bare);
    free(bare);
    bench_free_messages(&messages);
    print("bare", again);
    print("recorded anew", anew);
    print("through worker", whole);
    bench_sort(of_bare);
    bench_sort(of_anew);
    printf("worker / bare: %.2f, worker / recorded anew: %.2f\n", of_bare[BENCH_RUNS / 2],
           of_anew[BENCH_RUNS / 2]);
    return 0;
}
