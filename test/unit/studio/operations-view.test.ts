import { fleetStates } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { actionsOf, age, countsOf, isSameList, moment } from '../../../src/studio/model/operations-view.ts';

describe('countsOf', () => {
  it('sums the runs of all workflows by state, whatever their names contain', () => {
    const hostile = 'a\\"} 99\\nagent_machines_runs{workflow=\\"x\\",status=\\"failed\\"} 7';
    const lines = [
      ['a', 'failed', 3],
      [hostile, 'failed', 4],
      ['b', 'in_doubt', 5],
      ['b', 'done', 0],
    ].map(([workflow, state, count]) => `agent_machines_runs{workflow="${workflow}",status="${state}"} ${count}\n`);
    expect(Object.fromEntries(countsOf(lines.join('')))).toEqual({ failed: 7, in_doubt: 5, done: 0 });
  });

  it('is empty when the server has not counted the runs', () => {
    expect(countsOf('').size).toBe(0);
    expect(countsOf('# HELP agent_machines_runs Runs.\nagent_machines_runs_started_total{workflow="a"} 2').size).toBe(0);
  });
});

describe('actionsOf', () => {
  it('retries failed runs, releases parked ones, and leaves ended runs and runs in doubt alone', () => {
    const of = Object.fromEntries(fleetStates.map((state) => [state, actionsOf(state)]));
    expect(of).toMatchObject({ failed: ['retry', 'cancel'], parked: ['release', 'cancel'], in_doubt: [], done: [], cancelled: [] });
    for (const state of ['queued', 'running', 'waiting', 'sleeping', 'paused'] as const) expect(of[state]).toEqual(['cancel']);
  });
});

it('compares lists of runs by their order too', () => {
  expect(isSameList(['a', 'b'], ['a', 'b'])).toBe(true);
  expect(isSameList([], [])).toBe(true);
  for (const other of [['a'], ['b', 'a'], ['a', 'b', 'c']]) expect(isSameList(['a', 'b'], other)).toBe(false);
});

it('formats an age with its largest unit, in both languages', () => {
  const hour = 3_600_000;
  expect([-5, 59_999, 60_000, hour - 1, hour, 24 * hour, 400 * 24 * hour].map((ms) => age(ms, 'en'))).toEqual([
    '0 sec',
    '59 sec',
    '1 min',
    '59 min',
    '1 hr',
    '1 day',
    '400 days',
  ]);
  expect(age(2 * hour, 'ko')).toBe('2시간');
});

it('adds the date to the time of another day', () => {
  const noon = new Date(2026, 10, 3, 12, 5).getTime();
  expect(moment(noon, noon, 'en')).toBe('12:05');
  expect(moment(noon, noon + 24 * 3_600_000, 'en')).toBe('3 Nov 12:05');
});
