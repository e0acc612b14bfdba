// Whether what would be published can be imported, with its types: by publint and arethetypeswrong, which are installed for it.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { entries } from 'agent-machines/machines';
import pkg from '../package.json' with { type: 'json' };
import { installLockedFolder } from './install-locked-folder.ts';

/** The used part of publint. */
interface Publint {
  publint(options: { pkgDir: string; strict: boolean; pack: 'npm' }): Promise<{ readonly messages: readonly PublintMessage[] }>;
}

interface PublintMessage {
  readonly code: string;
  readonly args: object;
  readonly path: readonly string[];
  readonly type: string;
}

const home = new URL('package-checks/', import.meta.url);
installLockedFolder(home);
const installed = createRequire(new URL('package.json', home));
const load = async <T>(name: string): Promise<T> => (await import(pathToFileURL(installed.resolve(name)).href)) as T;

const { publint } = await load<Publint>('publint');
const { formatMessage } = await load<{ formatMessage(message: PublintMessage, pkg: object): string | undefined }>('publint/utils');
const { messages } = await publint({ pkgDir: fileURLToPath(new URL('..', import.meta.url)), strict: true, pack: 'npm' });
// only this repository resolves the condition, and sources are not in the package
const wrong = messages.filter(({ path }) => !path.includes('@agent-machines/source'));
for (const message of wrong) console.error(`publint ${message.type}: ${formatMessage(message, pkg) ?? message.code}`);
if (wrong.length > 0) process.exit(1);

// arethetypeswrong does not expand patterns
const machines = entries.flatMap(({ name }) => [`machines/${name}`, `machines/${name}/testing`]);
const options = ['--pack', '--profile', 'esm-only', '--include-entrypoints', ...machines];
const { status } = spawnSync(fileURLToPath(new URL('node_modules/.bin/attw', home)), options, {
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
if (status !== 0) process.exit(status ?? 1);
