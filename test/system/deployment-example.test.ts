// docs/examples/deployment: each file is used as its guide says, with the packed package.
import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createRuntime, memoryStore } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { fakeClock } from 'agent-machines/testing';
import { Agent, fetch as fetchBy } from 'undici';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { answerRun, enqueueRun, publish, resumeDue, runtimeOn, startRun } from '../../docs/examples/deployment/serverless.ts';
import { folderForTest, folderForTests } from '../fixtures/folder-for-test.ts';
import { freePort } from '../fixtures/free-port.ts';
import { buildImage, type DockerImage } from './deployment/docker-image.ts';
import { makeCertificate, startNginx } from './deployment/nginx-server.ts';
import { serveApp, token } from './deployment/served-app.ts';
import { startWriterServer } from './deployment/writer-server.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const run = (cwd: string, ...[file, ...args]: [string, ...string[]]) => promisify(execFile)(file, args, { cwd });
const textOf = (name: string): string => readFileSync(join('docs/examples/deployment', name), 'utf8');
const started = { workflow: 'publish', input: { topic: 'otters' } };

const home = folderForTests('agent-machines-deployment-');
let image: DockerImage;
let port = 0;

beforeAll(async () => {
  chmodSync(home, 0o755); // the container's user reads it
  const context = join(home, 'context');
  mkdirSync(context);
  const { stdout } = await run('.', 'npm', 'pack', '--json', '--pack-destination', context);
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as readonly [{ readonly filename: string }];
  cpSync('docs/examples/deployment/app.ts', join(context, 'app.ts'));
  const dependencies = { 'agent-machines': `file:${filename}`, zod: '^4.6.7' };
  writeFileSync(join(context, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }));
  await run(context, 'npm', 'install', '--package-lock-only', '--no-audit', '--no-fund');
  port = await freePort();
  const uid = process.getuid?.() || 1000; // only root may give files away
  image = buildImage(textOf('Dockerfile').replaceAll('4680', String(port)).replaceAll('1000', String(uid)), {
    context,
    root: join(home, 'root'),
  });
});

/** The command that an app is started with, and a model server. */
async function served(command: readonly string[], folder: string, uid?: number) {
  const writer = await startWriterServer();
  onTestFinished(() => writer[Symbol.asyncDispose]());
  const serve = async () => {
    const app = await serveApp({ command, folder, uid, port, env: { ...image.env, OPENAI_BASE_URL: writer.url } });
    onTestFinished(() => app[Symbol.asyncDispose]());
    return app;
  };
  return { writer, serve };
}

const idOf = async (response: Pick<Response, 'json'>): Promise<string> => ((await response.json()) as { readonly id: string }).id;

describe('Dockerfile', () => {
  it('fails on an instruction that it does not know', () => {
    expect(() => buildImage('FROM node:24-slim\nSHELL ["/bin/bash"]', { context: home, root: home })).toThrow('SHELL');
  });

  it('serves, drains on SIGTERM, and resumes in the next container', async () => {
    const { uid, folder, command } = image;
    expect(image.ports).toEqual([port]);
    const { writer, serve } = await served(command, folder, uid);
    const app = await serve();
    const [probe = '', ...args] = image.healthcheck;
    const isHealthy = (): boolean => spawnSync(probe, args, { cwd: folder, env: image.env }).status === 0;
    expect(isHealthy()).toBe(true);
    // as an orchestrator asks: by an address that is no name of the server
    expect(await (await fetch(`http://127.0.0.2:${port}/health`)).json()).toEqual({ status: 'ok' });

    const id = await idOf(await app.ask('/api/runs', started));
    await expect.poll(writer.requests).toBe(1);
    const stopped = app.stop();
    await expect.poll(() => app.ask('/health').catch(() => 'closed')).toBe('closed');
    writer.finish();
    expect(await stopped).toBe(0);
    expect(isHealthy()).toBe(false);

    const next = await serve();
    const waiting = (await (await next.ask(`/api/runs/${id}`)).json()) as { readonly interrupts: readonly [{ readonly id: string }] };
    expect(waiting).toMatchObject({ status: 'waiting', interrupts: [{ question: 'Otters hold hands.' }] });
    await next.ask(`/api/runs/${id}/answer`, { interruptId: waiting.interrupts[0].id, event: { type: 'APPROVE' } });
    expect(await (await next.ask(`/api/runs/${id}`)).json()).toMatchObject({ status: 'done', output: 'Otters hold hands.' });
    expect(writer.requests()).toBe(1);
    expect(await next.stop()).toBe(0);
  });
});

/** The unit for this machine. */
const unitFor = (folder: string): string => textOf('agents.service').replaceAll('/srv/agents', folder);

/** ExecStart of the unit, with a state folder of its own. */
function startOf(folder: string, state: string): readonly string[] {
  const [, line = ''] = /^ExecStart=((?:.*\\\n)*.*)$/m.exec(unitFor(folder)) ?? [];
  return line
    .replaceAll(/\\\n\s*/g, '')
    .replaceAll('%S/agents', state)
    .replaceAll('4680', String(port))
    .split(' ');
}

describe('agents.service', () => {
  const verify = (unit: string) => {
    const folder = folderForTest('agent-machines-unit-');
    writeFileSync(join(folder, 'agents.service'), unit);
    return spawnSync('systemd-analyze', ['verify', '--man=no', join(folder, 'agents.service')], { encoding: 'utf8' });
  };

  it('passes systemd-analyze verify', () => {
    expect(verify(unitFor(image.folder))).toMatchObject({ status: 0, stdout: '', stderr: '' });
    expect(verify(unitFor('/nowhere')).stderr).toContain('is not executable');
    expect(verify(unitFor(image.folder).replace('KillMode', 'KillMod')).stderr).toContain('KillMod');
  });
});

