import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command, folder } from './command.ts';

const contract =
  '# 임대차 계약서\n\n제1장 총칙\n제1조 (목적)\n이 계약은 방을 빌리는 일을 정한다.\n제2조 (차임) 제9조에 따라 낸다.\n제2조의2 삭제 <2026. 1. 1.>\n부칙\n제1조(시행일) 오늘부터다.\n[별지 1] 도면\n그림\u001b[31m이다.\n';

function withContract(): string {
  const cwd = folder();
  writeFileSync(join(cwd, 'lease.md'), contract);
  return cwd;
}

describe('agent-machines articles', () => {
  it('lists the articles as a table, and warnings on standard error', async () => {
    const { code, stdout, stderr } = await command(withContract(), ['articles', 'lease.md']);
    expect([code, stderr]).toEqual([0, '! REFERENCE_BROKEN: 제2조 cites 제9조, which does not exist.\n']);
    expect(stdout.split('\n').map((line) => line.replace(/ {2,}/g, ' | '))).toEqual([
      '임대차 계약서: 5 articles',
      'LABEL | PART | TITLE | CHAPTER | TEXT',
      '제1조 | body | 목적 | 제1장 총칙 | 이 계약은 방을 빌리는 일을 정한다.',
      '제2조 | body | 차임 | 제1장 총칙 | 제9조에 따라 낸다.',
      '제2조의2 | body | (deleted) | 제1장 총칙 | 삭제 <2026. 1. 1.>',
      '제1조 | addenda | 시행일 | 부칙 | 오늘부터다.',
      '별지 1 | exhibit | 도면 | 그림\\u{1b}[31m이다.',
      '',
    ]);
  });

  it('prints only one JSON array with --json', async () => {
    const { code, stdout, stderr } = await command(withContract(), ['articles', 'lease.md', '--json']);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual([
      { label: '제1조', part: 'body', title: '목적', deleted: false, text: '이 계약은 방을 빌리는 일을 정한다.' },
      { label: '제2조', part: 'body', title: '차임', deleted: false, text: '제9조에 따라 낸다.' },
      { label: '제2조의2', part: 'body', title: '', deleted: true, text: '삭제 <2026. 1. 1.>' },
      { label: '제1조', part: 'addenda', title: '시행일', deleted: false, text: '오늘부터다.' },
      { label: '별지 1', part: 'exhibit', title: '도면', deleted: false, text: '그림\u001b[31m이다.' },
    ]);
  });

  it('reports an unrecognised structure, and lists paragraphs', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'letter.txt'), 'Dear Sir,\n\nwe agree to deliver the goods.\n');
    const { code, stdout, stderr } = await command(cwd, ['articles', 'letter.txt']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('! NO_ARTICLES: No article found')]);
    expect(stdout).toContain('1 paragraph, no articles: its structure was not read\n');
    const json = await command(cwd, ['articles', 'letter.txt', '--json']);
    expect(json.stderr).toContain('NO_ARTICLES');
    expect(JSON.parse(json.stdout)).toEqual([
      { label: 'Paragraph 1', part: 'paragraph', title: '', deleted: false, text: 'Dear Sir,\n\nwe agree to deliver the goods.' },
    ]);
    writeFileSync(join(cwd, 'letter.json'), json.stdout);
    expect((await command(cwd, ['articles', 'letter.json', '--json'])).stdout).toBe(json.stdout);
  });

  it('fails when the file does not exist', async () => {
    const { code, stdout, stderr } = await command(folder(), ['articles', 'none.md']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('FILE_NOT_FOUND');
  });
});
