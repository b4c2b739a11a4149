// tf.topk of the WebGPU backend returns an index behind the end of a row with a NaN.
// implementation: tfjs-webgpu
// bug: tfjs-webgpu@4.22.0 tfjs-webgl@4.22.0
// usage: node tfjs-gpu-nan.mjs FOLDER, where FOLDER has node_modules with @tensorflow/tfjs-backend-webgpu and webgpu
import { check, end } from './expect.mjs';
import { openWebGpu } from './tfjs-webgpu.mjs';

const tf = await openWebGpu(process.argv[2]);
for (const [x, k] of [[[0, NaN, 0], 2], [[NaN, NaN, NaN], 3]]) {
  const indices = await tf.topk(tf.tensor1d(x), k, true).indices.data();
  const outside = [...indices].filter((index) => !(index >= 0 && index < x.length));
  check(`indices of tf.topk([${x}], ${k}) outside of 0 to ${x.length - 1}`, [], outside);
}
end();
