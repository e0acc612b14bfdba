import { describe, expect, it } from 'vitest';
import { type Told, tell } from '../../../../../src/studio/inspector/page/client/feed.ts';
import { words } from '../../../../../src/studio/inspector/page/client/words.ts';

const run = { id: 'r', source: 'database', name: 'w', status: 'running', startedAt: 1, updatedAt: 1, seq: 0 } as const;
const before: Told = { runs: [run], contents: undefined, trouble: 'x', connected: false };

describe('tell', () => {
  it('forgets everything when a connection begins', () => {
    expect(tell(before, { name: 'hello', data: { format: 1, database: null } })).toEqual({
      runs: [],
      contents: undefined,
      trouble: '',
      connected: true,
    });
  });

  it('appends what comes of a run, and keeps it when its record changes', () => {
    const event = { type: 'custom', name: 'n', data: 1, seq: 1, at: 1 } as const;
    let told = tell(before, { name: 'run', data: { run } });
    told = tell(told, { name: 'events', data: { run: 'r', events: [event] } });
    told = tell(told, { name: 'events', data: { run: 'r', events: [{ ...event, seq: 2 }] } });
    told = tell(told, { name: 'run', data: { run: { ...run, status: 'done' } } });
    expect(told.contents).toMatchObject({ run: { status: 'done' }, events: [{ seq: 1 }, { seq: 2 }], entries: [] });
  });

  it('takes trouble back', () => {
    const told = tell(before, { name: 'trouble', data: { code: 'STORE_LOST', message: 'gone' } });
    expect([told.trouble, tell(told, { name: 'trouble', data: { code: '', message: '' } }).trouble]).toEqual(['STORE_LOST: gone', '']);
  });
});

describe('words', () => {
  it('says everything in both languages', () => {
    expect(Object.keys(words.ko)).toEqual(Object.keys(words.en));
  });
});
