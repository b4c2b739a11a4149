"""What every adapter in Python shares: it speaks docs/backend-protocol.md, gathers the input of a call into a packed
array, hands it to the library, and scatters what the library returns.

    serve(open), where open() returns a dictionary:
      name, version      of the library
      types              what the library takes: ['f32', 'i32']
      axes='last', directions='largest', ranks='1..6'    left out: any
      most_rows          for an adapter that calls the library row by row; left out: any number
      device             where it computes; left out: CPU
      rules              other rules that the library documents, as in docs/contracts.md: 'ties=any'
      source             where it documents them, and what is served
      top_k              a function of array, axis, k and largest; it returns (values, indices), two arrays

The array is packed and has the call's shape and type. An exception of top_k is the library's answer: verdict `error`.
With `rules=directml` as an argument the contract is not declared: DirectML's rules hold.
"""
import os
import platform
import re
import sys

import numpy
from numpy.lib.stride_tricks import as_strided

TYPES = {1: ('f32', numpy.float32), 2: ('f16', numpy.float16), 3: ('u32', numpy.uint32), 4: ('u16', numpy.uint16),
         5: ('u8', numpy.uint8), 6: ('i32', numpy.int32), 7: ('i16', numpy.int16), 8: ('i8', numpy.int8),
         10: ('u64', numpy.uint64), 11: ('i64', numpy.int64)}
BITS = {1: numpy.uint8, 2: numpy.uint16, 4: numpy.uint32, 8: numpy.uint64}
MOST_ELEMENTS = 2 ** 26

requests = os.fdopen(0, 'rb')
answers = os.fdopen(os.dup(1), 'wb')
os.dup2(2, 1)  # what a library prints would break the protocol


def word(text, most=240):
    """Writes a text as a word of the protocol, of at most so many bytes."""
    return re.sub(rb'[^!-~]|[%,=]', lambda byte: b'%%%02X' % byte[0][0], str(text).encode()[:most]).decode()


def read_line():
    line = requests.readline()
    if not line.endswith(b'\n'):
        sys.exit(0)
    return line[:-1].decode('latin-1')


def write(lines, data=b''):
    answers.write(lines.encode('latin-1') + b'\n')
    answers.write(data)
    answers.flush()


def read_call(line):
    """Reads the line of a call: numbers, and tuples of numbers for sizes and strides."""
    call = {'input': {}, 'value': {}, 'index': {}}
    for tensor, field, text in re.findall(r'(?:(\w+)\.)?(\w+)=(\S*)', line):
        if field in ('sizes', 'strides'):
            value = None if text == 'packed' else tuple(int(n) for n in text.split(',') if n)
        else:
            value = None if text == 'absent' else int(text)
        (call[tensor] if tensor else call)[field] = value
    return call


def bits_of(tensor, frame):
    """The elements of a tensor where they lie in the frame, as unsigned numbers of their width."""
    bits = BITS[numpy.dtype(TYPES[tensor['type']][1]).itemsize]
    start = tensor['at'] + tensor['offset']
    count = (tensor['buffer'] - tensor['offset']) // numpy.dtype(bits).itemsize
    memory = numpy.frombuffer(frame, bits, count, start)
    if tensor['strides'] is None:
        return memory[:int(numpy.prod(tensor['sizes'], dtype=numpy.int64))].reshape(tensor['sizes'])
    return as_strided(memory, tensor['sizes'], [stride * memory.itemsize for stride in tensor['strides']])


