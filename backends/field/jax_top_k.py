"""jax.lax.top_k on JAX's default device.
   python3 jax_top_k.py [rules=directml]"""
import jax
import numpy

from adapter import TYPES, serve

jax.config.update('jax_enable_x64', True)


def top_k(array, axis, k, largest):
    values, indices = jax.lax.top_k(jax.numpy.asarray(array), k)
    return numpy.asarray(values), numpy.asarray(indices)


# -0 is less than +0 for it, which no page says.
serve(lambda: {'name': 'jax.lax.top_k', 'version': jax.__version__, 'device': jax.devices()[0].device_kind,
               'axes': 'last', 'directions': 'largest', 'rules': 'zero=signed', 'top_k': top_k,
               'types': [name for name, kind in TYPES.values()],
               'source': 'https://docs.jax.dev/en/latest/_autosummary/jax.lax.top_k.html'})
