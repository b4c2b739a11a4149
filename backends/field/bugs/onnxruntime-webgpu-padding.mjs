// ONNX Runtime's WebGPU provider: TopK returns elements that the input does not have, with index -1.
// implementation: onnxruntime-webgpu
// bug: onnxruntime-webgpu@1.27.0 onnxruntime-webgpu@1.30.0
// usage: node onnxruntime-webgpu-padding.mjs FOLDER, where FOLDER has node_modules with onnxruntime-node
import { createRequire } from 'node:module';
import { topKModel } from '../onnx_model.mjs';
import { check, end } from './expect.mjs';

const ort = createRequire(`${process.argv[2]}/`)('onnxruntime-node');
const mask = -3.4028234663852886e38; // -FLT_MAX, with which masked scores are commonly filled
for (const [x, k, largest, expected] of [
  [[mask, mask, mask], 1, true, [mask, 'at', 0]],
  [[0, 1, -Infinity], 3, true, [1, 0, -Infinity, 'at', 1, 0, 2]],
  [[0, 1, Infinity], 3, false, [0, 1, Infinity, 'at', 0, 1, 2]],
]) {
  const session = await ort.InferenceSession.create(topKModel({ type: 'f32', rank: 1, axis: 0, largest }), { executionProviders: ['webgpu'] });
  const { Values, Indices } = await session.run({ X: new ort.Tensor('float32', Float32Array.from(x), [x.length]),
    K: new ort.Tensor('int64', BigInt64Array.of(BigInt(k)), [1]) });
  check(`TopK of [${x}], K ${k}, largest ${largest}`, expected, [...Values.data, 'at', ...Indices.data]);
}
end();
