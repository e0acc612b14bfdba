import { expect, it } from 'vitest';
import { chipsOf } from '../../../src/studio/model/chips-of.ts';

const cited = (label: string, quote = '', status = 'supported') => ({ label, quote, status });
const shown = (citations: unknown, sources?: unknown) =>
  chipsOf(JSON.parse(JSON.stringify({ answer: 'x', citations })), sources as never).map(
    ({ label, quote, supported }) => `${label}|${quote}${supported ? '' : '|no'}`,
  );

it.each([
  [
    'shows quotes before names, in their order',
    [cited('Art 9'), cited('Art 1', 'a'), cited('Art 1', 'b')],
    [],
    ['Art 1|a', 'Art 1|b', 'Art 9|'],
  ],
  ['omits a source that is quoted', [cited('Art 1'), cited('Art 1', 'a')], ['Art 1', 'Art 2'], ['Art 1|a', 'Art 2|']],
  ['names each source once', [cited('Art 1'), cited('Art 1')], ['Art 1', 'Art 2', 'Art 2'], ['Art 1|', 'Art 2|']],
  ['gives a quote without a label to the article before it', [cited('Art 1', 'a'), cited('', 'b')], [], ['Art 1|a', 'Art 1|b']],
  ['keeps unconfirmed citations', [cited('Art 99', '', 'missing'), cited('Art 1', 'a', 'changed')], [], ['Art 1|a|no', 'Art 99||no']],
  ['ignores empty citations', [cited('', ''), { label: 7 }, null], [{}], []],
  ['is empty without citations and sources', undefined, undefined, []],
] as const)('%s', (_, citations, sources, expected) => {
  expect(shown(citations, sources)).toEqual(expected);
});
