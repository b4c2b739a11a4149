// getTopItems of transformers.js 2, by which its text generation and its pipelines choose the best scores.
//   node transformers_js.mjs FOLDER [rules=directml]
// FOLDER has node_modules.
import { readFileSync } from 'node:fs';
import { serve } from './adapter.mjs';

const [folder] = process.argv.slice(2);
serve(async () => {
  const home = `${folder}/node_modules/@xenova/transformers`;
  const { getTopItems } = await import(`file://${home}/src/utils/maths.js`);
  return {
    name: 'transformers.js', version: JSON.parse(readFileSync(`${home}/package.json`)).version,
    types: ['f32'], axes: 'last', directions: 'largest', rules: 'ties=any',
    source: 'https://huggingface.co/docs/transformers.js/api/utils/maths',
    topK({ shape, k, data }) {
      const n = shape.at(-1), values = [], indices = [];
      for (let row = 0; row < data.length; row += n) {
        for (const [index, value] of getTopItems(data.subarray(row, row + n), k)) {
          values.push(value);
          indices.push(index);
        }
      }
      return { values: Float32Array.from(values), indices };
    },
  };
});
