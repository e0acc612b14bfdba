// Program of the process that runs the interpreter. Its main thread only watches, because the interpreter's thread cannot be interrupted.
// The interpreter's own limits miss long single operations, and memory allocated while it converts a value.
import { flushCompileCache } from 'node:module';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { MontyRequest } from './monty-request.ts';
import { type MontyModule, runMonty } from './run-monty.ts';

const memoryCheckIntervalMs = 10;
/** Stack size for the recursion that the interpreter allows; the usual 4 MB are too small. */
const stackMb = 64;

/** Kills the process, because an exit would wait for the interpreter's thread. */
const end = (): void => {
  process.kill(process.pid, 'SIGKILL');
};
const say = (value: object, then: () => void): void => {
  process.stdout.write(`${JSON.stringify(value)}\n`, then);
};
let answered = false;
const answer = (value: object): void => {
  flushCompileCache(); // needed because the process is killed
  if (!answered) say(value, end);
  answered = true;
};

async function watch(): Promise<void> {
  const lines = createInterface({ input: process.stdin });
  lines.on('close', end); // the caller has gone
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
    }, memoryCheckIntervalMs);
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
