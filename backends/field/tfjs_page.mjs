// tf.topk of TensorFlow.js on WebGL, in a page of headless Chromium; its WebGL runs on SwiftShader.
//   node tfjs_page.mjs FOLDER CHROMIUM [rules=directml]
// FOLDER has node_modules, CHROMIUM is what scripts/get-chromium fetched.
import { readFileSync } from 'node:fs';
import { serve } from './adapter.mjs';
import { openPage } from './chromium.mjs';

const [folder, chromium] = process.argv.slice(2);

// Runs in the page. Bytes go in and out as base64.
function prepare() {
  const textOf = (array) => btoa(Array.from(new Uint8Array(array.buffer, array.byteOffset, array.byteLength),
    (byte) => String.fromCharCode(byte)).join(''));
  window.topK = async (text, dtype, shape, k) => {
    const { buffer } = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const x = tf.tensor(dtype === 'float32' ? new Float32Array(buffer) : new Int32Array(buffer), shape, dtype);
    const { values, indices } = tf.topk(x, k, true);
    const result = [textOf(await values.data()), textOf(Int32Array.from(await indices.data()))];
    tf.dispose([x, values, indices]);
    return result;
  };
  // or rows of fewer than 100,000 elements are selected by the CPU backend
  tf.env().set('WEBGL_CPU_FORWARD', false);
  tf.env().set('TOPK_LAST_DIM_CPU_HANDOFF_SIZE_THRESHOLD', 0);
  tf.env().set('TOPK_K_CPU_HANDOFF_THRESHOLD', 1e9);
  return tf.version_core;
}

serve(async () => {
  const evaluate = await openPage(chromium);
  for (const name of ['core', 'backend-cpu', 'backend-webgl']) {
    const file = `${folder}/node_modules/@tensorflow/tfjs-${name}/dist/tf-${name}.min.js`;
    await evaluate(`${readFileSync(file, 'utf8')}\n;0`);
  }
  const backend = await evaluate("tf.setBackend('webgl').then(() => tf.ready()).then(() => tf.getBackend())");
  if (backend !== 'webgl') throw new Error(`the backend is ${backend} instead of webgl`);
  return {
    name: 'tfjs-webgl', version: await evaluate(`(${prepare})()`), device: 'SwiftShader',
    driver: await evaluate('navigator.userAgent'), software: true,
    types: ['f32', 'i32'], axes: 'last', directions: 'largest', ranks: '1..6', rules: 'denormals=flush',
    source: 'https://js.tensorflow.org/api/latest/#topk https://registry.khronos.org/OpenGL/specs/es/3.0/GLSL_ES_Specification_3.00.pdf',
    async topK({ type, shape, k, data }) {
      const text = Buffer.from(data.buffer).toString('base64'), dtype = type === 'f32' ? 'float32' : 'int32';
      const parts = await evaluate(`topK('${text}', '${dtype}', ${JSON.stringify(shape)}, ${k})`);
      const [values, indices] = parts.map((part) => Uint8Array.from(Buffer.from(part, 'base64')).buffer);
      return { values: new data.constructor(values), indices: new Int32Array(indices) };
    },
  };
});
