// For the reproductions: TensorFlow.js on WebGPU in Node.js, from the node_modules of a folder.
import { createRequire } from 'node:module';

export async function openWebGpu(folder) {
  const require = createRequire(`${folder}/`);
  const { create, globals } = require('webgpu');
  Object.assign(globalThis, globals);
  Object.defineProperty(globalThis, 'navigator', { value: { gpu: create([]) }, configurable: true });
  const tf = require('@tensorflow/tfjs-core');
  require('@tensorflow/tfjs-backend-webgpu');
  await tf.setBackend('webgpu');
  await tf.ready();
  tf.env().set('WEBGPU_CPU_FORWARD', false); // or small tensors are forwarded to the CPU backend
  return tf;
}
