import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, ownProcess } from './command.ts';

const address = 'postgres://ada:s3cret@127.0.0.1:1/agents?sslpassword=s3cret&sslmode=disable';

/** The package `pg`, as a stand-in whose server is not there. */
const goneServer = `export class Pool {
  options = { max: 10 };
  on() {}
  removeListener() {}
  async end() {}
  async connect() { throw Object.assign(new Error('password authentication failed for user "ada"'), { code: '28P01' }); }
}`;

describe('agent-machines with --db postgres://…', () => {
  it.each([
    ['runs'],
    ['run', 'plan-execute', '1 + 1'],
    ['resume', 'r_1'],
    ['send', 'r_1', 'APPROVE', '--interrupt', 'i_1'],
    ['show', 'r_1'],
    ['cancel', 'r_1'],
    ['work'],
  ])('names the missing package in %s, and no password', async (...words) => {
    const { code, stderr, stdout } = await ownProcess(folder(), [...words, '--db', address]);
    expect(code).not.toBe(0);
    expect(stderr).toContain('ADAPTER_MISSING');
    expect(stderr).toContain('npm install pg');
    expect(stdout + stderr).not.toContain('s3cret');
  });

  it('reports that the server denies access, and no password', async () => {
    const cwd = folder();
    mkdirSync(join(cwd, 'pg'));
    writeFileSync(join(cwd, 'pg/index.mjs'), goneServer);
    const resolver = `import { registerHooks } from 'node:module';
      registerHooks({ resolve: (name, context, next) => next(name === 'pg' ? ${JSON.stringify(`file://${cwd}/pg/index.mjs`)} : name, context) });`;
    writeFileSync(join(cwd, 'resolve.mjs'), resolver);
    const env = { NODE_OPTIONS: `--import=${join(cwd, 'resolve.mjs')}` };
    const { code, stderr, stdout } = await ownProcess(cwd, ['runs', '--db', address], env);
    expect(code).not.toBe(0);
    expect(stderr).toContain('STORE_UNAVAILABLE');
    expect(stderr).toContain('postgres://ada@127.0.0.1:1/agents?sslmode=disable');
    expect(stderr).toContain('PGPASSWORD');
    expect(stdout + stderr).not.toContain('s3cret');
  });

  it.each(['postgres://ada:s3cret@host:99999999/db', 'postgresql://ada:s3cret@[/db'])('rejects %s without printing it', async (wrong) => {
    const { code, stderr } = await ownProcess(folder(), ['runs', '--db', wrong]);
    expect([code, stderr.includes('s3cret')]).toEqual([2, false]);
    expect(stderr).toContain('--db is not a PostgreSQL address');
  });

  it('has no inspector page, which reads only files', async () => {
    const { code, stderr } = await ownProcess(folder(), ['inspect', '--db', address]);
    expect([code, stderr.includes('s3cret')]).toEqual([2, false]);
    expect(stderr).toContain('studio');
  });
});
