// Two servers on one database: what one of them drives the other tells, and goes on with when that is killed.
import { expect, it } from 'vitest';
import { type Command, folder, ownProcess } from '../../cli/command.ts';
import { token } from '../../fixtures/served.ts';

const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

async function serving(cwd: string): Promise<{ readonly process: Command; readonly url: string }> {
  const process = ownProcess(cwd, ['serve', '--json', '--db', 'runs.db', '--token', token]);
  await process.sees('"url":"http://127.0.0.1:');
  return { process, url: (JSON.parse(await process.firstLine()) as { url: string }).url };
}

const start = async (url: string): Promise<string> => {
  const body = JSON.stringify({ workflow: 'plan-execute', input: { input: '123 * 456' } });
  const response = await fetch(`${url}/api/runs`, { method: 'POST', headers, body });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: string }).id;
};

/** All events of a run, to its end: `follow` stays however often its driver changes. */
const eventsOf = async (url: string, id: string): Promise<string> =>
  (await fetch(`${url}/api/runs/${id}/events?follow=true`, { headers })).text();

it('streams a run of another process and resumes it when that process is killed', async () => {
  const cwd = folder();
  const [one, other] = [await serving(cwd), await serving(cwd)];
  try {
    const id = await start(one.url);
    const [here, there] = await Promise.all([eventsOf(one.url, id), eventsOf(other.url, id)]);
    const stored = (text: string): readonly string[] => text.match(/^id: \d+\.\d+$/gm) ?? []; // live ones reach only readers of the process that drives the run
    expect(stored(there).length).toBeGreaterThan(3);
    expect(stored(there)).toEqual(stored(here));
    const left = await start(one.url);
    one.process.kill('SIGKILL');
    const told = await eventsOf(other.url, left);
    expect(told).toContain('event: run-end');
    const run = await fetch(`${other.url}/api/runs/${left}`, { headers });
    expect(await run.text()).toMatch(/"status":"done".*56,?088/s);
  } finally {
    one.process.kill('SIGKILL');
    other.process.kill('SIGTERM');
    await Promise.all([one.process, other.process]);
  }
});
