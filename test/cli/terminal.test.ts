import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { startOpenaiServer } from '../fixtures/openai-server.ts';
import { atTerminal, commandAtTerminal, folder, program } from './command.ts';

const request = '유튜브 쇼츠를 만들어서 올리고 싶어';
/** What a person types is whole to them; a terminal breaks it where it ends, and gives it back as it was. */
/** Neither is the text of an answer broken, nor what is typed. */
const isAnswer = (line: string): boolean => /^실행이 중단|ancel: /.test(line);
/** A person's own lines break where they are typed: after a prompt, a new one begins. */
const typed = (text: string): string => stripVTControlCharacters(text).replaceAll('> ', '');
const isCommand = (line: string): boolean => line.includes(program);

describe('at a terminal', () => {
  it.each([40, 80, 120])('prints no line longer than %d columns, except commands', async (columns) => {
    const cwd = folder();
    const asked = atTerminal(cwd, ['run', 'guide-agent', request], columns);
    await asked.sees('[c]ancel');
    asked.type('c\n');
    const { code, stderr } = await asked;
    expect([code, stderr]).toEqual([0, expect.stringContaining('guide-agent')]);
    const failed = await commandAtTerminal(
      cwd,
      ['run', 'plan-execute', '1/0과 긴 설명이 필요한 아주 어려운 문제를 계산해줘', '--thread', 't_1'],
      columns,
    );
    const runs = await commandAtTerminal(cwd, ['runs'], columns);
    const shown = await commandAtTerminal(cwd, ['show', /\br_\w{12}\b/.exec(failed.stderr)?.[0] ?? ''], columns);
    const tools = await commandAtTerminal(cwd, ['tools'], columns);
    const doctor = await commandAtTerminal(cwd, ['doctor'], columns);
    const talking = atTerminal(cwd, ['chat'], columns);
    await talking.sees('> ');
    talking.type('/help\n/what\n/exit\n');
    const talk = await talking;
    expect(talk.stderr).toContain('Type /help');
    const outputs = [stderr, failed.stderr, runs.stdout, `${shown.stdout}${shown.stderr}`, tools.stdout, doctor.stdout, typed(talk.stderr)];
    for (const output of outputs) {
      expect(output).not.toBe('');
      const long = output.split('\n').filter((line) => !isCommand(line) && !isAnswer(line) && stringWidth(line) > columns);
      expect(long).toEqual([]);
    }
    expect(tools.stdout.replace(/\s+/g, ' ')).toContain('OPENWEATHER_API_KEY is not set.'); // whole
    expect(runs.stdout.replace(/…/g, '')).toContain('유튜브');
  });

  it('leaves a plan waiting at Ctrl-C, and prints how to continue', async () => {
    const cwd = folder();
    const asked = atTerminal(cwd, ['run', 'guide-agent', request, '--db', 'my runs.db'], 80);
    await asked.sees('[c]ancel');
    asked.type('\u0003');
    const { code, stderr } = await asked;
    const id = /run (r_\w+)/.exec(stderr)?.[1];
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining(`The run waits for you. Answer it later: ${program} resume ${id} --db 'my runs.db'\n`),
    ]);
  });

  it('shows a progress line while a model is slow, and erases it', async () => {
    await using server = await startOpenaiServer();
    server.answer({ type: 'silence' });
    const run = atTerminal(folder(), ['run', 'plan-execute', 'q', '--base-url', server.url, '--model', 'm'], 80);
    await run.sees('⠹ intent_classifier · ');
    run.kill('SIGINT');
    const { code, stderr } = await run;
    const kept = stderr.split('\r\u001b[2K').at(-1) ?? '';
    expect([code, kept]).toEqual([130, expect.stringContaining('Paused at intent_classifier.')]);
    expect(kept).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/);
  });
});
