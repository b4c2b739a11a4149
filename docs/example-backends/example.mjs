// A complete backend process of topk-cts: docs/backend-protocol.md for Node.js, without packages.
//   topk-cts run --backend-command 'node example.mjs'
// It sorts on the host. To test a kernel of your own, replace topK(): upload each whole buffer,
// bind at its offset, dispatch, and read each whole buffer back, the input's too.
import { readSync, writeSync } from 'node:fs';

const INTRODUCTION = 'topk-backend 1 name=example version=1 device= driver= features= level=5.0 ' +
  'flags=5 batch=64 own=example%20does%20not%20check%20descriptions\n';
// Of each type: how a DataView gets and sets the bits of an element, and its bytes.
const TYPES = { 1: ['Int32', 4], 2: ['Int16', 2], 3: ['Uint32', 4], 4: ['Uint16', 2],
  5: ['Uint8', 1], 6: ['Int32', 4], 7: ['Int16', 2], 8: ['Int8', 1], 10: ['BigUint64', 8],
  11: ['BigInt64', 8] };

// Turns the bits of an element into a number that compares as its value does.
function keyOf(bits, type) {
  if (type > 2) return bits;
  const [most, infinity] = type === 1 ? [0x7fffffff, 0x7f800000] : [0x7fff, 0x7c00];
  const magnitude = bits & most;
  if (magnitude > infinity) return infinity + 1; // NaN is greatest
  return bits < 0 ? -magnitude : magnitude; // both zeros are equal
}

// Computes a call in its buffers, the DataViews `data`. Returns its status; may be async.
function topK({ operator, axis, k, direction, input, value, index }) {
  const get = `get${input.bits}`, setValue = `set${input.bits}`, setIndex = `set${index.bits}`;
  const indexOf = index.width === 8 ? BigInt : Number;
  const first = operator === 112 && direction === 0 ? -1 : 1; // -1: the smallest come first
  const length = input.sizes[axis], keys = new Array(length);
  const sortRow = (from, toValue, toIndex) => { // the bytes where a sequence starts
    for (let i = 0; i < length; i++) {
      keys[i] = keyOf(input.data[get](from + i * input.strides[axis], true), input.type);
    }
    const order = Array.from(keys, (_, i) => i);
    order.sort((a, b) => keys[a] > keys[b] ? -first : keys[a] < keys[b] ? first : a - b);
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
  return 'done '; // or 'unsupported ' and why, as encodeURIComponent() writes it
}

// Reads and writes wait until they are done; process.stdin and process.stdout are not used.
let pending = Buffer.alloc(0); // was read, belongs to what comes next
function readMore(into, start) {
  const bytes = readSync(0, into, start, into.length - start);
  if (bytes === 0) process.exit(0);
  return bytes;
}
function readLine() {
  let end;
  while ((end = pending.indexOf(10)) < 0) {
    const more = Buffer.alloc(65536);
    pending = Buffer.concat([pending, more.subarray(0, readMore(more, 0))]);
  }
  const line = pending.toString('latin1', 0, end);
  pending = pending.subarray(end + 1);
  return line;
}
function readBytes(count) {
  const bytes = Buffer.alloc(count);
  let have = pending.copy(bytes);
  pending = pending.subarray(have);
  while (have < count) have += readMore(bytes, have);
  return bytes;
}
function write(bytes) {
  while (bytes.length > 0) bytes = bytes.subarray(writeSync(1, bytes));
}

// Reads the line of a call: fields become numbers, or lists of them; strides are in bytes.
function readCall() {
  const call = { input: {}, value: {}, index: {} };
  for (const [, tensor, name, text] of readLine().matchAll(/(?:(\w+)\.)?(\w+)=(\S*)/g)) {
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

write(Buffer.from(INTRODUCTION));
for (let line = readLine(); line !== 'quit'; line = readLine()) {
  const run = line.match(/^run (\d+) (\d+) (\d+)$/);
  if (run === null) {
    write(Buffer.from(`error ${encodeURIComponent(`not understood: ${line}`)}\n`));
    process.exit(3);
  }
  const calls = Array.from({ length: Number(run[2]) }, readCall);
  const bytes = readBytes(Number(run[3]));
  const statuses = [], parts = [];
  let at = 0;
  for (const call of calls) {
    const start = at;
    for (const tensor of call.create_only ? [] : [call.input, call.value, call.index]) {
      tensor.data = new DataView(bytes.buffer, bytes.byteOffset + at, tensor.buffer);
      at += tensor.buffer;
    }
    statuses.push(call.create_only ? 'done ' : await topK(call));
    if (statuses.at(-1).startsWith('done ')) parts.push(bytes.subarray(start, at));
  }
  const done = Buffer.concat(parts);
  const head = `answer ${run[1]} ${calls.length} ${done.length}\n${statuses.join('\n')}\n`;
  write(Buffer.concat([Buffer.from(head), done]));
}
