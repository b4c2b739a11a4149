// ONNX Runtime's TopK by its JavaScript API: onnxruntime-web (WebAssembly).
//   node onnxruntime_js.mjs FOLDER [rules=directml]
// FOLDER has node_modules.
import { createRequire } from 'node:module';
import { serve } from './adapter.mjs';
import { ONNX_TYPES, topKModel } from './onnx_model.mjs';

const [folder] = process.argv.slice(2);
serve(async () => {
  const ort = createRequire(`${folder}/`)('onnxruntime-web');
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = 'fatal';
  const sessions = new Map();
  async function sessionOf(key) {
    const name = Object.values(key).join();
    if (!sessions.has(name)) {
      sessions.set(name, await ort.InferenceSession.create(topKModel(key), { executionProviders: ['wasm'] }));
    }
    return sessions.get(name);
  }
  const types = [];
  for (const type of Object.keys(ONNX_TYPES)) { // no page lists the types of this build: ask
    if (await sessionOf({ type, rank: 1, axis: 0, largest: true }).then(() => true, () => false)) types.push(type);
  }
  return {
    name: 'onnxruntime-web', version: ort.env.versions?.web ?? 'unknown', types,
    source: 'https://onnx.ai/onnx/operators/onnx__TopK.html#topk-11',
    async topK({ type, shape, axis, k, largest, data }) {
      const session = await sessionOf({ type, rank: shape.length, axis, largest });
      const { Values, Indices } = await session.run({ X: new ort.Tensor(ONNX_TYPES[type][1], data, shape),
        K: new ort.Tensor('int64', BigInt64Array.of(BigInt(k)), [1]) });
      return { values: Values.data, indices: Indices.data };
    },
  };
});
