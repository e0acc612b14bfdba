import { expect, it } from 'vitest';
import { createProgram } from '../../src/cli/commands/program.ts';
import { lasting, typed } from './typed-commands.ts';

it('tries every command in its own process', () => {
  const { commands } = createProgram({ exit: () => {}, closed: new AbortController().signal }, false);
  const here = new Set(typed.map(([[name = '']]) => name).filter((name) => !name.startsWith('-')));
  expect([...lasting, ...here].sort()).toEqual(commands.map((one) => one.name()).sort());
});
