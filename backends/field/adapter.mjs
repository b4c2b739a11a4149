// What every adapter in JavaScript shares: it speaks docs/backend-protocol.md, gathers the input of a call into a
// packed array, hands it to the library, and scatters what the library returns.
//
//   serve({
//     name, version,      of the library
//     device, driver,     where it computes: a word or two each
//     software,           true: the device is software that stands in for hardware
//     types,              what the library takes: ['f32', 'i32']
//     axes: 'last',       left out: any axis
//     directions: 'largest',  left out: both
//     ranks: '1..6',      left out: any
//     rules,              other rules that the library documents, as in docs/contracts.md: 'denormals=flush'
//     source,             where it documents them, and what is served
//     topK(call)          returns {values, indices}; may be async
//   })
//
// A call has type ('f32'), shape, axis, k, largest (boolean), and data: a typed array, packed, row-major; f16 as a
// Uint16Array of the bits. `values` has the same kind of array, `indices` has numbers or BigInts; both are packed. An
// exception is the library's answer to the call: verdict `error`.
//
// With `rules=directml` as an argument the contract is not declared: DirectML's rules hold.
import { readSync, writeSync } from 'node:fs';

// Of each type its name, the array that a library gets, and the one that moves its bits: a copy of a float may change a NaN.
const TYPES = { 1: ['f32', Float32Array, Uint32Array], 2: ['f16', Uint16Array, Uint16Array],
  3: ['u32', Uint32Array, Uint32Array], 4: ['u16', Uint16Array, Uint16Array], 5: ['u8', Uint8Array, Uint8Array],
  6: ['i32', Int32Array, Uint32Array], 7: ['i16', Int16Array, Uint16Array], 8: ['i8', Int8Array, Uint8Array],
  10: ['u64', BigUint64Array, BigUint64Array], 11: ['i64', BigInt64Array, BigUint64Array] };
const MOST_ELEMENTS = 2 ** 26;

// A library that prints would break the protocol: what it prints goes to standard error.
console.log = console.info = console.debug = console.warn = console.error;

