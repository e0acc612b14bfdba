import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command, folder } from './command.ts';

const sequence = '\u001b]52;c;QQ==\u0007\u009b2J\u202e';
const obeyed = /(?![\n\t])\p{Cc}|\p{Cf}/u;

describe('files that are made to do harm', () => {
  it('cannot speak to the terminal by their names or their texts', async () => {
    const cwd = folder();
    mkdirSync(join(cwd, 'docs'));
    writeFileSync(join(cwd, 'docs', `leave${sequence}.md`), `# 휴가 정책 ${sequence}\n연차 휴가는 15일이다.${sequence}\n`);
    writeFileSync(join(cwd, 'docs', `broken${sequence}.json`), '{');
    const { code, stdout, stderr } = await command(cwd, ['run', 'chat-agent', '휴가 정책이 뭐야?', '--docs', 'docs']);
    expect(code).toBe(0);
    expect(stdout).toContain('15일');
    expect(stderr).toContain('broken\\u{1b}]52');
    expect(`${stdout}${stderr}`).not.toMatch(obeyed);
    const json = await command(cwd, ['run', 'chat-agent', '휴가 정책이 뭐야?', '--docs', 'docs', '--json']);
    expect(json.stdout).not.toMatch(obeyed);
    expect(JSON.parse(json.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ output: { sources: [`leave${sequence}.md`] } });
  });

  it.skipIf(process.platform === 'win32')('are not waited for when they are pipes', async () => {
    const cwd = folder();
    execFileSync('mkfifo', [join(cwd, 'services.json')]);
    const { code, stderr } = await command(cwd, ['run', 'guide-agent', '영상을 만들어 올리고 싶어', '--docs', '.']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('FILE_NOT_REGULAR')]);
  });
});
