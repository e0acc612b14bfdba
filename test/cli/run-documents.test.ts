// `agent-machines runs export` and `runs import`: a run as a file, from one database to another.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { startOpenaiServer } from '../fixtures/openai-server.ts';
import { command, folder, ownProcess } from './command.ts';

const question = '유튜브 쇼츠를 만들어서 올리고 싶어';

/** A run that waits for an approval, in the file `a.db`. */
async function waitingRun() {
  const cwd = folder();
  const { stderr } = await command(cwd, ['run', 'guide-agent', question, '--thread', 'film', '--db', 'a.db']);
  const id = (pattern: RegExp): string => pattern.exec(stderr)?.[1] ?? '';
  return { cwd, runId: id(/run (r_\w+)/), interrupt: id(/--interrupt (i_\w+)/) };
}

describe('runs export and runs import', () => {
  it('move a waiting run to another database, where it is answered', async () => {
    const { cwd, runId, interrupt } = await waitingRun();
    const exported = await command(cwd, ['runs', 'export', runId, '--db', 'a.db', '--out', 'run.json']);
    expect([exported.code, exported.stdout]).toEqual([0, '']);
    expect(exported.stderr).toContain(`Exported ${runId} (waiting).`);
    expect(exported.stderr).toMatch(new RegExp(`To end this one: .* cancel ${runId} --db a\\.db`));
    expect(statSync(join(cwd, 'run.json')).mode & 0o077).toBe(0);
    const printed = await command(cwd, ['runs', 'export', runId, '--db', 'a.db']);
    expect(JSON.parse(printed.stdout)).toEqual(JSON.parse(readFileSync(join(cwd, 'run.json'), 'utf8')));

    const imported = await command(cwd, ['runs', 'import', 'run.json', '--db', 'b.db']);
    expect([imported.code, imported.stderr]).toEqual([0, expect.stringContaining(`Imported ${runId} (waiting) into b.db.`)]);
    const piped = await command(cwd, ['runs', 'import', '-', '--db', 'b.db', '--json'], {}, printed.stdout);
    expect(JSON.parse(piped.stdout)).toEqual({
      type: 'imported',
      runId,
      status: 'waiting',
      threadId: 'film',
      isNew: false,
      isSnapshot: false,
    });
    const sent = await command(cwd, ['send', runId, 'APPROVE', '--interrupt', interrupt, '--db', 'b.db']);
    expect(sent.code).toBe(0);
    const again = await command(cwd, ['runs', 'import', 'run.json', '--db', 'b.db']);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('RUN_EXISTS')]);
  });

  it('reject a changed document, and create no database for it', async () => {
    const { cwd, runId } = await waitingRun();
    await command(cwd, ['runs', 'export', runId, '--db', 'a.db', '--out', 'run.json']);
    const text = readFileSync(join(cwd, 'run.json'), 'utf8');
    writeFileSync(join(cwd, 'changed.json'), text.replace('"waiting"', '"paused"'));
    writeFileSync(join(cwd, 'latin.json'), Buffer.from([0x7b, 0xff, 0x7d]));
    const changed = await command(cwd, ['runs', 'import', 'changed.json', '--db', 'b.db', '--json']);
    expect(JSON.parse(changed.stdout)).toMatchObject({ type: 'error', code: 'RUN_DOCUMENT_INVALID', exitCode: 1 });
    for (const file of ['latin.json', 'missing.json', '.']) {
      const { code, stderr } = await command(cwd, ['runs', 'import', file, '--db', 'b.db']);
      expect([file, code, stderr]).toEqual([file, 2, expect.stringContaining(file)]);
    }
    expect(existsSync(join(cwd, 'b.db'))).toBe(false);
  });

  it('overwrite no file, and create no missing database', async () => {
    const { cwd, runId } = await waitingRun();
    writeFileSync(join(cwd, 'mine.txt'), 'mine');
    const over = await command(cwd, ['runs', 'export', runId, '--db', 'a.db', '--out', 'mine.txt']);
    expect([over.code, over.stderr]).toEqual([2, expect.stringContaining('not overwritten')]);
    expect(readFileSync(join(cwd, 'mine.txt'), 'utf8')).toBe('mine');
    const none = await command(cwd, ['runs', 'export', runId, '--db', 'none.db']);
    expect([none.code, none.stderr, existsSync(join(cwd, 'none.db'))]).toEqual([1, expect.stringContaining('RUN_UNKNOWN'), false]);
    const unknown = await command(cwd, ['runs', 'export', 'r_9', '--db', 'a.db']);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringMatching(/RUN_UNKNOWN[\s\S]* runs --db a\.db/)]);
  });

  it('export a run in progress only as a snapshot', async () => {
    await using model = await startOpenaiServer();
    const cwd = folder();
    model.answer({ type: 'silence' });
    const running = ownProcess(cwd, ['run', 'plan-execute', 'add', '--base-url', model.url, '--db', 'a.db']);
    await running.sees('run r_');
    // it says its id before the run is stored
    const listed = await vi.waitFor(async () => {
      const { stdout } = await command(cwd, ['runs', '--db', 'a.db', '--json']);
      expect(stdout).not.toBe('');
      return stdout;
    }, 30_000);
    const { id } = JSON.parse(listed) as { readonly id: string };
    const busy = await command(cwd, ['runs', 'export', id, '--db', 'a.db']);
    expect([busy.code, busy.stderr]).toEqual([1, expect.stringMatching(/RUN_BUSY[\s\S]*--snapshot/)]);
    const snapshot = await command(cwd, ['runs', 'export', id, '--db', 'a.db', '--snapshot', '--out', 'run.json', '--json']);
    expect(JSON.parse(snapshot.stdout)).toMatchObject({ type: 'exported', runId: id, status: 'running', snapshot: true });
    running.kill('SIGKILL');
    await running;
    const killed = await command(cwd, ['runs', 'export', id, '--db', 'a.db']);
    expect(JSON.parse(killed.stdout)).not.toHaveProperty('snapshot');
  });
});
