import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** At least 16 characters, as `serve` requires. */
export const token = 'a-token-of-the-deployment';

/** A server of docs/examples/deployment, in a process of its own. */
export interface ServedApp extends AsyncDisposable {
  /** Sends SIGTERM; returns the exit code. */
  stop(): Promise<number | null>;
  /** Sends a request with the token. */
  ask(path: string, body?: object): Promise<Response>;
}

export interface AppProcess {
  readonly command: readonly string[];
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly port: number;
  readonly uid?: number | undefined;
}

/** Starts a command and waits until it has printed its address. */
export async function serveApp({ command: [file = '', ...args], folder, env, port, uid }: AppProcess): Promise<ServedApp> {
  const child = spawn(file, args, {
    cwd: folder,
    env: { ...env, AGENT_MACHINES_TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const ended = once(child, 'close');
  const printed = await Promise.race([once(createInterface(child.stdout), 'line'), ended]);
  if (child.exitCode !== null) throw new Error(`The server has ended: ${printed.join()}`);
  return {
    async stop() {
      child.kill('SIGTERM');
      await ended;
      return child.exitCode;
    },
    ask: (path, body) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
      }),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
