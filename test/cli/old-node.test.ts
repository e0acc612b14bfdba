import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import pkg from '../../package.json' with { type: 'json' };
import { doors } from '../../scripts/doors.ts';

interface Ended {
  readonly code: number | string | null | undefined;
  readonly output: string;
}

/** Node as an old one would be: it says that it is, and lacks what that one lacks. */
const oldNode = `data:text/javascript,${encodeURIComponent(`
  delete Promise.withResolvers;
  Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });
  const builtin = process.getBuiltinModule;
  process.getBuiltinModule = (name) => (name === 'node:sqlite' ? undefined : builtin(name));
`)}`;

const start = (args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(process.execPath, ['--import', oldNode, '--conditions=@agent-machines/source', ...args], (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, output: `${stdout}${stderr}` }),
    );
  });

describe('on an old Node', () => {
  it('reports the required Node in the command line', async () => {
    const { code, output } = await start(['src/cli/bin.ts', 'runs']);
    expect([code, output]).toEqual([1, expect.stringMatching(/^agent-machines needs Node >= 22\.18; this is Node 20\.20\.2 \(.+\)\.\n/)]);
    expect(output.trim().split('\n')).toHaveLength(2);
  });

  it('parses the command line in an old Node', () => {
    // nothing is loaded before the version is looked at
    expect(readFileSync('src/cli/bin.ts', 'utf8')).not.toMatch(/^import\b/m);
  });

  it.each(Object.entries(pkg.scripts).filter(([, command]) => /^node .*\.ts$/.test(command)))(
    'reports the required Node for npm run %s',
    async (_name, command) => {
      const [, ...args] = command.split(' ');
      const { code, output } = await start(args);
      expect([code, output]).toEqual([1, expect.stringMatching(/^The scripts need Node >= 22\.18; this is Node 20\.20\.2 .+\n$/)]);
    },
  );

  it('installs its own Node, and needs no pretest', () => {
    expect(Object.keys(pkg.scripts).filter((name) => /^pre(test|check)/.test(name))).toEqual([]);
    const version = execFileSync('node_modules/.bin/node', ['--version'], { encoding: 'utf8' }); // which `npx` finds first
    expect([pkg.devDependencies.node, version]).toEqual([
      expect.stringMatching(/^\^2[4-9]$/),
      expect.stringMatching(/^v(2[4-9]|[3-9]\d)\./),
    ]);
  });

  it('reports the required Node at every entry of the package', async () => {
    const names = Object.keys(doors).map((name) => name.replace('.', 'agent-machines'));
    const program = `for (const door of ${JSON.stringify(names)})
      await import(door).then(() => console.log(door, 'loads'), ({ code, message }) => console.log(code, message));`;
    const { output } = await start(['--input-type=module', '--eval', program]);
    const sentence = 'ENGINE_TOO_OLD agent-machines needs Node >= 22.18, or a browser of 2024. This is Node 20.20.2.';
    // the client needs fetch only, and the list of workflows is data
    expect(output.trim().split('\n')).toEqual(names.map((door) => (/\/(client|machines)$/.test(door) ? `${door} loads` : sentence)));
  });
});
