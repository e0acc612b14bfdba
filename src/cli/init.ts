import { accessSync, constants, cpSync, existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../core/errors/message-of.ts';
import { makeFolder } from '../core/node/files/make-folder.ts';
import { shellWord } from './shell-words.ts';
import { UsageError } from './usage-error.ts';

/**
 * Creates a runnable project: a workflow, its property test, and their dependencies.
 *
 * @param from Source of the package: a version, or the path of a tarball. Default: the running package.
 * @throws {UsageError} for a folder that is not empty or not writable, and for a missing package; nothing is written then.
 */
export function init(directory: string, from?: string): void {
  if (directory === '') throw new UsageError('The folder has no name. Use a new folder.');
  const folder = resolve(directory);
  if (existsSync(folder) && !statSync(folder).isDirectory()) throw new UsageError(`${directory} is a file. Use a new folder.`);
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new UsageError(`${directory} is not empty. Use a new folder.`);
  const source = from === undefined ? ownPackage() : dependencyOf(from, folder);
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    const why = messageOf(cause);
    throw new UsageError(`${directory} cannot be written: ${why}. Use another folder.`, { cause });
  }
  cpSync(new URL('./template/', import.meta.url), folder, { recursive: true });
  renameSync(join(folder, 'gitignore'), join(folder, '.gitignore')); // npm leaves .gitignore files out of packages
  // as package.json, it would keep the template's files from resolving the package by name
  renameSync(join(folder, 'package.template.json'), join(folder, 'package.json'));
  const file = join(folder, 'package.json');
  const template = JSON.parse(readFileSync(file, 'utf8')) as { readonly dependencies: Readonly<Record<string, string>> };
  const dependencies = { ...template.dependencies, 'agent-machines': source };
  writeFileSync(file, `${JSON.stringify({ name: packageName(folder), ...template, dependencies }, null, 2)}\n`);
  const path = relative('.', folder);
  const enter = path === '' ? '' : `cd ${shellWord(path.startsWith('-') ? `./${path}` : path)} && `;
  process.stdout.write(`Created a project in ${path || 'this folder'}. Next:\n  ${enter}npm install && npm test && npm start\n`);
}

/** Source of the running package: its version if it comes from a registry, else the path of the clone. */
function ownPackage(): string {
  const path = fileURLToPath(import.meta.resolve('agent-machines/package.json'));
  if (!path.includes('node_modules')) return `file:${dirname(path)}`;
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string };
  return `^${version}`;
}

function dependencyOf(from: string, folder: string): string {
  if (existsSync(from)) return `file:${relative(folder, resolve(from))}`;
  if (from === '' || /^[./]|^(?!.*:).*\.tgz$/.test(from))
    throw new UsageError(`There is no package at "${from}". Use a version or the path of a tarball.`);
  return from;
}

const packageName = (folder: string): string =>
  basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'agent-workflow';
