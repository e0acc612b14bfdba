// `--evals FOLDER`: reports of evals in a folder that may hold anything, over the API.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentClient, createClient } from 'agent-machines/client';
import { expect, it, vi } from 'vitest';
import { comparisonOf, hostileCase, reportOf, writeReport } from '../fixtures/eval-reports.ts';
import { command, folder, ownProcess } from './command.ts';

vi.setConfig({ testTimeout: 120_000 });

async function serve(
  cwd: string,
  evals: string,
): Promise<{ readonly client: AgentClient; readonly url: string; readonly token: string; end(): Promise<unknown> }> {
  const process = ownProcess(cwd, ['serve', '--json', '--port', '0', '--evals', evals]);
  await process.sees('"url":"http://127.0.0.1:');
  const { url, token } = JSON.parse(await process.firstLine()) as { readonly url: string; readonly token: string };
  const end = (): Promise<unknown> => {
    process.kill('SIGTERM');
    return process;
  };
  return { client: createClient({ baseUrl: url, token }), url, token, end };
}

it('lists the evals of a folder newest first, and refuses each bad file by name', async () => {
  const cwd = folder();
  const evals = join(cwd, 'evals');
  const report = await reportOf('1');
  writeReport(evals, 'old.json', report, 1);
  writeReport(evals, 'pull request 7.json', await comparisonOf(), 3);
  writeReport(evals, 'other.JSON', await reportOf('1', '<b>bold</b>/..'), 2);

  writeFileSync(join(cwd, 'secret.json'), JSON.stringify(report));
  symlinkSync(join(cwd, 'secret.json'), join(evals, 'link.json'));
  mkdirSync(join(evals, 'folder.json'));
  execFileSync('mkfifo', [join(evals, 'pipe.json')]);
  writeReport(evals, '.hidden.json', '{', 9);
  writeReport(evals, 'notes.txt', '{', 9);
  writeReport(evals, '<img src=x>\n\u202e.json', '{', 9);
  writeReport(evals, 'bytes.json', Buffer.from([0x22, 0xff, 0x22]), 9);
  writeReport(evals, 'large.json', ' '.repeat(8_000_001), 9);
  const nested = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`) as unknown;
  writeReport(evals, 'deep.json', { ...report, rows: [{ ...report.rows[0], output: nested }] }, 9);
  writeReport(evals, 'other-json.json', { version: 1 }, 9);
  writeReport(evals, 'score.json', { ...report, rows: [{ ...report.rows[0], scores: { contains: { score: 2 } } }] }, 9);
  const [first, ...more] = report.graph?.states ?? [];
  const inItself = [{ ...first, kind: 'compound', initial: 'triage', parent: 'triage' }, ...more];
  writeReport(evals, 'graph.json', { ...report, graph: { ...report.graph, states: inItself } }, 9);

  const { client, url, token, end } = await serve(cwd, 'evals');
  const { available, evals: listed, refused } = await client.listEvals();
  expect(available).toBe(true);
  expect(listed).toMatchObject([
    { id: 'refunds', name: 'refunds', workflow: 'refunds', cases: 3, versions: 3, ok: false },
    { id: expect.stringMatching(/^e_[0-9a-f]+$/), name: '<b>bold</b>/..', versions: 1, updatedAt: Date.UTC(2026, 0, 2) },
  ]);
  expect(Object.fromEntries(refused.map(({ file, code }) => [file, code]))).toEqual({
    'link.json': 'FILE_NOT_REGULAR',
    'pipe.json': 'FILE_NOT_REGULAR',
    '<img src=x>\n\u202e.json': 'EVAL_REPORT_INVALID',
    'bytes.json': 'FILE_NOT_TEXT',
    'large.json': 'FILE_TOO_LARGE',
    'deep.json': 'EVAL_REPORT_INVALID',
    'other-json.json': 'EVAL_REPORT_INVALID',
    'score.json': 'EVAL_REPORT_INVALID',
    'graph.json': 'EVAL_REPORT_INVALID',
  });
  expect(JSON.stringify(refused)).not.toContain(cwd);
  expect((await client.getEval({ params: { id: listed[1]?.id ?? '' } })).name).toBe('<b>bold</b>/..');

  const ask = async (path: string, sent = token): Promise<number> =>
    (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${sent}` } })).status;
  expect([await ask('/api/evals', 'wrong'), await ask('/api/evals/refunds', 'wrong')]).toEqual([401, 401]);
  expect([await ask('/api/evals/unknown'), await ask('/api/evals/..%2fsecret')]).toEqual([404, 400]);
  await end();
});

it('shows versions of files and of comparisons, oldest first, and sees a changed file', async () => {
  const cwd = folder();
  const evals = join(cwd, 'evals');
  writeReport(evals, 'monday.json', await reportOf('1'), 1);
  writeReport(evals, 'tuesday.json', await comparisonOf(), 2);
  const { client, end } = await serve(cwd, evals);
  const { reports } = await client.getEval({ params: { id: 'refunds' } });
  expect(reports.map(({ label, version, compared }) => [label, version, compared?.with])).toEqual([
    ['monday', '1', undefined],
    ['main', '1', undefined],
    ['tuesday', '2', 'tuesday.json#0'],
  ]);
  expect(reports[2]?.compared?.verdicts).toEqual({
    contains: 'too few cases',
    'trajectory superset': 'too few cases',
    polite: 'too few cases',
  });
  const { graph, ...given } = await reportOf('2');
  expect(reports[2]).toMatchObject({ graph, ok: false });
  expect(reports[2]?.runs.map((run) => run.case)).toEqual(['greeting', hostileCase, 'lost parcel']);
  expect(reports[2]?.runs[1]).toMatchObject({ moves: given.rows[1]?.moves, scores: given.rows[1]?.scores });

  writeReport(evals, 'tuesday.json', { ...given, rows: given.rows.map(({ moves: _, ...row }) => row) }, 3);
  const again = await client.getEval({ params: { id: 'refunds' } });
  expect(again.reports.map(({ label, graph }) => [label, graph?.id])).toEqual([
    ['monday', 'refunds'],
    ['tuesday', undefined],
  ]);
  expect((await client.listEvals()).evals).toMatchObject([{ versions: 2, updatedAt: Date.UTC(2026, 0, 3) }]);
  for (let day = 1; day <= 9; day++) writeReport(evals, `${day}.json`, given, day + 10);
  expect((await client.getEval({ params: { id: 'refunds' } })).reports.map(({ label }) => label)).toEqual([...'23456789']);
  rmSync(evals, { recursive: true });
  await expect(client.listEvals()).rejects.toMatchObject({ status: 404, code: 'FILE_NOT_FOUND' });
  // whether there are evals is said without a look at the folder
  expect(await client.listEvals({ query: { limit: 0 } })).toEqual({ available: true, evals: [], refused: [] });
  await end();
});

it('refuses a folder that does not exist, before it listens', async () => {
  const { code, stderr } = await command(folder(), ['serve', '--port', '0', '--evals', 'nowhere']);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--evals nowhere does not exist.') });
});
