import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { measuresOf } from '../../../benchmarks/retrieval/evaluate-measures.ts';
import { loadEvaluation } from '../../../benchmarks/retrieval/evaluate-questions.ts';
import { evaluateRetrieval } from '../../../benchmarks/retrieval/evaluate-retrieval.ts';

const contract = `제1조(목적) 이 계약은 물품의 공급에 관하여 정한다.

제2조(대금) 대금은 납품한 날부터 30일 이내에 지급한다.

부칙

제1조(시행일) 이 계약은 서명한 날부터 시행한다.

제2조(경과조치) 앞선 계약은 효력을 잃는다.

[별지 1] 물품의 명세
나사 100개
`;

describe('measuresOf', () => {
  it.each([
    [['a', 'b', 'c'], ['a'], { recall1: 1, hit1: 1, recall5: 1, ndcg10: 1 }],
    [['b', 'a'], ['a'], { recall1: 0, hit1: 0, recall5: 1, ndcg10: 1 / Math.log2(3) }],
    [['a', 'x', 'b'], ['a', 'b'], { recall1: 0.5, hit1: 1, recall5: 1, ndcg10: (1 + 0.5) / (1 + 1 / Math.log2(3)) }],
    [['v', 'w', 'x', 'y', 'z', 'a'], ['a'], { recall1: 0, hit1: 0, recall5: 0, ndcg10: 1 / Math.log2(7) }],
    [[], ['a'], { recall1: 0, hit1: 0, recall5: 0, ndcg10: 0 }],
  ])('measures %j when %j is relevant', (ranked, relevant, expected) => {
    expect(measuresOf(ranked, new Set(relevant))).toEqual(expected);
  });
});

describe('evaluateRetrieval', () => {
  let folder: string;
  let queries: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'evaluate-'));
    queries = join(folder, 'queries.jsonl');
    writeFileSync(join(folder, 'a.md'), contract);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });
  const ask = (...rows: unknown[]): void => writeFileSync(queries, rows.map((row) => JSON.stringify(row)).join('\n'));
  const load = () => loadEvaluation({ docs: folder, queries });

  it('finds documents with and without their ending, and articles by label, of the body first, or by id', async () => {
    ask(
      { query: '대금', document: 'a', relevant: ['제2조', '제1조'] },
      { query: '시행일', document: 'a.md', relevant: ['addenda/제2조', '별지1'] },
    );
    const evaluation = await load();
    expect(evaluation).toMatchObject({ problems: [], articles: 5 });
    expect(evaluation.questions.map(({ relevant }) => [...relevant])).toEqual([
      ['body/제2조', 'body/제1조'],
      ['addenda/제2조', 'exhibit/별지 1'],
    ]);
  });

  it('finds the articles with the evidence, and omits questions without any', async () => {
    ask(
      { query: '대금', document: 'a', evidence: ['대금은  납품한 날부터\n30일 이내에'] },
      { query: '중재', document: 'a', evidence: [] },
      { query: '이자', document: 'a', evidence: ['연 5퍼센트의 이자'] },
    );
    const evaluation = await load();
    expect(evaluation.questions.map(({ query, relevant }) => [query, ...relevant])).toEqual([['대금', 'body/제2조']]);
    expect(evaluation.problems).toEqual([expect.stringContaining(`${queries}:3: "a" contains none of the evidence`)]);
  });

  it('reports every problem, measures the rest, and counts a missing label as not found', async () => {
    writeFileSync(
      queries,
      [
        '{"query": "대금", "document": "a", "relevant": ["제2조", "제9조"]}',
        'oops',
        '{"query": "x", "document": "b", "relevant": ["제1조"]}',
      ].join('\n'),
    );
    const error = vi.spyOn(console, 'error').mockImplementation(() => {});
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    await expect(evaluateRetrieval(['--docs', folder, '--queries', queries, '--json'])).resolves.toBe(1);
    const reported = error.mock.calls.join('\n');
    expect(reported).toContain(`${queries}:1: "a" has no 제9조`);
    expect(reported).toContain(`${queries}:2`);
    expect(reported).toContain('document "b"');
    const { questions, configurations } = JSON.parse(String(log.mock.calls[0]?.[0]));
    expect([questions, configurations.at(-1).recall5]).toEqual([1, 0.5]);
  });

  it('reports a name of two files', async () => {
    writeFileSync(join(folder, 'a.txt'), contract);
    ask({ query: '대금', document: 'a', relevant: ['제2조'] });
    await expect(load()).resolves.toMatchObject({ questions: [], problems: [expect.stringContaining('a.md or a.txt')] });
    ask({ query: '대금', document: 'a.txt', relevant: ['제2조'] });
    await expect(load()).resolves.toMatchObject({ problems: [] });
  });

  it.each([
    ['no questions', () => writeFileSync(queries, '')],
    ['a question without an answer', () => ask({ query: '대금', document: 'a', relevant: [] })],
    ['no file', () => rmSync(queries, { force: true })],
  ])('reports %s', async (_, prepare) => {
    prepare();
    await expect(load()).resolves.toMatchObject({ questions: [], problems: [expect.any(String)] });
  });

  it('prints every configuration as JSON, baseline and default marked', async () => {
    ask({ query: '돈은 언제 줘?', document: 'a', relevant: ['제2조'] }, { query: '대금', document: 'a', relevant: ['제2조'] });
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    await expect(evaluateRetrieval(['--docs', folder, '--queries', queries, '--json'])).resolves.toBe(0);
    const { questions, configurations } = JSON.parse(String(log.mock.calls[0]?.[0]));
    expect(questions).toBe(2);
    expect(configurations.map(({ role }: { role?: string }) => role).filter(Boolean)).toEqual(['baseline', 'default']);
    expect(configurations[0]).toMatchObject({ recall1: 0.5, ndcg10: 0.5 });
    expect(configurations.at(-1)).toMatchObject({ recall1: 1, recall5: 1, hit1: 1, ndcg10: 1, documents: [{ name: 'a.md' }] });
  });

  it('rejects unknown options', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    await expect(evaluateRetrieval(['--nonsense'])).resolves.toBe(2);
  });
});
