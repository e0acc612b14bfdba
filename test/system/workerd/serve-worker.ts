import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { build } from 'esbuild';
import { installedProgram } from '../install-folder.ts';

export interface WorkerSource {
  /** The module of the worker. */
  readonly entry: string;
  /** The class of its Durable Objects, which it exports. */
  readonly className: string;
  /** Under what name it finds them. */
  readonly binding: string;
  /** Where the worker and what its objects keep is put. */
  readonly folder: string;
}

export interface ServedWorker extends AsyncDisposable {
  readonly url: string;
  /** Ends the process without a word. */
  kill(): Promise<void>;
}

/** Puts a worker into one module without anything of Node. */
export async function bundleWorker({ entry, className, binding, folder }: WorkerSource): Promise<void> {
  mkdirSync(join(folder, 'objects'), { recursive: true });
  await build({
    entryPoints: [entry],
    outfile: join(folder, 'worker.js'),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['@agent-machines/source', 'workerd', 'module'],
    logLevel: 'warning',
  });
  writeFileSync(join(folder, 'config.capnp'), configOf(className, binding));
}

/** Serves a worker that was bundled. Its objects find what they have kept in the folder before. */
export async function serveWorker({ folder }: Pick<WorkerSource, 'folder'>): Promise<ServedWorker> {
  const server = spawn(installedProgram('workerd'), ['serve', 'config.capnp', '--experimental', '--control-fd=3'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  const ended = once(server, 'close');
  const kill = async (): Promise<void> => {
    server.kill('SIGKILL');
    await ended;
  };
  for await (const line of createInterface(server.stdio[3] as Readable)) {
    const { event, port } = JSON.parse(line) as { readonly event: string; readonly port?: number };
    if (event === 'listen') return { url: `http://127.0.0.1:${port}`, kill, [Symbol.asyncDispose]: kill };
  }
  throw new Error('workerd has ended before it listened.');
}

const configOf = (className: string, binding: string): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "disk", disk = (path = "objects", writable = true)),
    (name = "internet", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-10-01",
  bindings = [(name = "${binding}", durableObjectNamespace = "${className}")],
  durableObjectNamespaces = [(className = "${className}", uniqueKey = "objects", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
);
`;
