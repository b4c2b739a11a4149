"""TopK of onnx.reference, the reference evaluator of the package onnx.
   python3 onnx_reference.py [rules=directml]"""
import numpy
import onnx
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

from adapter import TYPES, serve

TYPE_OF = {numpy.dtype(kind): name for name, kind in TYPES.values()}
evaluators = {}


def evaluator(kind, rank, axis, largest):
    key = (kind, rank, axis, largest)
    if key not in evaluators:
        node = helper.make_node('TopK', ['X', 'K'], ['Values', 'Indices'], axis=axis, largest=int(largest), sorted=1)
        onnx_type = helper.np_dtype_to_tensor_dtype(kind)
        graph = helper.make_graph([node], 'topk', [helper.make_tensor_value_info('X', onnx_type, [None] * rank),
                                                   helper.make_tensor_value_info('K', TensorProto.INT64, [1])],
                                  [helper.make_tensor_value_info('Values', onnx_type, [None] * rank),
                                   helper.make_tensor_value_info('Indices', TensorProto.INT64, [None] * rank)])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 11)])
        evaluators[key] = ReferenceEvaluator(model)
    return evaluators[key]


def top_k(array, axis, k, largest):
    return evaluator(array.dtype, array.ndim, axis, largest).run(None, {'X': array, 'K': numpy.array([k], numpy.int64)})


serve(lambda: {'name': 'onnx.reference', 'version': onnx.__version__, 'types': list(TYPE_OF.values()), 'top_k': top_k,
               'source': 'https://onnx.ai/onnx/operators/onnx__TopK.html#topk-11'})
