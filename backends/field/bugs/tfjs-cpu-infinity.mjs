// tf.topk of the CPU backend loses infinities.
// implementation: tfjs-cpu
// bug: tfjs-cpu@3.21.0 tfjs-cpu@4.0.0 tfjs-cpu@4.22.0
// usage: node tfjs-cpu-infinity.mjs FOLDER, where FOLDER has node_modules with @tensorflow/tfjs-core and tfjs-backend-cpu
import { createRequire } from 'node:module';
import { check, end } from './expect.mjs';

const require = createRequire(`${process.argv[2]}/`);
const tf = require('@tensorflow/tfjs-core');
require('@tensorflow/tfjs-backend-cpu');
await tf.setBackend('cpu');
for (const [x, k, expected] of [
  [[0, 1, Infinity], 2, [Infinity, 1, 'at', 2, 1]],
  [[Infinity, 0, 1, 3, 2], 2, [Infinity, 3, 'at', 0, 3]],
  [[-Infinity, -Infinity, -Infinity], 1, [-Infinity, 'at', 0]],
]) {
  const { values, indices } = tf.topk(tf.tensor1d(x), k, true);
  check(`tf.topk([${x}], ${k})`, expected, [...await values.data(), 'at', ...await indices.data()]);
}
end();
