// tf.topk of TensorFlow.js in Node.js.
//   node tfjs.mjs FOLDER cpu|wasm|webgpu [rules=directml]
// FOLDER has node_modules.
import { createRequire } from 'node:module';
import { serve } from './adapter.mjs';

const [folder, kind] = process.argv.slice(2);
serve(async () => {
  const require = createRequire(`${folder}/`);
  if (kind === 'webgpu') {
    const { create, globals } = require('webgpu');
    Object.assign(globalThis, globals);
    Object.defineProperty(globalThis, 'navigator', { value: { gpu: create([]) }, configurable: true });
  }
  const tf = require('@tensorflow/tfjs-core');
  const backend = require(`@tensorflow/tfjs-backend-${kind}`);
  if (kind === 'wasm') backend.setWasmPaths(`${folder}/node_modules/@tensorflow/tfjs-backend-wasm/wasm-out/`);
  if (kind === 'webgpu') tf.env().set('WEBGPU_CPU_FORWARD', false); // or small tensors never reach the device
  await tf.setBackend(kind);
  await tf.ready();
  if (tf.getBackend() !== kind) throw new Error(`the backend is ${tf.getBackend()} instead of ${kind}`);
  return {
    name: `tfjs-${kind}`, version: tf.version_core, software: kind === 'webgpu',
    device: kind === 'webgpu' ? 'WebGPU' : 'CPU',
    types: ['f32', 'i32'], axes: 'last', directions: 'largest', ranks: '1..6',
    rules: kind === 'webgpu' ? 'denormals=flush' : '',
    source: 'https://js.tensorflow.org/api/latest/#topk' +
      (kind === 'webgpu' ? ' https://www.w3.org/TR/WGSL/#floating-point-evaluation' : ''),
    async topK({ type, shape, k, data }) {
      const x = tf.tensor(data, shape, type === 'f32' ? 'float32' : 'int32');
      const { values, indices } = tf.topk(x, k, true);
      const result = { values: await values.data(), indices: await indices.data() };
      tf.dispose([x, values, indices]);
      return result;
    },
  };
});
