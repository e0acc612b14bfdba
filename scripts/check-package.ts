// Whether what would be published can be imported, with its types: by publint and arethetypeswrong, which are installed for it.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { installLockedFolder } from './install-locked-folder.ts';

const home = new URL('package-checks/', import.meta.url);
installLockedFolder(home);

const checks = [
  ['publint', '--strict'],
  ['attw', '--pack', '--profile', 'esm-only'],
] as const;
for (const [name, ...options] of checks) {
  const program = fileURLToPath(new URL(`node_modules/.bin/${name}`, home));
  const { status } = spawnSync(program, options, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) process.exit(status ?? 1);
}
