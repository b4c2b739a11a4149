"""torch.topk, sorted, or with `sort` as an argument torch.sort with stable=True, on a CUDA device.
   python3 torch_cuda.py [sort] [rules=directml]"""
import sys

import torch

from adapter import serve

STABLE_SORT = 'sort' in sys.argv


def top_k(array, axis, k, largest):
    tensor = torch.from_numpy(array).cuda()
    if STABLE_SORT:
        values, indices = torch.sort(tensor, dim=axis, descending=largest, stable=True)
        values, indices = values.narrow(axis, 0, k), indices.narrow(axis, 0, k)
    else:
        values, indices = torch.topk(tensor, k, axis, largest, True)
    return values.cpu().numpy(), indices.cpu().numpy()


def open_torch():
    function = 'sort' if STABLE_SORT else 'topk'
    return {'name': f'torch.{function}', 'version': torch.__version__, 'device': torch.cuda.get_device_name(),
            'types': ['f32', 'f16', 'i64', 'i32', 'i16', 'i8', 'u8'], 'rules': '' if STABLE_SORT else 'ties=any',
            'top_k': top_k, 'source': f'https://docs.pytorch.org/docs/stable/generated/torch.{function}.html'}


serve(open_torch)
