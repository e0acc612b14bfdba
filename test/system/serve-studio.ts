import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type AnyWorkflow, createRuntime, createWorker, memoryStore } from 'agent-machines';
import { createServer, type ServedWorkflow, type ServerLimits } from 'agent-machines/server';
import { listen, staticFiles } from 'agent-machines/server/node';

const built = new URL('../../dist/src/', import.meta.url);
const ownToken = 'a-token-of-some-length';

/** A server with the studio's page. */
export interface StudioServer {
  /** What is opened: with the token. */
  readonly address: string;
  readonly port: number;
  readonly token: string;
  close(): Promise<void>;
}

function checkBuilt(): void {
  if (!existsSync(new URL('studio/page/index.html', built))) throw new Error('The studio is not built: run `npm run build`.');
}

/** The command line as it was built, without a key. `kill` is SIGKILL. @param evals folder of reports. */
export async function serveBuilt(
  db: string,
  port?: number,
  token?: string,
  evals?: string,
): Promise<StudioServer & { kill(): Promise<void> }> {
  checkBuilt();
  const args = [
    fileURLToPath(new URL('cli/bin.js', built)),
    'serve',
    '--db',
    db,
    ...['--max-starts', '1000000', '--max-changes', '1000000'], // how fast tests are is not the subject
    ...(port === undefined ? [] : ['--port', String(port)]),
    ...(token === undefined ? [] : ['--token', token]),
    ...(evals === undefined ? [] : ['--evals', evals]),
  ];
  const { OPENAI_API_KEY: _, OPENAI_BASE_URL: __, ...env } = process.env;
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env });
  const [address] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), once(child, 'exit')])) as [unknown];
  if (typeof address !== 'string') throw new Error(`serve ended with ${String(address)}.`);
  return {
    address,
    port: Number(new URL(address).port),
    token: new URL(address).hash.replace('#token=', ''),
    close: () => end(child, 'SIGTERM'),
    kill: () => end(child, 'SIGKILL'),
  };
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

export interface WorkflowsOptions {
  /** Requests that the server shall not know. */
  readonly without?: (request: Request) => boolean;
  readonly limits?: Partial<ServerLimits>;
}

/** Workflows of a test. */
export async function serveWorkflows(
  given: readonly (AnyWorkflow | ServedWorkflow)[],
  { without, limits }: WorkflowsOptions = {},
): Promise<StudioServer> {
  const workflows = given.map((one) => ('workflow' in one ? one.workflow : one));
  checkBuilt();
  const store = memoryStore();
  const runtime = createRuntime({ store, workflows });
  const stop = new AbortController();
  const worker = createWorker({ runtime, signal: stop.signal });
  const page = staticFiles(fileURLToPath(new URL('studio/page', built)), 'not built');
  const { url, port, close } = await listen({
    drainMs: 0,
    server: (hosts) => {
      const server = createServer({ hosts, tokens: ownToken, runtime, store, workflows: given, page, ...(limits ? { limits } : {}) });
      const notFound = (): Response => Response.json({ code: 'NOT_FOUND', message: 'Not found.' }, { status: 404 });
      return { ...server, fetch: async (request) => (without?.(request) ? notFound() : server.fetch(request)) };
    },
  });
  return {
    address: `${url}/#token=${ownToken}`,
    port,
    token: ownToken,
    async close() {
      await close();
      stop.abort();
      await worker.closed;
      await runtime.close();
    },
  };
}
