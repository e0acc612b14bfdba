// A real Restate server, as the package `@restatedev/restate-server` brings it, on ports of its own. Its licence (Business Source License 1.1) lets it be used for tests; nothing of it is shipped.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../fixtures/free-port.ts';
import { installedFile, installFolder } from '../install-folder.ts';

export interface RestateServer extends AsyncDisposable {
  readonly ingress: string;
  readonly admin: string;
  /** Makes a worker known; returns when Restate has asked it what it serves. */
  register(worker: string): Promise<void>;
  /** Ends it as if its machine had lost its power, and starts it again on what it has written. */
  killAndStart(): Promise<void>;
}

const program = (): string => {
  const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
  return fileURLToPath(installedFile('restate', `@restatedev/restate-server-${process.platform}-${arch}/bin/restate-server`));
};

/** The package, as it was installed. */
export const restateSdkAddress: string = installedFile('restate', '@restatedev/restate-sdk/dist/index.js').href;

export async function restateServer(): Promise<RestateServer> {
  installFolder('restate');
  const folder = mkdtempSync(join(tmpdir(), 'restate-'));
  const [ingressPort, adminPort, nodePort] = [await freePort(), await freePort(), await freePort()];
  const config = join(folder, 'restate.toml');
  writeFileSync(
    config,
    `disable-telemetry = true
default-num-partitions = 2
[admin]
bind-address = "127.0.0.1:${adminPort}"
[ingress]
bind-address = "127.0.0.1:${ingressPort}"
`,
  );
  const admin = `http://127.0.0.1:${adminPort}`;
  const ingress = `http://127.0.0.1:${ingressPort}`;
  let server: ChildProcess;
  let said = '';
  const start = async (): Promise<void> => {
    const args = ['--base-dir', join(folder, 'data'), '--node-name', 'n1', '--config-file', config, '--no-logo'];
    // it makes a folder there, and is killed
    const env = { ...process.env, TMPDIR: folder, RESTATE_LOG_FILTER: 'warn', DO_NOT_TRACK: '1' };
    server = spawn(program(), [...args, '--listen-mode', 'tcp', '--bind-ip', '127.0.0.1', '--bind-port', String(nodePort)], { env });
    for (const stream of [server.stdout, server.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-5_000)));
    for (const address of [`${admin}/health`, `${ingress}/restate/health`]) {
      while (
        !(await fetch(address).then(
          ({ ok }) => ok,
          () => false,
        ))
      ) {
        if (server.exitCode !== null) throw new Error(`Restate has ended: ${said}`);
        await pause(50);
      }
    }
  };
  const end = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    server.kill('SIGKILL');
    await gone;
  };
  await start();
  return {
    ingress,
    admin,
    async register(uri) {
      const response = await fetch(`${admin}/deployments`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ uri, force: true }),
      });
      if (!response.ok) throw new Error(`Restate does not take the worker: ${response.status} ${await response.text()}`);
    },
    async killAndStart() {
      await end();
      await start();
    },
    async [Symbol.asyncDispose]() {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
