// One server in a process of its own, and its clients in this one: `measure-server.ts TASK`, JSON. Prints a sample as JSON.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { type ServerVariant, type ServerVariantName, serverVariants } from './server-variant.ts';
import { startTalkingModel, type Talk } from './talk.ts';

export interface ServerTask {
  readonly variant: ServerVariantName;
  readonly streams: number;
  readonly idleThreads: number;
  readonly stalledClients: number;
  /** Tokens of a run whose start does not count. */
  readonly longTokens: number;
}

/** In milliseconds. */
export interface Delays {
  readonly firstEventP50: number;
  readonly firstEventP99: number;
  /** From a token's being said to its arrival. */
  readonly tokenP50: number;
  readonly tokenP99: number;
  /** Processor time of the server for each token, in microseconds. */
  readonly cpuPerToken: number;
}

export interface ServerSample {
  readonly alone: Delays;
  /** With many tokens in each run, so that starts hardly count. */
  readonly long: Delays;
  /** With idle threads in the server, and clients that read nothing. */
  readonly crowded: Delays;
  /** Resident memory of the server in MiB: before anything, with the threads, and at the end. */
  readonly startMiB: number;
  readonly idleMiB: number;
  readonly endMiB: number;
}

/** As a model speaks. */
const talk: Talk = { tokens: 40, gapMs: 60 };
const task = JSON.parse(process.argv[2] ?? '') as ServerTask;
const variant: ServerVariant = serverVariants[task.variant];
const child = spawn(process.execPath, [...variant.args(await startTalkingModel())], { stdio: ['pipe', 'pipe', 'inherit'] });
const lines = createInterface({ input: child.stdout });
const url = await addressOf();
try {
  await readers(10, { tokens: 40, gapMs: 10 }); // loads and compiles what the first ones need
  const startMiB = residentMiB();
  const alone = await readers(task.streams, talk);
  const long = await readers(task.streams, { ...talk, tokens: task.longTokens });
  await variant.idle(url, task.idleThreads, say);
  const idleMiB = residentMiB();
  const stalled = await Promise.all(Array.from({ length: task.stalledClients }, () => variant.stream(url, talk)));
  for (const response of stalled) response.pause();
  const crowded = await readers(task.streams, talk);
  const sample: ServerSample = { alone, long, crowded, startMiB, idleMiB, endMiB: residentMiB() };
  for (const response of stalled) response.destroy();
  process.stdout.write(JSON.stringify(sample));
} finally {
  child.kill('SIGKILL');
}
process.exit(0);

async function addressOf(): Promise<string> {
  const line = await lineWith(/^listening \S+$/);
  return line.slice('listening '.length).replace('localhost', '127.0.0.1');
}

async function say(line: string): Promise<void> {
  child.stdin.write(`${line}\n`);
  await lineWith(/^done$/);
}

function lineWith(pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    lines.on('line', (line) => pattern.test(line) && resolve(line));
    child.once('exit', () => reject(new Error(`${task.variant} has ended.`)));
  });
}

/** So many streams at the same time. Proves that each has brought every token of its run, in order. */
async function readers(count: number, talk: Talk): Promise<Delays> {
  const cpuBefore = cpuMicroseconds();
  const firsts: number[] = [];
  const tokens: number[] = [];
  const now = (): number => Number(process.hrtime.bigint()) / 1e6;
  await Promise.all(
    Array.from({ length: count }, async () => {
      const sentAt = now();
      const response: IncomingMessage = await variant.stream(url, talk);
      let rest = '';
      let last = 0;
      let seen = 0;
      let first = true;
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const at = now();
        rest += chunk;
        if (first && /^data: /m.test(rest)) firsts.push(at - sentAt);
        first &&= !/^data: /m.test(rest);
        const frames = rest.split('\n\n');
        rest = frames.pop() ?? '';
        for (const [, said = '0'] of frames.join('\n').matchAll(/@(\d+)@/g)) {
          const saidAt = Number(said) / 1e6;
          if (saidAt < last) throw new Error('Tokens arrived out of order.');
          last = saidAt;
          seen++;
          tokens.push(at - saidAt);
        }
      });
      await once(response, 'end');
      if (seen !== talk.tokens || first) throw new Error(`A stream of ${task.variant} delivered ${seen} of ${talk.tokens} tokens.`);
    }),
  );
  return {
    firstEventP50: quantile(firsts, 0.5),
    firstEventP99: quantile(firsts, 0.99),
    tokenP50: quantile(tokens, 0.5),
    tokenP99: quantile(tokens, 0.99),
    cpuPerToken: (cpuMicroseconds() - cpuBefore) / (count * talk.tokens),
  };
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}

/** Processor time of the server so far, user and system. Linux counts it in hundredths of a second. */
function cpuMicroseconds(): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

function residentMiB(): number {
  const [, kB = 'NaN'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return Number(kB) / 1024;
}
