import { execFile } from 'node:child_process';
import type { PromiseReport } from 'agent-machines/testing';

const maxBytes = 64 * 1024 * 1024;

/** Result of `verify` for a workflow of this package, computed in a separate process. It takes seconds and would block the runs. */
export async function verifyInChildProcess(name: string): Promise<PromiseReport> {
  const args = [...process.execArgv, process.argv[1] ?? '', 'verify', name, '--json'];
  const { complete, cutOff, places, promises } = JSON.parse(await outputOf(args)) as PromiseReport;
  return { complete, cutOff, places, promises };
}

/** Output of the process. A broken promise also sets a non-zero exit code, which is not an error here. */
const outputOf = (args: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(process.execPath, args, { maxBuffer: maxBytes }, (error, stdout) => {
      if (error && (error.code !== 1 || stdout === '')) reject(error);
      else resolve(stdout);
    });
  });
