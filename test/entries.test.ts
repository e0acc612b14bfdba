// Where an entry point runs: what is not named here bundles for a browser, with nothing that only Node has.
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import pkg from '../package.json' with { type: 'json' };
import { doors } from '../scripts/doors.ts';

/** Packages that a user installs beside this one. */
const external = [...Object.keys(pkg.peerDependencies), 'fast-check', 'vitest'];

/** Those that need Node, and are not called so. */
const needNode: Readonly<Record<string, string>> = {
  './documents': 'reads files, in a process of their own',
  './machines': 'opens the catalogue and the samples of guide-agent, which are files',
  './stores/postgres': 'speaks to a server',
  './stores/sqlite': 'opens files',
  './tools/python': 'starts a process',
};

const isForNode = (name: string): boolean => name in needNode || name.split('/').includes('node');
const names = Object.keys(doors);

const bundles = (name: string): Promise<boolean> =>
  build({
    stdin: { contents: `export * from 'agent-machines${name.slice(1)}';`, resolveDir: '.' },
    bundle: true,
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['@agent-machines/source', 'module'],
    format: 'esm',
    external,
    write: false,
    logLevel: 'silent',
  }).then(
    () => true,
    () => false,
  );

describe('an entry point outside Node', () => {
  it.each(names.filter((name) => !isForNode(name)))('bundles without Node: %s', async (name) => {
    expect(await bundles(name)).toBe(true);
  });
});

describe('an entry point of Node', () => {
  it.each(names.filter(isForNode))('has a reason: %s', async (name) => {
    expect(await bundles(name)).toBe(false);
  });
});
