import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { atTerminal, command, folder } from './command.ts';

const names = ['workflow', 'tool-agent', 'approval-page', 'nextjs'];

describe('agent-machines init', () => {
  it('asks for the template at a terminal until it knows it', async () => {
    const home = folder();
    const asked = atTerminal(home, ['init', 'mine', '--package', '0.1.0'], 100);
    await asked.sees('Number or name [1]: ');
    asked.type('nothing\n');
    await asked.sees('There is no template "nothing"');
    asked.type('1\n');
    const { code, stdout, stderr } = await asked;
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`template ${names[0]} in mine`) });
    for (const name of names) expect(stderr).toContain(` ${name} `);
    expect(JSON.parse(readFileSync(join(home, 'mine/package.json'), 'utf8'))).toMatchObject({ name: 'mine' });
  });

  it('takes workflow, and a folder of its own, when nothing can be asked', async () => {
    const home = folder();
    expect(await command(home, ['init'])).toMatchObject({ code: 0, stdout: expect.stringContaining('template workflow in my-agent') });
    const { dependencies } = JSON.parse(readFileSync(join(home, 'my-agent/package.json'), 'utf8'));
    expect(existsSync(join(home, 'my-agent', dependencies['agent-machines'].replace('file:', '')))).toBe(true); // the clone, packed
    const again = await command(home, ['init']);
    expect(again).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('OPTION_INVALID: my-agent is not empty') });
  });

  it('names the commands of the package manager that runs it', async () => {
    const home = folder();
    const init = (name: string, agent: string) => command(home, ['init', name, '--package', '0.1.0'], { npm_config_user_agent: agent });
    expect((await init('a', 'pnpm/12.0.1 npm/? node/v24')).stdout).toContain('pnpm install && pnpm test && pnpm start');
    expect((await init('b', 'bun/1.4.0 npm/? node/v24')).stdout).toContain('bun install && bun run test && bun run start');
    expect((await init('c', 'npm/11.0.0 node/v24')).stdout).toContain('npm install && npm test && npm start');
  });

  it('writes nothing after Ctrl-D', async () => {
    const home = folder();
    const asked = atTerminal(home, ['init', 'mine'], 100);
    await asked.sees('[1]: ');
    asked.end();
    expect((await asked).code).toBe(130);
    expect(existsSync(join(home, 'mine'))).toBe(false);
  });
});
