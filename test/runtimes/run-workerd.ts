import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { installedProgram } from '../system/install-folder.ts';
import type { Project } from './pack.ts';
import type { Report } from './suite.ts';

const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js"), (name = "bundle.js", esModule = embed "bundle.js")],
  compatibilityDate = "2026-10-01"
);
`;
const worker = `import { report } from './bundle.js';
export default { fetch: async () => Response.json(await report()) };
`;

/** Asks a worker, served by workerd, for the suite's report. */
export async function runWorkerd({ folder }: Project): Promise<Report> {
  writeFileSync(join(folder, 'config.capnp'), config);
  writeFileSync(join(folder, 'worker.js'), worker);
  const server = spawn(installedProgram('workerd'), ['serve', 'config.capnp', '--control-fd=3'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  try {
    for await (const line of createInterface(server.stdio[3] as Readable)) {
      const { event, port } = JSON.parse(line) as { readonly event: string; readonly port?: number };
      if (event === 'listen') return (await (await fetch(`http://127.0.0.1:${port}/`)).json()) as Report;
    }
    throw new Error('workerd has ended before it listened.');
  } finally {
    server.kill('SIGKILL');
  }
}
