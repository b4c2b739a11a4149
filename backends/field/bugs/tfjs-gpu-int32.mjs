// tf.topk of the WebGPU backend compares int32 as float32, and returns rounded values.
// implementation: tfjs-webgpu
// bug: tfjs-webgpu@4.22.0 tfjs-webgl@4.22.0
// usage: node tfjs-gpu-int32.mjs FOLDER, where FOLDER has node_modules with @tensorflow/tfjs-backend-webgpu and webgpu
import { check, end } from './expect.mjs';
import { openWebGpu } from './tfjs-webgpu.mjs';

const tf = await openWebGpu(process.argv[2]);
for (const [x, k, expected] of [
  [[16777216, 16777217, 16777218], 2, [16777218, 16777217, 'at', 2, 1]],
  [[2147483646, 2147483647], 1, [2147483647, 'at', 1]],
]) {
  const { values, indices } = tf.topk(tf.tensor1d(x, 'int32'), k, true);
  check(`tf.topk([${x}] as int32, ${k})`, expected, [...await values.data(), 'at', ...await indices.data()]);
}
end();
