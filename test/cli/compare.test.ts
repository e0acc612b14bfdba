import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command, folder } from './command.ts';

const standard =
  '# 표준 임대차 계약서\n\n제1조 (목적)\n이 계약은 방을 빌리는 일을 정한다.\n제2조 (차임)\n임차인은 매월 500,000원을 낸다.\n제3조 (해지)\n임대인은 30일 전에 알리고 계약을 해지할 수 있다.\n제4조 (관할)\n분쟁은 수원지방법원이 맡는다.\n';
const lease =
  '# 임대차 계약서\n\n제1조 (차임)\n임차인은 매월 500,000원을 낸다.\n제2조 (해지)\n임대인은 30일 전에 알리고 계약을 해지할 수 없다.\u001b[31m\n제3조 (목적)\n이 계약은 방을 빌리는 일을 정한다.\n제4조 (반려동물)\n고양이는 두 마리까지 기른다.\n';

function withContracts(): string {
  const cwd = folder();
  writeFileSync(join(cwd, 'lease.md'), lease);
  writeFileSync(join(cwd, 'standard.md'), standard);
  return cwd;
}

describe('agent-machines compare', () => {
  it('shows differences word by word, and moved articles', async () => {
    const { code, stdout, stderr } = await command(withContracts(), ['compare', 'lease.md', 'standard.md']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')).toEqual([
      '임대차 계약서 beside 표준 임대차 계약서: 1 changed, 1 missing, 1 added, 1 moved',
      '',
      '제2조 해지  (standard: 제3조 해지)',
      '  negation: 해지할 수 있다. → 해지할 수 없다.\\u{1b}[31m',
      '    임대인은 30일 전에 알리고 계약을 해지할 수 [-있다.-]{+없다.\\u{1b}[31m+}',
      '',
      'Only in the standard:',
      '  제4조 관할',
      '',
      'Only here:',
      '  제4조 반려동물',
      '',
      'Moved, text unchanged:',
      '  제3조 목적  (standard: 제1조 목적)  moved',
      '',
    ]);
  });

  it('prints only one JSON object with --json', async () => {
    const { code, stdout, stderr } = await command(withContracts(), ['compare', 'lease.md', 'standard.md', '--json']);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({
      missing: [{ label: '제4조' }],
      added: [{ label: '제4조' }],
      pairs: [{ moved: true }, {}, {}],
    });
  });
});