def reason_against(library, call, largest):
    """Why a call is not served; None if it is."""
    if call['create_only'] or not all(call[t] and call[t]['sizes'] for t in ('input', 'value', 'index')) or \
            call['input']['type'] not in TYPES or call['operator'] == 112 and call['direction'] > 1:
        return 'the adapter serves only valid calls that are run'
    rank, kind = len(call['input']['sizes']), TYPES[call['input']['type']][0]
    if kind not in library['types']:
        return f'the library does not take {kind}'
    if library.get('axes') == 'last' and call['axis'] != rank - 1:
        return 'the library selects along the last axis only'
    if library.get('directions') == 'largest' and not largest:
        return 'the library selects the largest only'
    if rank > int(library.get('ranks', '8').split('..')[-1]):
        return 'the library does not take as many dimensions'
    if numpy.prod(call['input']['sizes'], dtype=numpy.float64) > MOST_ELEMENTS:
        return 'the adapter takes 2^26 elements at most'
    if numpy.prod(call['input']['sizes'][:-1], dtype=numpy.float64) > library.get('most_rows', MOST_ELEMENTS):
        return f"the adapter takes {library['most_rows']} rows at most, one by one"
    return None


def serve_call(library, call, frame):
    largest = call['operator'] == 71 or call['direction'] == 1
    reason = reason_against(library, call, largest)
    if reason is not None:
        return 'unsupported ' + word(reason)
    kind = TYPES[call['input']['type']][1]
    array = numpy.ascontiguousarray(bits_of(call['input'], frame)).view(kind)
    try:
        values, indices = library['top_k'](array, call['axis'], call['k'], largest)
    except Exception as failure:  # whatever it is, it is the library's answer
        return 'failed ' + word(f'{type(failure).__name__}: {failure}')
    shape = call['value']['sizes']
    if values.shape != shape or indices.shape != shape or values.dtype != kind:
        return 'failed ' + word(f'shapes {values.shape} and {indices.shape}, type {values.dtype}')
    to_value, to_index = bits_of(call['value'], frame), bits_of(call['index'], frame)
    to_value[...] = numpy.ascontiguousarray(values).view(to_value.dtype)
    to_index[...] = indices.astype(numpy.int64).astype(to_index.dtype)  # -1 becomes the greatest number
    return 'done '


def serve_frame(library, frame, calls, groups, count):
    lines = [read_line() for _ in range(calls + groups)]
    data = bytearray(requests.read(count))
    statuses = [serve_call(library, read_call(line), data) for line in lines if line.startswith('call ')]
    back = data if any(status.startswith('done ') for status in statuses) else b''
    write('\n'.join([f'answer {frame} {calls} {len(back)}'] + statuses), back)


def introduction(library):
    limits = [f'{rule}={library[rule]}' for rule in ('axes', 'directions', 'ranks') if rule in library]
    rules = ' '.join(['invalid=own memory=gathered types=' + ','.join(library['types'])] + limits + [library.get('rules', '')])
    contract = f"{rules.strip()}\nname={library['name']}\nsource={library['source']}"
    fields = {'name': library['name'], 'version': library['version'], 'device': library.get('device', 'CPU'),
              'driver': f'Python {platform.python_version()}, NumPy {numpy.__version__}',
              'features': 'strides and offsets by the adapter'}
    line = 'topk-backend 1 ' + ' '.join(f'{field}={word(text)}' for field, text in fields.items())
    line += f" level=5.0 flags=1 batch=64 frame=268435456 align=8 own={word('the library takes no DirectML descriptions')}"
    return line if 'rules=directml' in sys.argv else f'{line} contract={word(contract, 1023)}'


def serve(open_library):
    library = None
    while (line := read_line()) != 'quit':
        if line == 'devices':
            write('devices=')
        elif line.startswith('open 1 ') and len(line) > 7:
            write('unavailable ' + word('there is no choice of devices'))
            sys.exit(0)
        elif line == 'open 1 ':
            try:
                library = open_library()
            except Exception as failure:
                write('unavailable ' + word(failure))
                sys.exit(0)
            write(introduction(library))
        elif line.startswith('frame ') and library is not None:
            serve_frame(library, *(int(field) for field in line.split(' ')[1:]))
        else:
            write('error ' + word(f'not understood: {line}'))
            sys.exit(3)
