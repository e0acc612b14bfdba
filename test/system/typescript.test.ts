import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compileMistakes, otherMistakes, pointedMistakes } from '../fixtures/beginner-mistakes.ts';
import { installedFile, installFolder } from './install-folder.ts';

installFolder('typescript');
const errors = await compileMistakes(fileURLToPath(installedFile('typescript', 'typescript/bin/tsc')));

describe('TypeScript 5.9', () => {
  it('compiles a workflow without a mistake', () => {
    expect(errors.get('none')).toEqual([]);
  });

  it.each([...pointedMistakes, ...otherMistakes])('reports the errors of TypeScript 7: $name', ({ name, at, says = '' }) => {
    const reported = errors.get(name) ?? [];
    expect(reported.map(({ at: place }, index) => place.slice(0, at[index]?.length ?? 40))).toEqual(at);
    expect(reported[0]?.message ?? '').toContain(says);
  });
});
