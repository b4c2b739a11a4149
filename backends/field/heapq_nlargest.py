"""heapq.nlargest and heapq.nsmallest of Python, row by row.
   python3 heapq_nlargest.py [rules=directml]"""
import heapq
import platform

import numpy

from adapter import TYPES, serve


def top_k(array, axis, k, largest):
    select = heapq.nlargest if largest else heapq.nsmallest
    rows = array.reshape(-1, array.shape[-1])
    indices = numpy.array([select(k, range(row.size), key=row.tolist().__getitem__) for row in rows])
    shape = array.shape[:-1] + (k,)
    return numpy.take_along_axis(rows, indices, 1).reshape(shape), indices.reshape(shape)


serve(lambda: {'name': 'heapq.nlargest', 'version': platform.python_version(), 'axes': 'last', 'most_rows': 4096, 'top_k': top_k,
               'types': [name for name, kind in TYPES.values()],
               'source': 'https://docs.python.org/3/library/heapq.html#heapq.nlargest'})
