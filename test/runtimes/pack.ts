import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

/** A stranger's project with the packed package in it, and the suite as plain JavaScript. */
export interface Project {
  readonly folder: string;
  /** Prints the suite's report; imports the package as it was installed. */
  readonly program: string;
  /** The suite and the package in one file, for what has no packages: a module that exports `report`. */
  readonly bundle: string;
}

/** Builds, packs and installs the package, with what it depends on, into a new folder. */
export async function packProject(): Promise<Project> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-machines-runtimes-'));
  const npm = (cwd: string, ...args: readonly string[]): string => execFileSync('npm', args, { cwd, encoding: 'utf8' });
  const packed = npm('.', 'pack', '--json', '--pack-destination', folder); // runs `prepare`, which builds
  const [{ filename }] = JSON.parse(packed.slice(packed.indexOf('[\n'))) as readonly [{ readonly filename: string }];
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  npm(folder, 'install', '--omit=peer', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', `./${filename}`);
  const out = (name: string): string => join(folder, name);
  await build({ entryPoints: ['test/runtimes/suite.ts'], outfile: out('suite.js'), format: 'esm' });
  writeFileSync(out('main.js'), "import { report } from './suite.js';\nconsole.log(JSON.stringify(await report()));\n");
  // as a user's bundler does it: whatever only Node has would fail here
  await build({ entryPoints: [out('suite.js')], outfile: out('bundle.js'), bundle: true, format: 'esm', platform: 'browser' });
  return { folder, program: out('main.js'), bundle: out('bundle.js') };
}
