import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contractFormats, loadContract } from 'agent-machines/contracts/node';
import { loadDocument } from 'agent-machines/documents';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'contract-json-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function load(name: string, content: string): Promise<{ readonly name: string; readonly text: string }> {
  await writeFile(join(folder, name), content);
  return loadDocument(join(folder, name), { formats: contractFormats });
}

describe('contracts in JSON', () => {
  it('are read by their extension, with formats for contracts', async () => {
    expect((await load('a.json', '[{"label":"제1조","title":"목적","text":"글"}]')).text).toBe('제1조 (목적)\n글');
  });

  const textOf = async (value: unknown): Promise<string> => (await load('a.json', JSON.stringify(value))).text;

  it('accept the output of `articles --json`', async () => {
    const list = [
      { label: '제1조', part: 'body', title: '목적', deleted: false, text: '① 글' },
      { label: '제2조', part: 'body', title: '', deleted: true, text: '' },
      { label: '제3조', part: 'body', title: '', deleted: true, text: '삭제 <2020. 1. 1.>' },
      { label: '제1조', part: 'addenda', title: '시행일', deleted: false, text: '오늘' },
      { label: '별지 1', part: 'exhibit', title: '서식', deleted: false, text: '글' },
    ];
    expect(await textOf(list)).toBe(
      '제1조 (목적)\n① 글\n\n제2조 삭제\n\n제3조 삭제 <2020. 1. 1.>\n\n부칙\n\n제1조 (시행일)\n오늘\n\n별지 1 (서식)\n글',
    );
  });

  it('accept addenda that start again, like those of a statute', async () => {
    const addenda = ['제1조', '제2조', '제1조'].map((label) => ({ label, part: 'addenda', title: '', deleted: false, text: '글' }));
    expect(await textOf(addenda)).toBe('부칙\n\n제1조\n글\n\n제2조\n글\n\n부칙\n\n제1조\n글');
  });

  it.each([{ label: '제5조' }, { number: 5 }, { number: '5' }, { 조: 5 }, { 조: '제5조' }])(
    'accept labels in several forms: %j',
    async (label) => {
      expect(await textOf({ articles: [{ ...label, title: '기간', content: '1년' }] })).toBe('제5조 (기간)\n1년');
    },
  );

  it('accept a title and paragraphs', async () => {
    const paragraphs = ['① 하나', { label: '②', text: '둘' }];
    expect(await textOf({ title: '임대차계약서', articles: [{ label: '제10조의2', title: '기간', paragraphs }] })).toBe(
      '임대차계약서\n\n제10조의2 (기간)\n① 하나\n② 둘',
    );
  });

  it.each([
    { a: 1 },
    { articles: 'none' },
    [1],
    [{ title: 'no label', text: '' }],
    [{ label: '' }],
    [{ label: 'a\nb', text: 'c' }],
    [{ number: 0, text: 'a' }],
    [{ label: '제1조' }],
    [{ label: '제1조', text: 5 }],
    [{ label: '제1조', paragraphs: [5] }],
    [{ label: '제1조', text: 'a', part: 'other' }],
    [{ label: '제1조', text: 'a', deleted: 'no' }],
  ])('are refused in another form, with a hint about the supported forms: %j', async (value) => {
    await expect(textOf(value)).rejects.toMatchObject({ code: 'DOCUMENT_INVALID', hint: expect.stringContaining('articles --json') });
  });

  it('are refused if they are not JSON', async () => {
    await expect(load('a.json', '{"a":')).rejects.toMatchObject({ code: 'DOCUMENT_INVALID', message: '"a.json" is not JSON.' });
  });
});

describe('loadContract', () => {
  it('parses the contract of a file', async () => {
    const path = join(folder, 'lease.json');
    await writeFile(path, JSON.stringify({ title: '임대차계약서', articles: [{ number: 1, title: '목적', text: '글' }] }));
    const contract = await loadContract(path);
    expect(contract.name).toBe('lease.json');
    expect(contract.title).toBe('임대차계약서');
    expect(contract.articles.map(({ id, title, text }) => ({ id, title, text }))).toEqual([
      { id: 'body/제1조', title: '목적', text: '글' },
    ]);
  });
});
