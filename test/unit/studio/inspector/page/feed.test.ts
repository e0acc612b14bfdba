import { describe, expect, it } from 'vitest';
import { applyMessage, type FeedState } from '../../../../../src/studio/inspector/page/client/feed.ts';
import { words } from '../../../../../src/studio/inspector/page/client/words.ts';

const run = { id: 'r', source: 'database', name: 'w', status: 'running', startedAt: 1, updatedAt: 1, seq: 0 } as const;
const before: FeedState = { runs: [run], contents: undefined, trouble: 'x', connected: false };

describe('applyMessage', () => {
  it('clears everything when a connection begins', () => {
    expect(applyMessage(before, { name: 'hello', data: { format: 1, database: null } })).toEqual({
      runs: [],
      contents: undefined,
      trouble: '',
      connected: true,
    });
  });

  it('appends entries of a run, and keeps them when its record changes', () => {
    const event = { type: 'custom', name: 'n', data: 1, seq: 1, at: 1 } as const;
    let state = applyMessage(before, { name: 'run', data: { run } });
    state = applyMessage(state, { name: 'events', data: { run: 'r', events: [event] } });
    state = applyMessage(state, { name: 'events', data: { run: 'r', events: [{ ...event, seq: 2 }] } });
    state = applyMessage(state, { name: 'run', data: { run: { ...run, status: 'done' } } });
    expect(state.contents).toMatchObject({ run: { status: 'done' }, events: [{ seq: 1 }, { seq: 2 }], entries: [] });
  });

  it('clears a problem that is solved', () => {
    const state = applyMessage(before, { name: 'trouble', data: { code: 'STORE_LOST', message: 'gone' } });
    expect([state.trouble, applyMessage(state, { name: 'trouble', data: { code: '', message: '' } }).trouble]).toEqual([
      'STORE_LOST: gone',
      '',
    ]);
  });
});

describe('words', () => {
  it('has every text in both languages', () => {
    expect(Object.keys(words.ko)).toEqual(Object.keys(words.en));
  });
});
