// jax-js: init() without arguments throws in Node.js before version 21, although its README lists Node.js as served.
// implementation: jax-js
// bug: jax-js@0.1.25
// usage: node jax-js-init.mjs FOLDER, where FOLDER has node_modules with @jax-js/jax
import { check, end } from './expect.mjs';

const { init } = await import(`file://${process.argv[2]}/node_modules/@jax-js/jax/dist/index.js`);
const outcome = await init().then((devices) => `the devices ${devices}`, (error) => `${error.name}: ${error.message}`);
check('init()', ['the devices cpu,wasm'], [outcome]);
end();
