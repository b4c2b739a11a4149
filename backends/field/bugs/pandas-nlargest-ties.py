"""pandas: Series.nlargest(n) does not return equal elements in order of appearance if n is the length or more.
implementation: pandas
bug: pandas@1.5.3 pandas@2.2.3 pandas@2.3.3
usage: python3 pandas-nlargest-ties.py"""
import sys

import pandas

differing = 0
for series, n in [(pandas.Series([1, 2] * 9), 18)]:
    expected = series.sort_values(ascending=False, kind='stable').index.tolist()
    actual = series.nlargest(n).index.tolist()
    differing += actual != expected
    print(f'indices of pandas.Series({series.tolist()}).nlargest({n}), with keep="first"')
    print(f'  expected {expected}\n  actual   {actual}' + ('' if actual == expected else '   <--'))
sys.exit(1 if differing else 0)
