import { execFile } from 'node:child_process';
import type { PromiseReport } from 'agent-machines/testing';

const maxBytes = 64 * 1024 * 1024;

/** What `verify` finds of a workflow of ours, in a process of its own: it computes for seconds, and runs would wait. */
export async function verifiedElsewhere(name: string): Promise<PromiseReport> {
  const args = [...process.execArgv, process.argv[1] ?? '', 'verify', name, '--json'];
  const { complete, cutOff, places, promises } = JSON.parse(await outputOf(args)) as PromiseReport;
  return { complete, cutOff, places, promises };
}

/** Of a promise that is broken the exit code tells, too. */
const outputOf = (args: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(process.execPath, args, { maxBuffer: maxBytes }, (error, stdout) => {
      if (error && (error.code !== 1 || stdout === '')) reject(error);
      else resolve(stdout);
    });
  });
