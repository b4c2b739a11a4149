// For the reproductions in JavaScript: compares what a library returned with what its documents promise.
// It prints both. check() counts; end() exits with 1 if something differed, which means that the bug is there.
let differing = 0;

export function check(call, expected, actual) {
  const same = JSON.stringify(expected.map(String)) === JSON.stringify(actual.map(String));
  console.log(`${call}\n  expected ${expected.map(String).join(' ')}\n  actual   ${actual.map(String).join(' ')}${same ? '' : '   <--'}`);
  if (!same) differing++;
}

export function end() {
  process.exit(differing > 0 ? 1 : 0);
}
