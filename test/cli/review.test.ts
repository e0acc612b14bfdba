import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startOpenaiServer } from '../fixtures/openai-server.ts';
import { command, folder } from './command.ts';

const lease = `# 상가 임대차계약서

임대인 한솔(이하 "임대인"이라 한다)과 임차인 이루다(이하 "임차인"이라 한다)는 다음과 같이 계약한다.

제1조(차임) 임차인은 매월 5일에 차임 700,000원을 지급하여야 한다.
제2조(기간) 임대차 기간은 2026년 4월 1일부터 2028년 3월 31일까지로 한다.
제3조(갱신) 임차인이 임대차 기간 만료 2개월 전까지 알리지 않으면 계약은 자동으로 갱신된다.
제4조(보증금) 임차인이 먼저 나가면 보증금은 임대인에게 귀속한다.\u001b[31m
`;

function withLease(): string {
  const cwd = folder();
  writeFileSync(join(cwd, 'lease.md'), lease);
  writeFileSync(join(cwd, 'standard.md'), lease.replace('700,000원', '500,000원'));
  writeFileSync(join(cwd, 'empty.md'), '');
  writeFileSync(join(cwd, 'recipe.md'), 'Bake the bread.\n\nEat it warm.\n');
  return cwd;
}

describe('agent-machines review', () => {
  it('prints clauses with their passages, dates, money and what is absent, for one party', async () => {
    const { code, stdout, stderr } = await command(withLease(), ['review', 'lease.md', '--as', '임차인', '--today', '2028-02-01']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('임대차계약 · 임차인 입장 · 규칙으로만 검토함: 설정된 모델이 없음');
    expect(stdout).toContain('  ! 돌려주지 않는 보증금·계약금 · 제4조 · 임차인에게 부담 · 나에게 불리 · 확실\n    “임차인이 먼저 나가면');
    expect(stdout).toContain('\\u{1b}[31m');
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toContain('  2028-01-31 (지남)  임차인: ');
    expect(stdout).toContain('  700,000원  ');
    expect(stdout).toContain('  – 수선·수리\n');
  });

  it('writes a calendar file', async () => {
    const cwd = withLease();
    const { code } = await command(cwd, ['review', 'lease.md', '--ics', 'lease.ics']);
    expect(code).toBe(0);
    expect(readFileSync(join(cwd, 'lease.ics'), 'utf8').match(/DTSTART;VALUE=DATE:\d+/g)).toEqual([
      'DTSTART;VALUE=DATE:20260401',
      'DTSTART;VALUE=DATE:20280131',
      'DTSTART;VALUE=DATE:20280331',
    ]);
  });

  it('prints one line of JSON for each contract, in the chosen language and with a standard', async () => {
    const words = ['review', 'lease.md', 'standard.md', '--json', '--standard', 'standard.md', '--language', 'en'];
    const { code, stdout } = await command(withLease(), words);
    expect(code).toBe(0);
    const [first, second] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first).toMatchObject({
      type: 'lease',
      language: 'en',
      differences: [{ what: 'amount', standard: '500,000원', user: '700,000원' }],
    });
    expect(second.differences).toEqual([]);
  });

  it.each([
    [['no-file.md'], 'FILE_NOT_FOUND', 'no-file.md'],
    [['empty.md'], 'DOCUMENT_INVALID', 'has no text'],
    [['recipe.md'], 'DOCUMENT_INVALID', 'names no parties'],
    [['lease.md', '--as', '고객'], 'INPUT_INVALID', '"임대인" (한솔), "임차인" (이루다)'],
    [['lease.md', '--today', 'soon'], 'INPUT_INVALID', '"soon" is no date'],
    [['lease.md', 'recipe.md'], 'DOCUMENT_INVALID', 'names no parties'],
  ])('ends with 2 and prints no report for %j', async (words, errorCode, message) => {
    const cwd = withLease();
    const { code, stdout, stderr } = await command(
      cwd,
      ['review', ...words, '--ics', 'x.ics'].slice(0, words.includes('recipe.md') ? -2 : undefined),
    );
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(errorCode);
    expect(stderr).toContain(message);
    expect(existsSync(join(cwd, 'x.ics'))).toBe(false);
    const json = await command(cwd, ['review', ...words, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ type: 'error', code: errorCode, exitCode: 2 });
  });

  it.each(['lease.md', './drawer/../lease.md', 'soft.md', 'hard.md', 'standard.md'])(
    'never replaces an input by the calendar: %s',
    async (ics) => {
      const cwd = withLease();
      mkdirSync(join(cwd, 'drawer'));
      symlinkSync('lease.md', join(cwd, 'soft.md'));
      linkSync(join(cwd, 'lease.md'), join(cwd, 'hard.md'));
      const standard = readFileSync(join(cwd, 'standard.md'), 'utf8');
      const { code, stdout, stderr } = await command(cwd, ['review', 'lease.md', '--standard', 'standard.md', '--ics', ics]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain('itself. Name another file.');
      expect(readFileSync(join(cwd, 'lease.md'), 'utf8')).toBe(lease);
      expect(readFileSync(join(cwd, 'standard.md'), 'utf8')).toBe(standard);
    },
  );

  it.each(['drawer', 'attic/lease.ics', 'standard.md/lease.ics'])('prints no report if the calendar cannot be written: %s', async (ics) => {
    const cwd = withLease();
    mkdirSync(join(cwd, 'drawer'));
    const { code, stdout, stderr } = await command(cwd, ['review', 'lease.md', '--ics', ics]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`--ics ${ics}`);
    expect(stderr).not.toContain('internal');
    const json = await command(cwd, ['review', 'lease.md', '--ics', ics, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ type: 'error', code: 'USAGE', exitCode: 2 });
  });

  it('writes no calendar without a date, and says so', async () => {
    const cwd = withLease();
    writeFileSync(join(cwd, 'dateless.md'), lease.replace(/\n제[123]조.*/g, ''));
    const { code, stderr } = await command(cwd, ['review', 'dateless.md', '--ics', 'x.ics']);
    expect([code, existsSync(join(cwd, 'x.ics'))]).toEqual([0, false]);
    expect(stderr).toContain('x.ics is not written');
  });

  it('refuses one calendar file for two contracts', async () => {
    const { code, stderr } = await command(withLease(), ['review', 'lease.md', 'standard.md', '--ics', 'x.ics']);
    expect(code).toBe(2);
    expect(stderr).toContain('--ics');
  });
});

describe('agent-machines review with a model', () => {
  const quote = '임차인이 먼저 나가면 보증금은 임대인에게 귀속한다.';
  const found = (...findings: readonly object[]) => ({ type: 'completion', text: JSON.stringify({ findings }) }) as const;
  const finding = { title: '보증금', quote, reason: '손해와 관계없이 전부 잃는다.', burdens: '임차인' };

  it('adds what the model says about a verbatim quote, and counts the rest', async () => {
    await using server = await startOpenaiServer();
    server.answer(found(finding, { ...finding, quote: '임차인은 언제나 옳다고 말하여야 한다.' }));
    const { code, stdout } = await command(withLease(), ['review', 'lease.md', '--model', 'm', '--base-url', server.url, '--as', '임차인']);
    expect(code).toBe(0);
    expect(stdout).toContain('규칙과 모델로 검토함');
    expect(stdout).toContain('모델 의견: 손해와 관계없이 전부 잃는다.');
    expect(stdout).toContain('모델이 제시한 1개 항목은');
  });

  it('prints the review by rules if the model fails, and ends with 1', async () => {
    await using server = await startOpenaiServer();
    server.answer({ type: 'completion', text: 'no' });
    const words = ['review', 'lease.md', '--model', 'm', '--base-url', server.url, '--max-repairs', '0'];
    const { code, stdout, stderr } = await command(withLease(), words);
    expect(code).toBe(1);
    expect(stdout).toContain('규칙으로만 검토함: 모델이 실패함');
    expect(stderr).toContain('MODEL_OUTPUT_INVALID');
  });
});
