#!/usr/bin/env bash
# How the backend vulkan handles a faulty Vulkan loader, drivers and devices, which wrong_vulkan.c simulates.
# Each time there must be a clear message, the affected case must get the verdict, and the run must continue.
# usage: wrong_vulkan_test.sh BIN ICD_FILE
set -euo pipefail
bin=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VK_DRIVER_FILES=$2
[ "$2" != none ] || { echo "FAILED: this build has no vulkan backend, or found no libvulkan.so.1" >&2; exit 1; }
# drivers look for a display; they must find none
export XDG_RUNTIME_DIR=$work
unset DISPLAY WAYLAND_DISPLAY
export LP_NUM_THREADS=0
export LD_LIBRARY_PATH=$bin/wrong_vulkan

fail() {
    cat "$work/log"
    echo "FAILED: with TOPK_WRONG_VULKAN=${TOPK_WRONG_VULKAN-}: $*" >&2
    exit 1
}

# wrong SPEC STATUS OPTIONS SELECTION...: a run with exit code STATUS
wrong() {
    export TOPK_WRONG_VULKAN=$1
    local expected=$2 options=$3 status=0
    shift 3
    "$bin/topk-cts" run --no-probes --verbose --backend "vulkan$options" --profile core --overwrite \
        --out "$work/run" "$@" >"$work/log" 2>&1 || status=$?
    [ "$status" = "$expected" ] || fail "exit code $status, not $expected"
}

# says TEXT...: the log contains each TEXT
says() {
    local text
    for text in "$@"; do
        grep -qF -- "$text" "$work/log" || fail "the log lacks: $text"
    done
}

# VkResult
host_memory=-1
device_memory=-2
failed=-3
lost=-4
map_failed=-5
incompatible=-9
timeout=2

examples=$("$bin/topk-cts" list --profile core examples | wc -l)
others=$((examples - 1))
third=$("$bin/topk-cts" list --profile core examples | sed -n 3p)

# ---- devices that cannot be opened ----------------------------------------------------------------

# unavailable SPEC TEXT: the backend is unavailable, with TEXT in the reason
unavailable() {
    wrong "$1" 4 '' examples
    says "the backend 'vulkan' is unavailable: " "$2"
}

opening() {
    local function
    unavailable "CreateInstance=1:$host_memory" \
        "creating a Vulkan instance: -1 VK_ERROR_OUT_OF_HOST_MEMORY"
    unavailable "CreateInstance=1:$incompatible" 'the Vulkan loader finds no driver'
    unavailable "EnumeratePhysicalDevices=1:$failed" \
        'the Vulkan drivers have no device: VK_ERROR_INITIALIZATION_FAILED'
    unavailable devices=0 'the Vulkan drivers have no device'
    unavailable queueFlags=4 "the backend fits no Vulkan device; there are: 0 '"
    says 'no compute queue)'
    # 1.0.0
    unavailable apiVersion=4194304 'no Vulkan 1.1)'
    unavailable "CreateDevice=1:$lost" 'creating a device: -4 VK_ERROR_DEVICE_LOST'
    for function in CreateCommandPool AllocateCommandBuffers CreateFence CreateDescriptorSetLayout \
        CreatePipelineLayout CreateDescriptorPool AllocateDescriptorSets CreateBuffer AllocateMemory \
        BindBufferMemory MapMemory; do
        unavailable "$function=1:$device_memory" \
            'making a command buffer and descriptors: -2 VK_ERROR_OUT_OF_DEVICE_MEMORY'
    done
}

# ---- failures after opening -----------------------------------------------------------------------

pipelines() {
    wrong "CreateComputePipelines=1:$failed" 1 '' examples
    says ': -3 VK_ERROR_INITIALIZATION_FAILED' 'creating the pipeline ' \
        "results: $others pass, 1 flaky"
    wrong "CreateComputePipelines=1:$host_memory" 0 '' examples
    says ': VK_ERROR_OUT_OF_HOST_MEMORY' "results: $others pass, 1 unsupported"
    # fails the cases of one variant and width only
    wrong "CreateComputePipelines=1+:$failed" 1 '' examples invalid.ranks
    says ' pass, ' "$examples error"
}

