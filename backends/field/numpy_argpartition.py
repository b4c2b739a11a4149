"""The K largest by numpy.argpartition, and those in order by numpy.argsort, row by row.
   python3 numpy_argpartition.py [rules=directml]"""
import numpy

from adapter import TYPES, serve


def top_k(array, axis, k, largest):
    n = array.shape[axis]
    part = numpy.argpartition(array, n - k if largest else k - 1, axis=axis)
    chosen = numpy.take(part, range(n - k, n) if largest else range(k), axis=axis)
    order = numpy.argsort(numpy.take_along_axis(array, chosen, axis), axis=axis)
    indices = numpy.take_along_axis(chosen, numpy.flip(order, axis) if largest else order, axis)
    return numpy.take_along_axis(array, indices, axis), indices


serve(lambda: {'name': 'numpy.argpartition', 'version': numpy.__version__, 'rules': 'ties=any', 'top_k': top_k,
               'types': [name for name, kind in TYPES.values()],
               'source': 'https://numpy.org/doc/stable/reference/generated/numpy.argpartition.html'})
