import { readFileSync } from 'node:fs';
import type { JournalEntry } from 'agent-machines';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerOf, citationsOf, sourcesOf } from '../../../src/studio/model/answer-of.ts';
import { stateLines } from '../../../src/studio/model/changed-keys.ts';
import { duration } from '../../../src/studio/model/format.ts';
import { journalTicks } from '../../../src/studio/model/journal-ticks.ts';
import { shortcutOf } from '../../../src/studio/model/keys.ts';
import { findQuote } from '../../../src/studio/model/quote-spans.ts';
import { words } from '../../../src/studio/model/words.ts';
import { tableIssues } from '../../fixtures/table-issues.ts';

const entry = (seq: number, at: number, kind: JournalEntry['kind'] = 'node', key = `a#${seq}`): JournalEntry => ({
  seq,
  at,
  kind,
  key,
  outcome: {},
  events: [],
  epoch: 1,
});

describe('journalTicks', () => {
  it('keeps the order of entries, within the line and without overlap', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100_000), { minLength: 2, maxLength: 60 }), (pauses) => {
        let at = 0;
        const ticks = journalTicks(
          pauses.map((ms, index) => {
            at += ms;
            return entry(index + 1, at);
          }),
        );
        for (const [index, { place }] of ticks.entries()) {
          expect(place).toBeGreaterThanOrEqual(0);
          expect(place).toBeLessThanOrEqual(1);
          if (index > 0) expect(place).toBeGreaterThan(ticks[index - 1]?.place ?? 0);
        }
      }),
    );
  });

  it("shows an hour's wait as at most two seconds", () => {
    const places = journalTicks([entry(1, 0), entry(2, 2_000), entry(3, 3_602_000)]).map(({ place }) => place);
    expect(places[1]).toBeCloseTo((places[2] ?? 0) / 2);
  });
});

describe('findQuote', () => {
  it.each([
    ['을이 납기를 지키지  못하면\n하루가 지날 때마다', '"못하면 하루가 지날…"', '못하면\n하루가 지날'],
    ['① 갑은 을에게 낸다.', '> ① 갑은', '① 갑은'],
  ])('finds in %j the quote %j', (text, quote, found) => {
    const span = findQuote(text, quote);
    expect(span && text.slice(span.start, span.end)).toBe(found);
  });
  it('finds neither a missing nor an empty quote', () => {
    expect(findQuote('a b', 'c')).toBeUndefined();
    expect(findQuote('a b', ' “” ')).toBeUndefined();
  });
});

describe('answerOf', () => {
  it.each([
    [{ answer: 'a', error: null }, 'a'],
    ['text', 'text'],
    [null, ''],
    [{ x: 1 }, '```json\n{\n  "x": 1\n}\n```'],
  ])('%j', (output, text) => {
    expect(answerOf(output)).toBe(text);
  });
  it('reads citations and sources of any shape', () => {
    expect(
      citationsOf({ citations: [{ label: '제5조', quote: 'q', status: 'supported' }, { label: '제9조', status: 'unknown' }, 7] }),
    ).toEqual([
      { label: '제5조', quote: 'q', supported: true },
      { label: '제9조', quote: '', supported: false },
    ]);
    expect(sourcesOf(['a.md', { source: 'b.md', text: 't' }, { contract: 'lease', label: '제3조' }, null, 3])).toEqual([
      { label: 'a.md', title: '' },
      { label: 'b.md', title: '', text: 't' },
      { label: 'lease 제3조', title: '' },
    ]);
  });
});

describe('stateLines', () => {
  it('marks new and changed values, down to the leaf', () => {
    const lines = stateLines({ a: 1, b: { c: 2, d: 3 }, e: [] }, { a: 1, b: { c: 2, d: 4 } });
    expect(lines.map(({ path, change }) => [path, change])).toEqual([
      ['a', undefined],
      ['b', 'changed'],
      ['b/c', undefined],
      ['b/d', 'changed'],
      ['e', 'added'],
    ]);
  });
});

describe('shortcutOf', () => {
  const press = { key: '', code: '', metaKey: false, ctrlKey: false, altKey: false, shiftKey: false };
  it('recognises a letter by its key, also while Hangul is typed', () => {
    expect(shortcutOf({ ...press, key: 'ㅓ', code: 'KeyJ' })).toBe('j');
    expect(shortcutOf({ ...press, key: 'K', code: 'KeyK', shiftKey: true })).toBe('⇧k');
    expect(shortcutOf({ ...press, key: 'k', code: 'KeyK', ctrlKey: true })).toBe('⌘k');
  });
});

describe('words', () => {
  it('have every text in both languages', () => {
    expect(Object.keys(words.ko).sort()).toEqual(Object.keys(words.en).sort());
    const plain = Object.entries(words.ko).filter(([, value]) => typeof value === 'string');
    for (const [key, value] of plain) expect(value, key).not.toBe('');
  });

  it('match the schema of texts, with the same keys in both languages', () => {
    const tableOf = (name: string) =>
      JSON.parse(readFileSync(new URL(`../../../src/studio/model/words/${name}.json`, import.meta.url), 'utf8'));
    const [english, korean] = [tableOf('english'), tableOf('korean')];
    const groups = ['kinds', 'marks', 'problem', 'themes', 'verdicts'] as const;
    const text = { type: 'string', minLength: 1 };
    const group = { type: 'object', additionalProperties: text };
    const schema = { type: 'object', properties: Object.fromEntries(groups.map((name) => [name, group])), additionalProperties: text };
    for (const table of [english, korean]) expect(tableIssues(table, schema)).toEqual([]);
    expect(Object.keys(korean)).toEqual(Object.keys(english));
    for (const name of groups) expect(Object.keys(korean[name])).toEqual(Object.keys(english[name]));
  });
});

describe('duration', () => {
  it.each([
    [0, '0 ms'],
    [0.4, '<1 ms'],
    [118, '118 ms'],
    [520, '0.52 s'],
    [12_400, '12 s'],
    [300_000, '5 min'],
  ])('%d ms is %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});