let pending = Buffer.alloc(0); // was read, and belongs to what comes next
function readSome() {
  const some = Buffer.allocUnsafe(1 << 18);
  for (;;) {
    try {
      const count = readSync(0, some);
      if (count === 0) process.exit(0);
      return some.subarray(0, count);
    } catch (error) {
      if (error.code === 'EOF') process.exit(0);
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}
function readLine() {
  while (!pending.includes(10)) pending = Buffer.concat([pending, readSome()]);
  const end = pending.indexOf(10), line = pending.toString('latin1', 0, end);
  pending = pending.subarray(end + 1);
  return line;
}
// Returns a copy that starts at a multiple of 8, so that typed arrays can be laid over it.
function readBytes(count) {
  const bytes = Buffer.from(new ArrayBuffer(count));
  for (let at = 0; at < count;) {
    if (pending.length === 0) pending = readSome();
    const part = pending.subarray(0, count - at);
    part.copy(bytes, at);
    at += part.length;
    pending = pending.subarray(part.length);
  }
  return bytes;
}
function write(lines, bytes = Buffer.alloc(0)) {
  for (let rest = Buffer.concat([Buffer.from(`${lines}\n`), bytes]); rest.length > 0;) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

// Writes a text as a word of the protocol, of at most so many bytes.
const word = (text, most = 240) => Buffer.from(String(text)).subarray(0, most).toString('latin1')
  .replace(/[^!-~]|[%,=]/g, (byte) => `%${byte.charCodeAt().toString(16).toUpperCase().padStart(2, '0')}`);

// Reads the line of a call: numbers, lists of numbers for sizes and strides.
function readCall(line) {
  const call = { input: {}, value: {}, index: {} };
  for (const [, tensor, field, text] of line.matchAll(/(?:(\w+)\.)?(\w+)=(\S*)/g)) {
    const list = field === 'sizes' || field === 'strides';
    (tensor ? call[tensor] : call)[field] = list ? text.split(',').map(Number) : Number(text);
  }
  for (const tensor of [call.input, call.value, call.index]) {
    let next = 1;
    for (let d = (tensor.sizes?.length ?? 0) - 1; d >= 0; next *= tensor.sizes[d--]) {
      if (!(tensor.strides[d] >= 0)) tensor.strides[d] = next; // "packed"
    }
    tensor.count = next;
  }
  return call;
}

// Calls move(offset, i) for each element, row-major: its offset in the tensor, in elements, and its number.
function forEach({ sizes, strides, count }, move) {
  const at = sizes.map(() => 0);
  for (let i = 0, offset = 0; i < count; i++) {
    move(offset, i);
    for (let d = sizes.length - 1; d >= 0; d--) {
      offset += strides[d];
      if (++at[d] < sizes[d]) break;
      offset -= strides[d] * sizes[d];
      at[d] = 0;
    }
  }
}

// The bits of the elements in a tensor's memory, from its first one on.
function bitsOf(tensor, bytes) {
  const [, , Bits] = TYPES[tensor.type];
  return new Bits(bytes.buffer, tensor.at + tensor.offset, Math.floor((tensor.buffer - tensor.offset) / Bits.BYTES_PER_ELEMENT));
}

// Why a call is not served; undefined if it is.
function reasonAgainst(library, call, largest) {
  const type = TYPES[call.input.type]?.[0], rank = call.input.sizes?.length;
  if (call.create_only || !rank || !call.value.sizes || !call.index.sizes || call.operator === 112 && call.direction > 1) {
    return 'the adapter serves only valid calls that are run';
  }
  if (!library.types.includes(type)) return `the library does not take ${type}`;
  if (library.axes === 'last' && call.axis !== rank - 1) return 'the library selects along the last axis only';
  if (library.directions === 'largest' && !largest) return 'the library selects the largest only';
  const most = Number(/\d+$/.exec(library.ranks ?? '8')[0]);
  if (rank > most) return `the library takes ${most} dimensions at most`;
  if (call.input.count > MOST_ELEMENTS) return 'the adapter takes 2^26 elements at most';
  return undefined;
}

async function serveCall(library, call, bytes) {
  const largest = call.operator === 71 || call.direction === 1;
  const reason = reasonAgainst(library, call, largest);
  if (reason !== undefined) return `unsupported ${word(reason)}`;
  const [type, Elements, Bits] = TYPES[call.input.type];
  const packed = new Bits(call.input.count), from = bitsOf(call.input, bytes), data = new Elements(packed.buffer);
  forEach(call.input, (offset, i) => { packed[i] = from[offset]; });
  let result;
  try {
    result = await library.topK({ type, shape: call.input.sizes, axis: call.axis, k: call.k, largest, data });
  } catch (error) {
    return `failed ${word(error?.message ?? error)}`;
  }
  const { values, indices } = result;
  if (values.length !== call.value.count || indices.length !== call.index.count) {
    return `failed ${word(`${values.length} values and ${indices.length} indices instead of ${call.value.count}`)}`;
  }
  const found = values instanceof Elements ? values : Elements.from(values);
  const foundBits = new Bits(found.buffer, found.byteOffset, found.length);
  const toValue = bitsOf(call.value, bytes), toIndex = bitsOf(call.index, bytes);
  const indexOf = toIndex instanceof BigUint64Array ? BigInt : Number; // -1 becomes the greatest number
  forEach(call.value, (offset, i) => { toValue[offset] = foundBits[i]; });
  forEach(call.index, (offset, i) => { toIndex[offset] = indexOf(indices[i]); });
  return 'done ';
}

async function serveFrame(library, frame, callCount, groupCount, byteCount) {
  const lines = Array.from({ length: callCount + groupCount }, readLine);
  const bytes = readBytes(byteCount), statuses = [];
  for (const line of lines) {
    if (line.startsWith('call ')) statuses.push(await serveCall(library, readCall(line), bytes));
  }
  const back = statuses.some((status) => status.startsWith('done ')) ? bytes : bytes.subarray(0, 0);
  write([`answer ${frame} ${callCount} ${back.length}`, ...statuses].join('\n'), back);
}

function introduction(library) {
  const limits = ['axes', 'directions', 'ranks'].filter((rule) => library[rule]).map((rule) => `${rule}=${library[rule]}`);
  const contract = [`invalid=own memory=gathered types=${library.types}`, ...limits, library.rules ?? ''].join(' ').trim() +
    `\nname=${library.name}\nsource=${library.source}`;
  const fields = { name: library.name, version: library.version, device: library.device ?? 'CPU',
    driver: library.driver ?? `Node.js ${process.version}`, features: `strides and offsets by the adapter` };
  return `topk-backend 1 ${Object.entries(fields).map(([field, text]) => `${field}=${word(text)}`).join(' ')} level=5.0 ` +
    `flags=${library.software ? '9' : '1'} batch=64 frame=268435456 align=8 own=${word('the library takes no DirectML descriptions')}` +
    (process.argv.includes('rules=directml') ? '' : ` contract=${word(contract, 1023)}`);
}

// Serves the protocol until it ends. `open` returns the library, or a promise of it; what it throws is said as `unavailable`.
export async function serve(open) {
  let library;
  for (let line = readLine(); line !== 'quit'; line = readLine()) {
    if (line === 'devices') {
      write('devices=');
    } else if (/^open 1 ./.test(line)) {
      write(`unavailable ${word('there is no choice of devices')}`);
      process.exit(0);
    } else if (line === 'open 1 ') {
      try {
        library = await open();
      } catch (error) {
        write(`unavailable ${word(error?.message ?? error)}`);
        process.exit(0);
      }
      write(introduction(library));
    } else if (line.startsWith('frame ') && library) {
      await serveFrame(library, ...line.split(' ').slice(1).map(Number));
    } else {
      write(`error ${word(`not understood: ${line}`)}`);
      process.exit(3);
    }
  }
  process.exit(0);
}
