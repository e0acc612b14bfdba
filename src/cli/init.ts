import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from './usage-error.ts';

/**
 * Writes a project that runs at once: a workflow, its property test, and what they need.
 *
 * @param from where the project takes the package from: a version, or a path of a tarball. Default: what runs here.
 * @throws {UsageError} for a folder that is not empty: nothing is written then.
 */
export function init(directory: string, from?: string): void {
  const folder = resolve(directory);
  if (existsSync(folder) && !statSync(folder).isDirectory())
    throw new UsageError(`${directory} is a file. Give a folder that is not there yet.`);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new UsageError(`${directory} is not empty. Give a folder that is not there yet.`);
  mkdirSync(folder, { recursive: true });
  cpSync(new URL('./template/', import.meta.url), folder, { recursive: true });
  renameSync(join(folder, 'gitignore'), join(folder, '.gitignore')); // npm leaves a .gitignore out of a package
  // under its own name it would keep the template's files from finding the package by name
  renameSync(join(folder, 'package.template.json'), join(folder, 'package.json'));
  const file = join(folder, 'package.json');
  const template = JSON.parse(readFileSync(file, 'utf8')) as { readonly dependencies: Readonly<Record<string, string>> };
  const dependencies = { ...template.dependencies, 'agent-machines': from === undefined ? ownPackage() : dependencyOf(from, folder) };
  writeFileSync(file, `${JSON.stringify({ name: packageName(folder), ...template, dependencies }, null, 2)}\n`);
  process.stdout.write(
    `Written to ${relative('.', folder) || '.'}. Go on with:\n  cd ${directory} && npm install && npm test && npm start\n`,
  );
}

/** From a registry, the version that runs here; from a clone, the clone. */
function ownPackage(): string {
  const path = fileURLToPath(import.meta.resolve('agent-machines/package.json'));
  if (!path.includes('node_modules')) return `file:${dirname(path)}`;
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string };
  return `^${version}`;
}

const dependencyOf = (from: string, folder: string): string => (existsSync(from) ? `file:${relative(folder, resolve(from))}` : from);

/** A name that npm takes. */
const packageName = (folder: string): string =>
  basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'agent-workflow';