# Calls that do not fit into memory together are tried one by one.
memory() {
    wrong "AllocateMemory=3:$device_memory" 0 '' examples
    says "results: $examples pass"
    wrong "MapMemory=2:$map_failed" 0 '' examples
    says "results: $examples pass"
    # memory is never available: exit code 77, all cases are unsupported
    wrong "AllocateMemory=2+:$device_memory" 77 '' examples
    says 'uploading the buffers: VK_ERROR_OUT_OF_DEVICE_MEMORY, ' ' bytes wanted' \
        "NOT TESTED: all $examples cases are unsupported"
    wrong "MapMemory=2+:$map_failed" 77 '' examples
    says 'uploading the buffers: VK_ERROR_OUT_OF_HOST_MEMORY, '
    wrong heap=1000000 0 '' examples 'sizes.large*13107*'
    says "results: $examples pass, 8 unsupported" ': VK_ERROR_OUT_OF_DEVICE_MEMORY, '
}

# once FUNCTION CODE TEXT: a device is lost during several cases. The worker starts again, each case
# passes alone, and the first one reports the loss.
once() {
    : >"$work/once"
    TOPK_WRONG_VULKAN_ONCE=$work/once wrong "$1=1:$2" 1 '' examples
    [ ! -e "$work/once" ] || fail "nothing went wrong"
    says "results: $others pass, 1 flaky" \
        "it and $others more began together and the worker ended; alone each was done" "$3"
}

losses() {
    once QueueSubmit "$lost" 'executing the kernels: the device is lost'
    once WaitForFences "$lost" 'executing the kernels: the device is lost'
    once WaitForFences "$timeout" 'executing the kernels: the device did not finish within 120000 ms'
    # a device that is lost each time
    wrong "QueueSubmit=1+:$lost" 1 '' examples.documents
    says 'results: 7 device-lost' 'executing the kernels: the device is lost'
}

# errors that a conforming driver does not return
others_fail() {
    local function
    for function in ResetCommandPool BeginCommandBuffer EndCommandBuffer ResetFences QueueSubmit; do
        wrong "$function=1+:$failed" 1 '' examples
        says "results: $examples error" ': -3 VK_ERROR_INITIALIZATION_FAILED'
    done
    # a single failure: all cases are tried one by one, and the failure is attributed to the first
    wrong "QueueSubmit=1:$failed" 1 '' examples
    says "results: $others pass, 1 error" \
        ' calls together, and not for any of them alone'
}

# ---- devices with few features and low limits -----------------------------------------------------

limits() {
    wrong features=0 0 '' examples types.extremes
    says 'features: subgroups of'
    wrong features=0 4 :variant=int64 examples
    says 'variant int64 needs 64-bit integers'
    # 1.1.0: features of later versions are not requested
    wrong apiVersion=4198400 0 '' examples
    says 'Vulkan 1.1.0'
    wrong maxStorageBufferRange=4096 0 '' examples sizes.lengths
    says " bytes, and the device's maxStorageBufferRange is 4096"
    wrong minStorageBufferOffsetAlignment=256 0 '' memory.offsets memory.tails
    # detects a mutant that lavapipe itself, whose alignment is 16, does not show
    wrong shader=base,minStorageBufferOffsetAlignment=256 1 :variant=rank memory.offsets
    says 'M06'
}

# ---- the validation layer -------------------------------------------------------------------------

# A message fails the calls during which it was printed, and no others.
validation() {
    wrong '' 0 :validation=on examples layout.mixed types.extremes memory.offsets
    wrong CmdDispatch=3 1 :validation=on examples
    says "results: $others pass, 1 error" \
        'validation: VUID-vkCmdPipelineBarrier-srcAccessMask-02815: vkCmdPipelineBarrier(): '
    grep '"verdict":"error"' "$work/run/results.jsonl" >"$work/failed"
    grep -qF "\"id\":\"$third\"" "$work/failed" || fail "the third case is not the one that fails"
    ! grep -q 'handle = ' "$work/failed" || fail "what is said differs from run to run"
    # a message about a pipeline fails all calls that use it
    wrong shader=capability 1 :variant=rank,validation=on types.extremes
    says 'validation: VUID-VkShaderModuleCreateInfo-pCode-01091: vkCreateShaderModule(): '
    if grep '"verdict":"error"' "$work/run/results.jsonl" | grep -v 'in=[iu]64\[' ||
        grep '"verdict":"pass"' "$work/run/results.jsonl" | grep 'in=[iu]64\['; then
        fail "the message is not with the 64-bit types"
    fi
}

wrong '' 0 '' examples
opening
pipelines
memory
losses
others_fail
limits
validation
