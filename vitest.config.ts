import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { changesWhatIsShared } from './test/fixtures/changes-what-is-shared.ts';

const files = globSync('test/**/*.test.ts', { exclude: ['test/system/**'] }).map((file) => file.replaceAll('\\', '/'));
const filesWith = (pattern: RegExp): string[] => files.filter((file) => pattern.test(readFileSync(file, 'utf8')));

/** Need the Python interpreter, which is installed before them, and only for them. */
const python = filesWith(/fixtures\/monty\//);
/** Of what Node cannot load by itself. */
const compiled = filesWith(/from '[^']+\.tsx'/);
const separate = [...new Set([...filesWith(changesWhatIsShared), ...compiled])].filter((file) => !python.includes(file));
/** Run in the deep mode alone. */
const onlyDeep = /\.deep\.test\.ts$/;
/** Do less by `npm test` than is promised, or always the same: the deep mode does all of it. */
const deep = filesWith(/from 'fast-check'|fixtures\/share\.ts'/);

/** What is the same for tests of the system. */
export const everywhere = {
  setupFiles: ['test/fixtures/seed-properties.ts', 'test/fixtures/patient-waits.ts'],
  expect: { poll: { timeout: 240_000 } },
  // how long a test takes says nothing about what it tests
  testTimeout: 900_000,
  hookTimeout: 900_000,
};

export default defineConfig(({ mode }) => {
  const include = (some: readonly string[]): string[] =>
    some.filter((file) => (mode === 'deep' ? onlyDeep.test(file) || deep.includes(file) : !onlyDeep.test(file)));
  return {
    ssr: { resolve: { conditions: ['@agent-machines/source', 'node', 'development|production'] } },
    test: {
      ...everywhere,
      // CommonJS packages as Node itself imports them
      deps: { interopDefault: false },
      // property tests make much that lives for a moment: with more room for it, a tenth less of the time goes into collecting it
      execArgv: ['--max-semi-space-size=32'],
      // a third of the time goes into waiting for processes and timers: with one file for each core, cores would stand still meanwhile
      maxWorkers: Math.max(availableParallelism(), Math.min(2 * availableParallelism(), 8)),
      // hundreds of processes are started, and most of their time goes into compiling what they load
      env: { NODE_COMPILE_CACHE: new URL('node_modules/.cache/node', import.meta.url).pathname },
      projects: [
        {
          extends: true,
          test: {
            name: 'together',
            // one process for many files: loading the package again for each of them took longer than running them
            isolate: false,
            // Node loads the sources as it does for users: nobody has to compile them first, and each import costs nothing when it is called
            experimental: { viteModuleRunner: false },
            include: include(files.filter((file) => ![...separate, ...python].includes(file))),
          },
        },
        // in groups of their own, or the processes of `together` would not be kept; Vitest starts groups by their names, the slowest is first
        {
          extends: true,
          test: { name: 'python', include: include(python), sequence: { groupOrder: 1 }, globalSetup: 'scripts/install-monty.mjs' },
        },
        { extends: true, test: { name: 'separate', include: include(separate), sequence: { groupOrder: 1 } } },
      ],
    },
  };
});
