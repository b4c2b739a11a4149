"""Series.nlargest and Series.nsmallest of pandas, row by row.
   python3 pandas_nlargest.py [rules=directml]"""
import numpy
import pandas

from adapter import TYPES, serve


def top_k(array, axis, k, largest):
    rows = array.reshape(-1, array.shape[-1])
    found = [pandas.Series(row).nlargest(k) if largest else pandas.Series(row).nsmallest(k) for row in rows]
    shape = array.shape[:-1] + (k,)
    values = numpy.array([series.to_numpy() for series in found], array.dtype)
    return values.reshape(shape), numpy.array([series.index for series in found]).reshape(shape)


serve(lambda: {'name': 'pandas', 'version': pandas.__version__, 'axes': 'last', 'most_rows': 4096, 'top_k': top_k,
               'types': [name for name, kind in TYPES.values() if name != 'f16'],
               'source': 'https://pandas.pydata.org/docs/reference/api/pandas.Series.nlargest.html'})
