import { cpSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { folder, ownProcess } from './command.ts';

/** The words of a command as a shell would read them: what the README prints has words, and words in quotes. */
const wordsOf = (line: string): string[] => [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

describe('the commands of the README', () => {
  it('answer as printed, in order, the second turn too', async () => {
    const cwd = folder(); // what they read of a clone
    for (const name of ['README.md', 'docs', 'machines']) cpSync(name, `${cwd}/${name}`, { recursive: true });
    const commands = [...readFileSync('README.md', 'utf8').matchAll(/^npx agent-machines (.+)$/gm)].map(([, line = '']) => wordsOf(line));
    expect(commands.length).toBeGreaterThan(5);
    const answers = new Map<string, string>();
    for (const args of commands) {
      const { code, stdout, stderr } = await ownProcess(cwd, args);
      const waits = stderr.includes('Waiting for you.');
      expect([args, code, stderr.includes('✗')]).toEqual([args, waits ? 3 : 0, false]);
      answers.set(args.join(' '), stdout);
    }
    const [first = '', second = ''] = [...answers].filter(([args]) => args.includes('--thread')).map(([, answer]) => answer);
    const quotes = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('- “'));
    expect([quotes(first).length > 0, quotes(second).length > 0]).toEqual([true, true]);
    expect(quotes(second).filter((quote) => quotes(first).includes(quote))).toEqual([]);
  });
});
