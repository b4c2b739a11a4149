#!/bin/sh
# What BUILD.bazel runs: topk-cts itself takes from the environment which shard it is and where results go.
exec "${TOPK_CTS:-topk-cts}" run "$@"
