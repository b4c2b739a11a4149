"""onnx.reference 1.17: TopK takes the last of equal elements, and does not find the smallest integer to be the smallest.
implementation: onnx-reference@1.17.0
bug: onnx-reference@1.17.0
bug: onnx-reference@1.17.0
usage: python3 onnx-reference.py"""
import sys

import numpy
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

differing = 0
for kind, x, k, largest, expected in [
        (TensorProto.FLOAT, numpy.array([0, 0], numpy.float32), 1, 1, ([0], [0])),
        (TensorProto.INT16, numpy.array([[-32768, 0]], numpy.int16), 1, 1, ([[0]], [[1]]))]:
    node = helper.make_node('TopK', ['X', 'K'], ['Values', 'Indices'], axis=x.ndim - 1, largest=largest, sorted=1)
    graph = helper.make_graph([node], 'topk', [helper.make_tensor_value_info('X', kind, [None] * x.ndim),
                                               helper.make_tensor_value_info('K', TensorProto.INT64, [1])],
                              [helper.make_tensor_value_info('Values', kind, [None] * x.ndim),
                               helper.make_tensor_value_info('Indices', TensorProto.INT64, [None] * x.ndim)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 11)])
    values, indices = ReferenceEvaluator(model).run(None, {'X': x, 'K': numpy.array([k], numpy.int64)})
    actual = (values.tolist(), indices.tolist())
    same = actual == expected
    differing += not same
    print(f'TopK of {x.tolist()} as {x.dtype}, K {k}, largest {largest}')
    print(f'  expected {expected[0]} at {expected[1]}\n  actual   {actual[0]} at {actual[1]}' + ('' if same else '   <--'))
sys.exit(1 if differing else 0)