describe('nginx.conf', () => {
  const name = 'agents.example.com';

  it('streams before a run has ended, and passes host, origin and address', async () => {
    const folder = folderForTest('agent-machines-nginx-');
    const { writer, serve } = await served(startOf(image.folder, folder), image.folder);
    await serve();
    const { certificate, key } = makeCertificate(name, folder);
    const public_ = await freePort();
    const site = textOf('nginx.conf')
      .replace('listen 443', `listen ${public_}`)
      .replaceAll('4680', String(port))
      .replace('/etc/ssl/agents.pem', certificate)
      .replace('/etc/ssl/agents.key', key);
    await using _nginx = await startNginx({ site, folder, port: public_ });

    const authorization = `Bearer ${token}`;
    /** A client with an address of its own. */
    const clientAt = (localAddress: string) => {
      const connect = { ca: readFileSync(certificate), lookup: toThisMachine };
      const dispatcher = new Agent({ connect, localAddress });
      return (path: string, headers: Readonly<Record<string, string>>, body?: object) =>
        fetchBy(`https://${name}:${public_}${path}`, {
          dispatcher,
          headers: { 'content-type': 'application/json', ...headers },
          ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
        });
    };
    const ask = clientAt('127.0.0.1');

    const session = await ask('/api/session', { origin: `https://${name}` }, { token });
    const cookie = session.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/HttpOnly; SameSite=Strict; .*Secure$/);
    const browser = { origin: `https://${name}`, cookie: cookie.split(';')[0] ?? '' };

    const id = await idOf(await ask('/api/runs', browser, started));
    const decoder = new TextDecoder();
    let text = '';
    for await (const part of (await ask(`/api/runs/${id}/events`, browser)).body ?? []) {
      text += decoder.decode(part, { stream: true });
      if (text.includes('"text":"Otters"') && !text.includes('hold hands')) {
        expect(await (await ask(`/api/runs/${id}`, { authorization })).json()).toMatchObject({ status: 'running' });
        writer.finish();
      }
    }
    expect(text).toMatch(/event: interrupt[\s\S]*event: end/);

    // a client that guesses tokens is refused, whatever address it claims, and others are not
    const guess = clientAt('127.0.0.2');
    for (let count = 0; count < 20; count++) {
      const guessed = await guess('/api/runs', { authorization: `Bearer ${'x'.repeat(20)}${count}`, 'x-real-ip': `10.0.0.${count}` });
      expect(guessed.status).toBe(401);
    }
    expect((await guess('/api/runs', { authorization })).status).toBe(429);
    expect((await ask('/api/runs', { authorization })).status).toBe(200);
  });
});

describe('serverless.ts', () => {
  it('starts, and answers in another request', async () => {
    const store = memoryStore();
    const asked = await startRun(runtimeOn(store), 'r_1', 'otters');
    expect(asked).toMatchObject({ status: 'waiting', interrupt: { accepts: ['APPROVE'] } });
    expect(await startRun(runtimeOn(store), 'r_1', 'otters')).toEqual(asked);
    const { interrupt } = asked as { readonly interrupt: { readonly id: string } };
    expect(await answerRun(runtimeOn(store), 'r_1', interrupt.id, { type: 'APPROVE' })).toMatchObject({
      status: 'done',
      output: 'About otters.',
    });
  });

  it('resumes stopped and queued runs, and due timers, by the cron route only', async () => {
    const path = join(folderForTest('agent-machines-serverless-'), 'runs.db');
    // a process that ends in the middle of its request: only the first of its writes has arrived
    const program = `import { sqliteStore } from 'agent-machines/stores/sqlite';
import { crashingStore } from 'agent-machines/testing';
import { runtimeOn, startRun } from './docs/examples/deployment/serverless.ts';
await startRun(runtimeOn(crashingStore(sqliteStore({ path: ${JSON.stringify(path)} }), 1)), 'r_stopped', 'otters');
process.exit(1);`;
    await expect(
      run('.', process.execPath, '--conditions=@agent-machines/source', '--input-type=module', '-e', program),
    ).rejects.toMatchObject({ code: 1, stderr: '' });

    const store = sqliteStore({ path });
    onTestFinished(() => store.close());
    const clock = fakeClock();
    const on = () => createRuntime({ store, workflows: [publish], leaseMs: 5_000, clock });
    await enqueueRun(on(), 'r_queued', 'seals');
    expect((await store.read('r_stopped'))?.status).toBe('running');
    expect((await resumeDue(on())).toSorted()).toEqual(['r_queued', 'r_stopped']);
    for (const id of ['r_queued', 'r_stopped']) expect((await store.read(id))?.status).toBe('waiting');

    await clock.advance(86_400_000); // no runtime is there to see the timers
    expect((await store.read('r_queued'))?.status).toBe('waiting');
    expect(await resumeDue(on())).toHaveLength(2);
    expect(await on().get('r_queued')).toMatchObject({ status: 'failed', result: { finalState: 'expired' } });
  });
});

/** Every name leads to this machine. */
const toThisMachine = (_name: string, _options: object, found: (error: null, address: string, family: number) => void): void =>
  found(null, '127.0.0.1', 4);
