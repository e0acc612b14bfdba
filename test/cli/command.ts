import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { bundle } from '../fixtures/bundle.ts';
import type { Finished, TypedCommand } from './command-process.ts';

const programs = await bundle(['src/cli/bin.ts', 'test/cli/command-process.ts']);
const bin = join(programs, 'bin.mjs');
const flags = ['--conditions=@agent-machines/source'];

/** How the command line calls itself here, where neither a shell nor npx would find it. */
export const program = [process.execPath, ...flags, bin].join(' ');

export interface Command extends Promise<Finished> {
  kill(signal: NodeJS.Signals): void;
  /** Reads no more of the two outputs, as `| head` does. */
  stopReading(): void;
  /** Waits until standard error holds a text. */
  sees(text: string): Promise<void>;
  /** The first line of standard output. Wait until it was seen. */
  firstLine(): Promise<string>;
}

/** A folder of its own for one test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'agent-machines-cli-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/**
 * Runs the command line in a process that waits for commands, for starting one takes longer than most of them: see `command-process.ts`.
 * Without any key of this machine.
 *
 * @param input what it reads from standard input. Default: nothing.
 */
export const command = (cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}, input = ''): Promise<Finished> =>
  inWaitingProcess({ args: [bin, ...args], cwd, env: { ...environment(), ...env }, input });

/** As `command`, at a terminal of a width, where nothing is typed any more. */
export const commandAtTerminal = (cwd: string, args: readonly string[], columns: number): Promise<Finished> =>
  inWaitingProcess({ args: [bin, ...args], cwd, env: environment(), input: '', columns });

async function inWaitingProcess(typed: TypedCommand): Promise<Finished> {
  const waiting = idle.pop() ?? waitingProcess();
  const finished = await waiting.run(typed);
  idle.push(waiting);
  return finished;
}

/**
 * Runs the command line in a process of its own: to be killed, to be left by its reader, or to show what is whole without what an earlier
 * command has left in memory. Without any key of this machine.
 *
 * @param input what it reads from standard input. Default: nothing.
 */
export function ownProcess(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}, input?: string): Command {
  const { child, running } = start(cwd, [process.execPath, ...flags, bin, ...args], env);
  child.stdin.end(input);
  return running;
}

/** Processes that have nothing to do. A test that types two commands at once uses two. */
const idle: ReturnType<typeof waitingProcess>[] = [];

function waitingProcess() {
  const child = fork(join(programs, 'command-process.mjs'), {
    execArgv: flags,
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr] as Socket[]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const ended = once(child, 'close').then(() => {
    throw new Error(`The process of the commands has ended: ${said}`);
  });
  ended.catch(() => {});
  rest(child, 'unref'); // it does not keep the tests from ending
  return {
    async run(typed: TypedCommand): Promise<Finished> {
      rest(child, 'ref');
      child.send(typed);
      const [finished] = (await Promise.race([once(child, 'message'), ended])) as [Finished];
      rest(child, 'unref');
      return finished;
    },
  };
}

function rest(child: ChildProcess, how: 'ref' | 'unref'): void {
  child[how]();
  child.channel?.[how]();
  for (const stream of [child.stdout, child.stderr] as Socket[]) stream[how]();
}

/** As `command`, from the sources: where a user's module has to find the same package as the command line. */
export function sourceCommand(cwd: string, args: readonly string[]): Command {
  const { child, running } = start(
    cwd,
    [process.execPath, ...flags, fileURLToPath(new URL('../../src/cli/bin.ts', import.meta.url)), ...args],
    {},
  );
  child.stdin.end();
  return running;
}

/** Runs a printed command as it is printed: by a shell. */
export function typed(cwd: string, line: string): Command {
  const { child, running } = start(cwd, ['sh', '-c', line], {});
  child.stdin.end();
  return running;
}

/**
 * Runs the command line at a terminal of a width, for all that it can tell: pipes that say that they are one.
 *
 * @returns what it has written so far, a way to type, and a way to end the input.
 */
export function atTerminal(cwd: string, args: readonly string[], columns: number, env: NodeJS.ProcessEnv = {}) {
  const terminal = `data:text/javascript,${encodeURIComponent(`for (const stream of [process.stdin, process.stdout, process.stderr]) {
    Object.defineProperty(stream, 'isTTY', { value: true });
    Object.defineProperty(stream, 'columns', { value: ${columns} });
    stream.getColorDepth = () => 1;
  }`)}`;
  const { child, running } = start(cwd, [process.execPath, ...flags, bin, ...args], { NODE_OPTIONS: `--import=${terminal}`, ...env });
  return Object.assign(running, { type: (text: string) => void child.stdin.write(text), end: () => void child.stdin.end() });
}

/** Without what would change what a command does. */
function environment(): NodeJS.ProcessEnv {
  const {
    OPENAI_API_KEY: _key,
    OPENAI_BASE_URL: _url,
    OPENWEATHER_API_KEY: _weather,
    TAVILY_API_KEY: _tavily,
    AGENT_MACHINES_TOKEN: _token,
    FORCE_COLOR: _color,
    npm_command: _npm,
    CI: _ci,
    ...others
  } = process.env;
  return Object.fromEntries(Object.entries(others).filter(([name]) => !name.startsWith('OTEL_')));
}

function start(cwd: string, [file = '', ...args]: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(file, args, {
    cwd,
    env: { ...environment(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {}); // it may end before it has read everything
  let stdout = '';
  let stderr = '';
  let look = (): void => {};
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    look();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    look();
  });
  const finished = new Promise<Finished>((done) => {
    child.on('close', (code, signal) => {
      done({ code, signal, stdout, stderr });
      look();
    });
  });
  const running: Command = Object.assign(finished, {
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    stopReading() {
      child.stdout.destroy();
      child.stderr.destroy();
    },
    async firstLine() {
      await running.sees('\n');
      return stdout.slice(0, stdout.indexOf('\n'));
    },
    sees: (text: string) =>
      new Promise<void>((resolve, reject) => {
        look = () => {
          if (`${stdout}${stderr}`.includes(text)) resolve();
          else if (child.exitCode !== null) reject(new Error(`ended without "${text}":\n${stdout}${stderr}`));
        };
        look();
      }),
  });
  return { child, running };
}
