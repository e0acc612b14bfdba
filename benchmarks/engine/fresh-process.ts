import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Sample, Task } from './task.ts';

/** The same for every variant: V8's usual new generation, but at its full size from the start. */
export const nodeFlags: readonly string[] = ['--min-semi-space-size=16', '--max-semi-space-size=16', '--max-old-space-size=4096'];

const timeoutMs = 600_000;
const measure = new URL('measure.ts', import.meta.url);

/** Measures in a process of its own, and waits for its end. What it complains of goes to this process's stderr. */
export async function inFreshProcess<TMeasure extends Task['measure']>(
  task: Extract<Task, { measure: TMeasure }>,
): Promise<Sample<TMeasure>> {
  return (await runFreshProcess(measure, task)) as Sample<TMeasure>;
}

/** Runs a script that is given a task as JSON and prints a sample as JSON. */
export async function runFreshProcess(script: URL, task: unknown): Promise<unknown> {
  // tracing to LangSmith would be measured too
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(LANGSMITH|LANGCHAIN|NODE_OPTIONS)/.test(name)));
  const args = ['--conditions=@agent-machines/source', ...nodeFlags, fileURLToPath(script), JSON.stringify(task)];
  const child = spawn(process.execPath, args, { env, timeout: timeoutMs, stdio: ['ignore', 'pipe', 'inherit'] });
  const [sample, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`The process for ${JSON.stringify(task)} ended with ${code ?? signal}.`);
  return JSON.parse(sample);
}
