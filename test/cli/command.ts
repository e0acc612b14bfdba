import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';

const bin = resolve('src/cli/bin.ts');

interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Command extends Promise<Finished> {
  kill(signal: NodeJS.Signals): void;
  /** Reads no more of the two outputs, as `| head` does. */
  stopReading(): void;
  /** Waits until standard error holds a text. */
  sees(text: string): Promise<void>;
}

/** A folder of its own for one test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'agent-machines-cli-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/**
 * Runs the command line in a process of its own, without any key of this machine.
 *
 * @param input what it reads from standard input. Default: nothing.
 */
export function command(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}, input?: string): Command {
  const {
    OPENAI_API_KEY: _key,
    OPENAI_BASE_URL: _url,
    OPENWEATHER_API_KEY: _weather,
    TAVILY_API_KEY: _tavily,
    FORCE_COLOR: _color,
    ...rest
  } = process.env;
  const child = spawn(process.execPath, ['--conditions=@agent-machines/source', bin, ...args], {
    cwd,
    env: { ...rest, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
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
  return Object.assign(finished, {
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    stopReading() {
      child.stdout.destroy();
      child.stderr.destroy();
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
}
