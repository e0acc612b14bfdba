import { readdirSync, readFileSync } from 'node:fs';
import type { Json, JsonObject } from 'agent-machines';
import { bm25Retriever } from 'agent-machines/search';
import { type SummarizeOptions, searchDocuments, summarize } from 'agent-machines/tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { plainInputOf } from '../../../fixtures/plain-input.ts';

const context = { signal: new AbortController().signal, idempotencyKey: 'call-1', attempt: 1 };

const summarySchema = z.strictObject({
  sentences: z.array(z.strictObject({ text: z.string(), source: z.string().optional(), heading: z.string().optional() })),
  from: z.int(),
});

const summaryOf = async (args: JsonObject, options: SummarizeOptions = {}): Promise<z.infer<typeof summarySchema>> =>
  summarySchema.parse(await summarize(options).execute(args, context));

const textsOf = async (args: JsonObject, options: SummarizeOptions = {}): Promise<string[]> =>
  (await summaryOf(args, options)).sentences.map(({ text }) => text);

const story = [
  'The journal records the outcome of every node.',
  'Cats sleep most of the day in warm places.',
  'After a crash the journal answers every node whose outcome it records.',
  'The weather was mild last week.',
  'A node whose outcome is missing from the journal starts again.',
];

describe('summarize', () => {
  it('quotes the sentences with the most shared words, in their order', async () => {
    await expect(textsOf({ text: story.join(' '), maxSentences: 3 })).resolves.toEqual([story[0], story[2], story[4]]);
  });

  it('prefers sentences about the focus', async () => {
    await expect(textsOf({ text: story.join(' '), maxSentences: 1, focus: 'where do cats sleep?' })).resolves.toEqual([story[1]]);
    const korean = '실행은 도구를 부른다. 도구는 결과를 돌려준다. 체크포인트는 항목마다 기록된다. 결과는 도구가 만든다.';
    await expect(textsOf({ text: korean, maxSentences: 1, focus: '체크포인트를 요약해줘' })).resolves.toEqual([
      '체크포인트는 항목마다 기록된다.',
    ]);
  });

  it('counts the considered sentences', async () => {
    await expect(summaryOf({ text: story.join(' ') })).resolves.toMatchObject({ from: 5 });
  });

  it('quotes four sentences, or the number of its options or the call', async () => {
    const text = story.join(' ');
    await expect(textsOf({ text })).resolves.toHaveLength(4);
    await expect(textsOf({ text }, { maxSentences: 2 })).resolves.toHaveLength(2);
    await expect(textsOf({ text, maxSentences: 1 }, { maxSentences: 2 })).resolves.toHaveLength(1);
  });

  it('quotes a repeated sentence once', async () => {
    const text = 'The journal records every outcome of a node. The journal records every outcome of one node. Limits hold a run back.';
    await expect(textsOf({ text })).resolves.toEqual(['The journal records every outcome of a node.', 'Limits hold a run back.']);
  });

  it('reads the passages of search_documents, with its query as the focus', async () => {
    const passages = [
      { source: 'docs/a.md', heading: 'A', text: 'A plan may be rejected. It has at most twenty steps.', score: 2 },
      { source: 'docs/b.md', heading: '', text: 'Every crash is survived by what the journal holds.', score: 1 },
    ];
    await expect(summaryOf({ text: { query: 'crash', passages }, maxSentences: 1 })).resolves.toEqual({
      sentences: [{ text: 'Every crash is survived by what the journal holds.', source: 'docs/b.md' }],
      from: 3,
    });
    await expect(summaryOf({ text: { query: 'crash', passages }, maxSentences: 1, focus: 'twenty steps' })).resolves.toMatchObject({
      sentences: [{ text: 'It has at most twenty steps.', source: 'docs/a.md', heading: 'A' }],
    });
  });

  it('reads the results of web_search and search_wikipedia', async () => {
    const results: JsonObject[] = [
      { title: 'One', url: 'https://a.example/1', content: 'The first page says this.' },
      { title: 'Two', url: 'https://a.example/2', extract: 'The second page tells that.' },
    ];
    await expect(summaryOf({ text: { query: 'q', results } })).resolves.toEqual({
      sentences: [
        { text: 'The first page says this.', source: 'https://a.example/1', heading: 'One' },
        { text: 'The second page tells that.', source: 'https://a.example/2', heading: 'Two' },
      ],
      from: 2,
    });
  });

  it('reads the result of read_file, and names the headings in it', async () => {
    const text = '# Title\nThe first text is here.\n## Part\nThe second one stands there.';
    await expect(summaryOf({ text: { path: 'docs/a.md', text } })).resolves.toEqual({
      sentences: [
        { text: 'The first text is here.', source: 'docs/a.md', heading: 'Title' },
        { text: 'The second one stands there.', source: 'docs/a.md', heading: 'Part' },
      ],
      from: 2,
    });
  });

  it('reads the strings of any other object or list', async () => {
    const text = { n: 1, ok: true, none: null, deep: [{ note: 'This is said deep inside.' }, 'And this one in a list.'] };
    const texts = ['This is said deep inside.', 'And this one in a list.'];
    await expect(textsOf({ text })).resolves.toEqual(texts);
    await expect(textsOf({ text: [text] })).resolves.toEqual(texts);
  });

  it('quotes no code, heading or single word if there are sentences', async () => {
    const text = '# A heading of five words\n\n| yes | no |\n|---|---|\n\n```\nconst code = is.not(quoted);\n```\nOnly this is a sentence.';
    await expect(textsOf({ text })).resolves.toEqual(['Only this is a sentence.']);
  });

  it('quotes short pieces, then headings, if there are no sentences', async () => {
    await expect(textsOf({ text: '42' })).resolves.toEqual(['42']);
    await expect(textsOf({ text: '# A heading' })).resolves.toEqual(['A heading']);
  });

  it('finds nothing in a text without words', async () => {
    const texts: Json[] = ['', ' \n', '---', {}, [], { query: 'q', passages: [] }, { path: 'docs/one/two.md', text: '' }];
    for (const text of texts) {
      await expect(summaryOf({ text })).resolves.toEqual({ sentences: [], from: 0 });
    }
  });

  it('cuts an endless sentence', async () => {
    const [text = ''] = await textsOf({ text: 'word '.repeat(1_000) });
    expect(text).toBe('word '.repeat(120).trim());
  });

  it('answers from the fixtures with the requested sentence', async () => {
    const folder = new URL('../../../fixtures/docs/', import.meta.url);
    const documents = readdirSync(folder).map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }));
    const search = searchDocuments({ retriever: bm25Retriever(documents) });
    const text = await search.execute({ query: '이 저장소의 문서에서 체크포인트를 찾아 요약해줘' }, context);
    const { sentences } = await summaryOf({ text });
    expect(sentences).toContainEqual({
      text: '체크포인트는 따로 저장하지 않는다.',
      source: 'journal.md',
      heading: 'The journal › 체크포인트',
    });
  });

  it('quotes verbatim, within the limit, the same each time', async () => {
    const words = fc.constantFrom(
      '저장한다.',
      '체크포인트',
      'Yes.',
      'journal',
      'e.g.',
      '\n',
      '\n- ',
      '# A\n',
      '| a |',
      '```',
      '> q',
      '!',
      '\r\n\r\n',
      'run',
    );
    const string = fc.array(words, { maxLength: 40 }).map((all) => all.join(' '));
    const value = fc.oneof(
      string,
      fc.record({ query: string, passages: fc.array(fc.record({ source: string, heading: string, text: string }), { maxLength: 4 }) }),
      fc.record({ results: fc.array(fc.record({ title: string, url: string, content: string }), { maxLength: 4 }) }),
      fc.dictionary(fc.string(), fc.oneof(string, fc.array(string, { maxLength: 3 }))),
    );
    await fc.assert(
      fc.asyncProperty(value, fc.integer({ min: 1, max: 10 }), string, async (text, maxSentences, focus) => {
        const summary = await summaryOf({ text, maxSentences, focus });
        expect(summary.sentences.length).toBeLessThanOrEqual(Math.min(maxSentences, summary.from));
        const inside = stringsIn(text);
        for (const sentence of summary.sentences) expect(inside.some((string) => string.includes(sentence.text))).toBe(true);
        await expect(summaryOf({ text, maxSentences, focus })).resolves.toEqual(summary);
      }),
    );
  });

  it('declares its effect, capabilities and primary input', async () => {
    expect(summarize()).toMatchObject({
      name: 'summarize',
      effect: 'pure',
      capabilities: { private: false, untrusted: false, external: false },
    });
    expect(await plainInputOf(summarize())).toEqual({ text: 'x' });
  });

  it.each<JsonObject>([
    {},
    { text: null },
    { text: 5 },
    { text: 'x', maxSentences: 0 },
    { text: 'x', maxSentences: 11 },
    { text: 'x', other: 1 },
  ])('refuses the arguments %j', async (args) => {
    await expect(summarize().execute(args, context)).rejects.toMatchObject({ code: 'TOOL_INPUT_INVALID' });
  });

  it.each([0, 11, 1.5, Number.NaN])('refuses the option maxSentences %d', (maxSentences) => {
    expect(() => summarize({ maxSentences })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });

  it('fails with the reason of an aborted call', async () => {
    const reason = new Error('enough');
    const call = summarize().execute({ text: 'x' }, { ...context, signal: AbortSignal.abort(reason) });
    await expect(call).rejects.toBe(reason);
  });
});

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
