import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { bundle } from '../../fixtures/bundle.ts';
import { freePort } from '../../fixtures/free-port.ts';
import { restateSdkAddress } from '../restate/restate-server.ts';

const programs = bundle(['test/system/engines/restate-worker-process.ts']);

/** A worker of Restate in a process of its own. */
export interface RestateWorker extends AsyncDisposable {
  readonly address: string;
  /** Ends it as if its machine had lost its power, and starts it again. */
  killAndStart(): Promise<void>;
  /** Starts it again whenever it has ended by itself, until the signal. Returns how often. */
  keepAlive(signal: AbortSignal): Promise<number>;
}

export async function restateWorker(effects: string): Promise<RestateWorker> {
  const port = await freePort();
  const program = join(await programs, 'restate-worker-process.mjs');
  let worker: ChildProcess;
  const start = async (): Promise<void> => {
    const env = { ...process.env, RESTATE_LOGGING: 'ERROR' };
    worker = spawn(process.execPath, [program, restateSdkAddress, String(port), effects], { stdio: ['ignore', 'pipe', 'inherit'], env });
    await Promise.race([
      once(worker.stdout ?? worker, 'data'),
      once(worker, 'exit').then(() => {
        throw new Error('The worker has ended.');
      }),
    ]);
  };
  const end = async (): Promise<void> => {
    const gone = once(worker, 'exit');
    if (worker.kill('SIGKILL')) await gone;
  };
  await start();
  return {
    address: `http://127.0.0.1:${port}`,
    async killAndStart() {
      await end();
      await start();
    },
    async keepAlive(signal) {
      for (let deaths = 0; ; deaths++) {
        const isAlive = worker.exitCode === null && worker.signalCode === null;
        if (isAlive && (await once(worker, 'exit', { signal }).catch(() => undefined)) === undefined) return deaths;
        await start();
      }
    },
    [Symbol.asyncDispose]: end,
  };
}
