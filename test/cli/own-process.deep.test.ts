// Most tests type their commands into a process that runs many: here each command has one of its own, too, and nobody can tell which.
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command, folder, ownProcess } from './command.ts';
import type { Finished } from './command-process.ts';
import { run, typed } from './typed-commands.ts';

const examples = 'machines/contract-agent/examples';

/** What every process says differently: ids, times, and how much room a longer time leaves for what stands beside it. */
const alike = (text: string): string =>
  text
    .replace(/\b([rti])_\w{12}\b/g, '$1_')
    .replace(/\d+ ms\b|\d+\.\d s\b/g, 'ms')
    .replace(/ +ms/g, ' ms')
    .replace(/ {2,}/g, '  ')
    .replace(/^(.{40}).*…$/gm, '$1…')
    .replace(/"(at|seq|durationMs|startedAt|endedAt|updatedAt|createdAt)":[\d.]+/g, '"$1":0')
    .replaceAll(/\d{4}-\d{2}-\d{2}[ T][\d:.]+Z?/g, 'time');

async function all(type: (cwd: string, args: readonly string[], env: NodeJS.ProcessEnv, input?: string) => Promise<Finished>) {
  const cwd = folder();
  for (const name of ['service.md', 'standard-service.md']) copyFileSync(join(examples, name), join(cwd, name));
  let id = '';
  const said: unknown[] = [];
  for (const [args, input] of typed) {
    const finished = await type(
      cwd,
      args.map((word) => (word === run ? id : word)),
      { AGENT_MACHINES_LOCAL_PORTS: '1' },
      input,
    );
    id ||= /run (r_\w+)/.exec(finished.stderr)?.[1] ?? '';
    said.push([args, finished.code, finished.signal, alike(finished.stdout), alike(finished.stderr)]);
  }
  return { said, files: readdirSync(cwd, { recursive: true }).sort() };
}

describe('commands in their own process', () => {
  it('print the same as in one shared process', async () => {
    expect(await all(command)).toEqual(await all(ownProcess));
  });
});
