import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { table, wrap } from '../../../src/cli/terminal.ts';

const word = fc.oneof(
  fc.stringMatching(/^[a-z0-9_.,:-]{1,30}$/),
  fc.constantFrom('계산해줘', '지체상금은', '(leave-policy.md', '👨‍👩‍👧', '체크포인트를찾아요약해줘아주긴낱말이다'),
);
const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(' '));

describe('a narrow terminal', () => {
  it('shows every word of a text on lines that fit', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 12, max: 120 }), fc.constantFrom(0, 2, 6), (said, columns, indent) => {
        const lines = wrap(said, columns, indent);
        for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(Math.max(columns, 8 + indent));
        expect(lines.join('').replace(/ /g, '')).toBe(said.replace(/ /g, ''));
        if (stringWidth(said) <= columns) expect(lines).toEqual([said.trimEnd()]);
      }),
      { numRuns: 500 },
    );
  });

  it('shows every row of a table on lines that fit', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(word, word, word, text), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 12, max: 120 }),
        (rows, columns) => {
          const lines = table([['A', 'B', 'C', 'D'], ...rows], columns).split('\n');
          for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
          for (const [first] of rows) expect(lines.some((line) => line.startsWith([...first].slice(0, 3).join('')))).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('shows every last cell of a table in full when cutting is off', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(word, text), { minLength: 1, maxLength: 5 }), fc.integer({ min: 12, max: 120 }), (rows, columns) => {
        const shown = table([['A', 'B'], ...rows], columns, 'wrap');
        for (const line of shown.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
        for (const [, last] of rows) expect(shown.replace(/\s/g, '')).toContain(last.replace(/ /g, ''));
      }),
      { numRuns: 500 },
    );
  });

  it('wraps a long last cell below its header', () => {
    const rows = [
      ['USABLE', 'TOOL', 'WHY NOT'],
      ['no', 'search_wikipedia', 'Network access is off. Allow it with --allow-net.'],
    ];
    expect(table(rows, 60, 'wrap')).toBe(
      [
        'USABLE  TOOL              WHY NOT',
        'no      search_wikipedia  Network access is off. Allow it',
        '                          with --allow-net.',
      ].join('\n'),
    );
  });

  it('keeps leading and inner spaces', () => {
    expect(wrap('  ✗ planner                IT_FAILED: 왜 그런지 알 수 없다', 40, 6)).toEqual([
      '  ✗ planner                IT_FAILED: 왜',
      '      그런지 알 수 없다',
    ]);
  });

  it('shows the runs of a conversation below each other', () => {
    const rows = [
      ['RUN', 'STATUS', 'WORKFLOW', 'QUESTION'],
      ['r_E91XR2WW4NSD', 'done', 'plan_execute', '이 저장소의 문서에서 journal을 찾아 요약해줘'],
    ];
    expect(table(rows, 40)).toBe('r_E91XR2WW4NSD  done  plan_execute\n  이 저장소의 문서에서 journal을 찾아 …');
  });
});
