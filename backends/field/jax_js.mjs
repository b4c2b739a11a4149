// lax.topK of jax-js, on its WebAssembly backend.
//   node jax_js.mjs FOLDER [rules=directml]
// FOLDER has node_modules.
import { readFileSync } from 'node:fs';
import { serve } from './adapter.mjs';

const [folder] = process.argv.slice(2);
const DTYPES = { f32: 'float32', i32: 'int32', u32: 'uint32' };
serve(async () => {
  const home = `${folder}/node_modules/@jax-js/jax`;
  const { defaultDevice, init, lax, numpy } = await import(`file://${home}/dist/index.js`);
  await init('wasm');
  defaultDevice('wasm');
  return {
    name: 'jax-js', version: JSON.parse(readFileSync(`${home}/package.json`)).version, types: Object.keys(DTYPES),
    directions: 'largest',
    source: 'https://jax-js.com/docs/functions/lax.topK.html',
    async topK({ type, shape, axis, k, data }) {
      const [values, indices] = lax.topK(numpy.array(data, { shape, dtype: DTYPES[type] }), k, axis);
      return { values: await values.data(), indices: await indices.data() };
    },
  };
});
