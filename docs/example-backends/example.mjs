// A complete backend process of topk-cts: docs/backend-protocol.md for Node.js, without packages.
//   topk-cts run --backend-command 'node example.mjs'
// It sorts on the host. To test a kernel of your own, replace topK(): upload each whole buffer,
// bind at its offset, dispatch, and read each whole buffer back, the input's too.
import { readSync, writeSync } from 'node:fs';

const DEVICES = ['host'];
const introduce = (device) => `topk-backend 1 name=example version=1 device=${device} driver= ` +
  'features= level=5.0 flags=5 batch=64 frame=0 align=1 own=descriptions%20are%20not%20checked';
// Of each type: how a DataView gets and sets the bits of an element, and its bytes.
const TYPES = { 1: ['Int32', 4], 2: ['Int16', 2], 3: ['Uint32', 4], 4: ['Uint16', 2],
  5: ['Uint8', 1], 6: ['Int32', 4], 7: ['Int16', 2], 8: ['Int8', 1], 10: ['BigUint64', 8],
  11: ['BigInt64', 8] };

// Turns the bits of an element into a number that compares as its value does.
function keyOf(bits, type) {
  if (type > 2) return bits;
  const [most, infinity] = type === 1 ? [0x7fffffff, 0x7f800000] : [0x7fff, 0x7c00];
  const magnitude = bits & most;
  const key = magnitude > infinity ? infinity + 1 : magnitude; // NaN is greatest
  return bits < 0 && key === magnitude ? -key : key; // both zeros are equal
}

// Computes a call in its buffers, the DataViews `data`. Returns its status; may be async.
function topK({ operator, axis, k, direction, input, value, index }) {
  const get = `get${input.bits}`, setValue = `set${input.bits}`, setIndex = `set${index.bits}`;
  const indexOf = index.width === 8 ? BigInt : Number;
  const first = operator === 112 && direction === 0 ? -1 : 1; // -1: the smallest come first
  const sortRow = (from, toValue, toIndex) => { // the bytes where a sequence starts
    const keys = Array.from({ length: input.sizes[axis] }, (_, i) =>
      keyOf(input.data[get](from + i * input.strides[axis], true), input.type));
    const order = [...keys.keys()].sort(
      (a, b) => keys[a] > keys[b] ? -first : keys[a] < keys[b] ? first : a - b);
    for (let j = 0; j < k; j++) {
      const bits = input.data[get](from + order[j] * input.strides[axis], true);
      value.data[setValue](toValue + j * value.strides[axis], bits, true);
      index.data[setIndex](toIndex + j * index.strides[axis], indexOf(order[j]), true);
    }
  };
  const visit = (d, from, toValue, toIndex) => { // all sequences, from dimension d on
    if (d === input.sizes.length) return sortRow(from, toValue, toIndex);
    for (let i = 0; i < (d === axis ? 1 : input.sizes[d]); i++) {
      visit(d + 1, from + i * input.strides[d], toValue + i * value.strides[d],
        toIndex + i * index.strides[d]);
    }
  };
  visit(0, input.offset, value.offset, index.offset);
  return 'done '; // or `unsupported ${word('why')}`
}

// Writes a text as a word.
const word = (text) => Buffer.from(text).toString('latin1').replace(/[^!-~]|[%,=]/g,
  (byte) => `%${byte.charCodeAt().toString(16).toUpperCase().padStart(2, '0')}`);

// Reads and writes wait until they are done; process.stdin and process.stdout are not used.
let pending = Buffer.alloc(0); // was read, belongs to what comes next
function readSome() {
  const some = Buffer.alloc(65536), count = readSync(0, some);
  if (count === 0) process.exit();
  return some.subarray(0, count);
}
function readLine() {
  while (!pending.includes(10)) pending = Buffer.concat([pending, readSome()]);
  const end = pending.indexOf(10), line = pending.toString('latin1', 0, end);
  pending = pending.subarray(end + 1);
  return line;
}
function readBytes(count) {
  const parts = [pending];
  for (let have = pending.length; have < count; have += parts.at(-1).length) parts.push(readSome());
  const bytes = Buffer.concat(parts);
  pending = bytes.subarray(count);
  return bytes.subarray(0, count);
}
function write(lines, bytes = Buffer.alloc(0)) {
  let rest = Buffer.concat([Buffer.from(`${lines}\n`), bytes]);
  while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
}

// Reads the line of a call: fields become numbers, or lists of them; strides are in bytes.
function readCall(line) {
  const call = { input: {}, value: {}, index: {} };
  for (const [, tensor, name, text] of line.matchAll(/(?:(\w+)\.)?(\w+)=(\S*)/g)) {
    const numbers = text.split(',').map(Number); // of "packed": NaN
    (tensor ? call[tensor] : call)[name] = /sizes|strides/.test(name) ? numbers : numbers[0];
  }
  for (const tensor of [call.input, call.value, call.index]) {
    [tensor.bits, tensor.width] = TYPES[tensor.type];
    for (let d = tensor.sizes.length - 1, next = 1; d >= 0; next *= tensor.sizes[d--]) {
      tensor.strides[d] = (tensor.strides[d] >= 0 ? tensor.strides[d] : next) * tensor.width;
    }
  }
  return call;
}

// Reads what follows the line of a frame, computes it, and answers.
async function serveFrame(frame, callCount, groupCount, byteCount) {
  const lines = Array.from({ length: callCount + groupCount }, readLine), statuses = [];
  const bytes = readBytes(byteCount);
  for (const call of lines.filter((line) => line.startsWith('call ')).map(readCall)) {
    for (const tensor of [call.input, call.value, call.index]) {
      tensor.data = new DataView(bytes.buffer, bytes.byteOffset + tensor.at, tensor.buffer);
    }
    statuses.push(await topK(call));
  }
  const back = statuses.some((status) => status.startsWith('done ')) ? bytes : bytes.subarray(0, 0);
  write([`answer ${frame} ${callCount} ${back.length}`, ...statuses].join('\n'), back);
}

const exit = (status, answer) => { write(answer); process.exit(status); };
for (let line = readLine(); line !== 'quit'; line = readLine()) {
  const device = line.startsWith('open 1 ') ? line.slice(7) || DEVICES[0] : null;
  if (line === 'devices') write(`devices=${DEVICES.join()}`);
  else if (DEVICES.includes(device)) write(introduce(device));
  else if (device !== null) exit(0, `unavailable there%20is%20no%20${device}`);
  else if (line.startsWith('frame ')) await serveFrame(...line.split(' ').slice(1).map(Number));
  else exit(3, `error ${word(`not understood: ${line}`)}`);
}
