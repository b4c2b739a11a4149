# Shaders of the probes of the backend vulkan that are wrong on purpose, each as a driver would be seen to
# be that gets it wrong. cmake/wrong_vulkan.cmake says what the words of a row mean.

# ---- Barriers -------------------------------------------------------------------------------------

# what was written is read at once
topk_wrong_probe(probe-no-barrier SHADERS shared buffer FILE probe_group.comp
  FROM [[ROW(i) = value;
        meet();]]
  TO [[ROW(i) = value;]]
  PROBES barrier.shared barrier.buffer)
# the next is written while some still read
topk_wrong_probe(probe-no-second-barrier SHADERS shared buffer FILE probe_group.comp
  FROM [[% n);
        meet();]]
  TO [[% n);]]
  PROBES barrier.shared barrier.buffer)
# tickets of invocations that there are not
topk_wrong_probe(probe-tickets SHADERS tickets FILE probe_group.comp
  FROM [[gl_GlobalInvocationID.x + 1u);]] TO [[gl_GlobalInvocationID.x + 0x80000000u);]]
  PROBES atomic.tickets)

# ---- Built-ins of subgroups: some that lead out of bounds -------------------------------------------

topk_wrong_probe(probe-subgroups-more SHADERS subgroup subgroup_all FILE probe_subgroup.comp
  FROM [[gl_NumSubgroups;]] TO [[gl_NumSubgroups + 1u;]]
  PROBES subgroup.size subgroup.full subgroup.partial subgroup.required)
topk_wrong_probe(probe-subgroups-million SHADERS subgroup subgroup_all FILE probe_subgroup.comp
  FROM [[gl_NumSubgroups;]] TO [[1000000u;]]
  PROBES subgroup.size subgroup.full subgroup.partial subgroup.required)
topk_wrong_probe(probe-subgroups-none SHADERS subgroup subgroup_all FILE probe_subgroup.comp
  FROM [[gl_NumSubgroups;]] TO [[0u;]]
  PROBES subgroup.size subgroup.full subgroup.partial subgroup.required)
# as many subgroups as there are, and one has a number behind them
topk_wrong_probe(probe-subgroup-id SHADERS subgroup subgroup_all FILE probe_subgroup.comp
  FROM [[gl_SubgroupID;]] TO [[gl_SubgroupID == 0u ? 1000000u : gl_SubgroupID;]]
  PROBES subgroup.size subgroup.full subgroup.partial subgroup.required)
topk_wrong_probe(probe-subgroup-lane SHADERS subgroup subgroup_all FILE probe_subgroup.comp
  FROM [[seen.lane = gl_SubgroupInvocationID;]] TO [[seen.lane = gl_SubgroupInvocationID + 1000000u;]]
  PROBES subgroup.size subgroup.full subgroup.partial subgroup.required)
topk_wrong_probe(probe-subgroup-size SHADERS subgroup subgroup_all FILE probe_subgroup.comp
  FROM [[gl_SubgroupSize;]] TO [[0xffffffffu;]]
  PROBES subgroup.size subgroup.full subgroup.partial subgroup.required)
