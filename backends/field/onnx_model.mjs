// An ONNX model of one TopK node (opset 11), as bytes: inputs X and K, outputs Values and Indices. Dimensions are open.
// For adapters and reproductions in JavaScript.

// Of each type its TensorProto.DataType and what onnxruntime calls it.
export const ONNX_TYPES = { f32: [1, 'float32'], f16: [10, 'float16'], u32: [12, 'uint32'], u16: [4, 'uint16'], u8: [2, 'uint8'],
  i32: [6, 'int32'], i16: [5, 'int16'], i8: [3, 'int8'], u64: [13, 'uint64'], i64: [7, 'int64'] };

// protobuf: a variable-length number, and fields with a number, with bytes and with text
const varint = (n) => n < 128 ? [n] : [n & 127 | 128, ...varint(n >>> 7)];
const number = (field, n) => [...varint(field << 3), ...varint(n)];
const bytes = (field, content) => [...varint(field << 3 | 2), ...varint(content.length), ...content];
const text = (field, string) => bytes(field, [...Buffer.from(string)]);

const attribute = (name, n) => bytes(5, [...text(1, name), ...number(3, n), ...number(20, 2)]);
const tensor = (field, name, type, rank) => bytes(field, [...text(1, name),
  ...bytes(2, bytes(1, [...number(1, type), ...bytes(2, Array(rank).fill(bytes(1, [])).flat())]))]);

export function topKModel({ type, rank, axis, largest }) {
  const [onnx] = ONNX_TYPES[type];
  const node = bytes(1, [...text(1, 'X'), ...text(1, 'K'), ...text(2, 'Values'), ...text(2, 'Indices'), ...text(4, 'TopK'),
    ...attribute('axis', axis), ...attribute('largest', largest ? 1 : 0), ...attribute('sorted', 1)]);
  const graph = [...node, ...text(2, 'topk'), ...tensor(11, 'X', onnx, rank), ...tensor(11, 'K', 7, 1),
    ...tensor(12, 'Values', onnx, rank), ...tensor(12, 'Indices', 7, rank)];
  return Uint8Array.from([...number(1, 6), ...bytes(7, graph), ...bytes(8, number(2, 11))]);
}
