// The program of the process that runs the interpreter. Its main thread only watches: the interpreter's thread cannot be interrupted, and
// what it does in one long operation, or allocates while it converts a value, its own limits do not see.
import { flushCompileCache } from 'node:module';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { MontyRequest } from './monty-request.ts';
import { type MontyModule, runMonty } from './run-monty.ts';

const lookAtMemoryEveryMs = 10;
/** Deep enough for the recursion that the interpreter allows; the usual 4 MB are not. */
const stackMb = 64;

/** An exit would wait for the interpreter's thread. */
const end = (): void => {
  process.kill(process.pid, 'SIGKILL');
};
const say = (value: object, then: () => void): void => {
  process.stdout.write(`${JSON.stringify(value)}\n`, then);
};
let answered = false;
const answer = (value: object): void => {
  flushCompileCache(); // it is killed, not ended
  if (!answered) say(value, end);
  answered = true;
};

async function watch(): Promise<void> {
  const lines = createInterface({ input: process.stdin });
  lines.on('close', end); // whoever asked is gone
  const line = await new Promise<string>((resolve) => lines.once('line', resolve));
  const { maxMemoryBytes } = JSON.parse(line) as MontyRequest;

  const interpreter = new Worker(new URL(import.meta.url), { workerData: line, resourceLimits: { stackSizeMb: stackMb } });
  interpreter.on('error', (error) => answer({ kind: 'failed', message: String(error) }));
  interpreter.on('exit', () => answer({ kind: 'failed', message: 'no answer' }));
  interpreter.on('message', (message: object | 'ready') => {
    if (message !== 'ready') return answer(message);
    const limitBytes = process.memoryUsage.rss() + maxMemoryBytes;
    setInterval(() => {
      if (process.memoryUsage.rss() > limitBytes) answer({ kind: 'memory' });
    }, lookAtMemoryEveryMs);
    say({ kind: 'begun' }, () => interpreter.postMessage('go'));
  });
}

async function interpret(): Promise<void> {
  const request = JSON.parse(workerData as string) as MontyRequest;
  try {
    const monty = (await import(request.moduleUrl)) as MontyModule;
    flushCompileCache();
    parentPort?.once('message', () => parentPort?.postMessage(runMonty(monty, request)));
    parentPort?.postMessage('ready');
  } catch (error) {
    parentPort?.postMessage({ kind: 'unavailable', message: String(error) });
  }
}

await (isMainThread ? watch() : interpret());
