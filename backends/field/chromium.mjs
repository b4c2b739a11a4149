// A page in headless Chromium, by its DevTools protocol over a pipe.
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Starts the Chromium in a folder that scripts/get-chromium filled. Returns a function that evaluates an expression in an
// empty page, waits for the promise that it may be, and returns its value; an exception there is thrown here.
export async function openPage(folder) {
  const profile = mkdtempSync(join(tmpdir(), 'topk-chromium-'));
  const browser = spawn(`${folder}/chromium`, ['--headless', '--no-sandbox', '--disable-gpu-sandbox', '--remote-debugging-pipe',
    '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist',
    `--user-data-dir=${profile}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    env: { ...process.env, LD_LIBRARY_PATH: `${folder}/lib`, FONTCONFIG_FILE: `${folder}/fonts.conf`, HOME: profile } });
  process.on('exit', () => browser.kill('SIGKILL'));
  const [, , , requests, answers] = browser.stdio, waiting = new Map();
  const failAll = (error) => waiting.forEach(({ reject }) => reject(error));
  browser.on('error', (error) => failAll(new Error(`Chromium does not start: ${error.message}`)));
  browser.on('exit', () => failAll(new Error('Chromium has ended')));
  requests.on('error', () => {}); // its end is told by `exit`
  let pending = Buffer.alloc(0);
  answers.on('data', (some) => {
    pending = Buffer.concat([pending, some]);
    for (let end; (end = pending.indexOf(0)) >= 0; pending = pending.subarray(end + 1)) {
      const { id, error, result } = JSON.parse(pending.toString('utf8', 0, end)), asked = waiting.get(id);
      waiting.delete(id);
      if (asked) error ? asked.reject(new Error(error.message)) : asked.resolve(result);
    }
  });
  let count = 0;
  const send = (method, params = {}, sessionId = undefined) => new Promise((resolve, reject) => {
    waiting.set(++count, { resolve, reject });
    requests.write(`${JSON.stringify({ id: count, method, params, sessionId })}\0`);
  });
  const { targetInfos } = await send('Target.getTargets');
  const page = targetInfos.find(({ type }) => type === 'page');
  const { sessionId } = await send('Target.attachToTarget', { targetId: page.targetId, flatten: true });
  return async (expression) => {
    const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true }, sessionId);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
}
