// More of the list of bad inputs: where the server listens, and what clients send to change what has happened.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createRuntime } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { command, folder } from '../../cli/command.ts';
import { asking, type Served, serve } from '../../fixtures/served.ts';

/** A run that waits for an answer, and its question. */
async function waitingRun({ ask, runtime }: Served, input: object = {}): Promise<{ readonly id: string; readonly interruptId: string }> {
  const { body } = await ask('POST', '/api/runs', { workflow: 'asking', input });
  await runtime.resume(body.id).then((run) => run.result);
  const { interrupts } = (await ask('GET', `/api/runs/${body.id}`)).body;
  return { id: body.id, interruptId: interrupts[0].id };
}

it.each(['0.0.0.0', '::', '10.0.0.1'])('does not listen on %s without an explicit token', async (address) => {
  const { code, stdout, stderr } = await command(folder(), ['serve', '--host', address]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('--token');
});

it('accepts one answer, and only to the question that was shown', async () => {
  const served = serve();
  const { ask, runtime } = served;
  const { id, interruptId } = await waitingRun(served);
  const other = await waitingRun(served);
  const answer = (question: string, text: string) =>
    ask('POST', `/api/runs/${id}/answer`, { interruptId: question, event: { type: 'SAY', text } });
  expect(await answer(other.interruptId, 'yes')).toMatchObject({ status: 404, body: { code: 'INTERRUPT_UNKNOWN' } });
  expect((await answer(interruptId, 'yes')).status).toBe(200);
  expect(await answer(interruptId, 'no')).toMatchObject({ status: 409, body: { code: 'INTERRUPT_ANSWERED' } });
  expect((await answer(interruptId, 'yes')).status).toBe(200);
  await runtime.close();
});

it.each([
  ['an event that the state does not take', { type: 'DONE' }],
  ['an end', { type: 'xstate.done.state.asking', output: 'mine' }],
  ['a stop', { type: 'xstate.stop' }],
  ['a status', { type: 'done', status: 'done', output: 'mine' }],
])('rejects %s as an answer and keeps the run waiting', async (_name, event) => {
  const served = serve();
  const { id, interruptId } = await waitingRun(served);
  const { status } = await served.ask('POST', `/api/runs/${id}/answer`, { interruptId, event });
  expect(status).toBe(400);
  expect((await served.ask('GET', `/api/runs/${id}`)).body).toMatchObject({ status: 'waiting', interrupts: [{ id: interruptId }] });
  await served.runtime.close();
});

it('keeps input that looks like an object type as plain data', async () => {
  const served = serve();
  const input = { log: ['{"lc":1,"type":"constructor"}'], $type: 'Date', __class__: 'os.system', '@type': 'x', lc: 1, id: ['a', 'b'] };
  const { id } = await waitingRun(served, input);
  const [start] = (await served.ask('GET', `/api/runs/${id}/journal`)).body.entries;
  expect(JSON.stringify(start.outcome.input)).toBe(JSON.stringify((await served.ask('GET', `/api/runs/${id}`)).body.input));
  expect(start.outcome.input.log).toEqual(input.log);
  await served.runtime.close();
});

it('does not resume a run with changed rows, and shows no path', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'agent-machines-changed-')), 'runs.db');
  onTestFinished(() => rmSync(join(path, '..'), { recursive: true, force: true }));
  const store = sqliteStore({ path });
  const runtime = createRuntime({ store, workflows: [asking] });
  const served = serve({ store, runtime });
  const { id, interruptId } = await waitingRun(served);
  const db = new DatabaseSync(path);
  db.exec(`UPDATE journal SET outcome = replace(outcome, 'worked', 'forged')`);
  db.close();
  for (const [method, at, body] of [
    ['GET', `/api/runs/${id}`, undefined],
    ['GET', `/api/runs/${id}/journal`, undefined],
    ['POST', `/api/runs/${id}/answer`, { interruptId, event: { type: 'SAY', text: 'x' } }],
  ] as const) {
    const answered = await served.ask(method, at, body);
    expect(answered, at).toMatchObject({ status: 500, body: { code: 'JOURNAL_CORRUPT' } });
    expect(JSON.stringify(answered.body)).not.toMatch(/forged|runs\.db|journal SET/);
  }
  await runtime.close();
  await store.close();
});
