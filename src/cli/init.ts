import { execFileSync } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { WorkflowError } from '../core/errors/errors.ts';
import { messageOf } from '../core/errors/message-of.ts';
import { makeFolder } from '../core/node/files/make-folder.ts';
import { optionInvalid } from '../core/util/check-options.ts';
import { nearestName } from '../core/util/nearest-name.ts';
import { exitCodes } from './exit-codes.ts';
import { isTemplate, projectFiles, type TemplateName, templates } from './init-templates.ts';
import { createLineReader } from './line-reader.ts';
import { readOwnManifest } from './own-manifest.ts';
import { shellWord } from './shell-words.ts';
import { isTerminal, print } from './terminal.ts';

export interface InitFlags {
  /** Default: asked at a terminal, else `workflow`. */
  readonly template?: string;
  /** Name of the package. Default: the folder's name. */
  readonly name?: string;
  /** Source of `agent-machines`: a version, or the path of a tarball. Default: the source of the running package. */
  readonly package?: string;
}

/**
 * Creates a project of a template: a workflow, its program, its test and their dependencies. Writes nothing if it fails. Returns the exit code.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a folder that is not empty or not writable, an unknown template, a name that no package may
 * have, and a missing source.
 */
export async function init(directory: string, flags: InitFlags = {}): Promise<number> {
  const folder = checkFolder(directory);
  const name = checkName(flags.name ?? basename(folder), flags.name === undefined);
  const given = flags.package === undefined ? undefined : sourceOf(flags.package, folder);
  const template = await chosenTemplate(flags.template);
  if (template === undefined) return exitCodes.interrupted;
  const from = given === undefined ? ownSource(folder) : { source: given, isKnown: true };
  const files = projectFiles(template, name, from.source);
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    throw optionInvalid(`${directory} cannot be written: ${messageOf(cause)}.`, 'Use another folder.');
  }
  if (from.tarball) writeFileSync(join(folder, from.tarball.name), from.tarball.bytes);
  for (const [path, text] of files) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  print(nextSteps(folder, template, from));
  return exitCodes.done;
}

function checkFolder(directory: string): string {
  const refused = (message: string): WorkflowError => optionInvalid(message, 'Use a new folder.');
  if (directory === '') throw refused('The folder has no name.');
  const folder = resolve(directory);
  if (!existsSync(folder)) return folder;
  if (!statSync(folder).isDirectory()) throw refused(`${directory} is a file.`);
  if (readdirSync(folder).length > 0) throw refused(`${directory} is not empty.`);
  return folder;
}

/** Names that npm refuses, and those that would hide a module. */
const isTaken = (name: string): boolean => ['node_modules', 'favicon.ico', 'agent-machines'].includes(name) || isBuiltin(name);

function checkName(name: string, isOfFolder: boolean): string {
  const isValid = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/.test(name) && name.length <= 214;
  if (isValid && !isTaken(name)) return name;
  const safe = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 200);
  const other = safe === '' || isTaken(safe) ? `my-${safe || 'agent'}` : safe;
  throw optionInvalid(
    `"${name}" ${isValid ? 'is taken: a package of that name cannot be used here' : 'is not a package name'}.`,
    isOfFolder ? `Use another folder, or --name ${other}` : `Use small letters, digits and hyphens: --name ${other}`,
  );
}

/** @returns `undefined` when the input has ended. */
async function chosenTemplate(given: string | undefined): Promise<TemplateName | undefined> {
  const names = Object.keys(templates);
  if (given !== undefined) {
    if (isTemplate(given)) return given;
    const near = nearestName(given, names);
    throw optionInvalid(
      `There is no template "${given}".`,
      `Use ${near === undefined ? `one of ${names.join(', ')}` : `--template ${near}`}.`,
    );
  }
  if (!isTerminal()) return 'workflow';
  const width = Math.max(...names.map((name) => name.length));
  const lines = Object.entries(templates).map(([name, { about }], index) => `  ${index + 1} ${name.padEnd(width)}  ${about}`);
  const { ask, close } = createLineReader();
  try {
    for (let wrong = ''; ; ) {
      const line = await ask(`${wrong}Templates:\n${lines.join('\n')}\nNumber or name [1]: `);
      if (line === undefined) return undefined;
      const word = line.trim() === '' ? '1' : line.trim();
      const name = names[Number(word) - 1] ?? word;
      if (isTemplate(name)) return name;
      wrong = `There is no template "${name}".\n`;
    }
  } finally {
    close();
  }
}

interface Source {
  readonly source: string;
  /** True if an installation will find the package there. */
  readonly isKnown: boolean;
  /** File for the project's folder. */
  readonly tarball?: { readonly name: string; readonly bytes: Uint8Array };
}

/** Source of the running package: a tarball of the clone, or the tarball or the registry's version that it was installed from. */
function ownSource(project: string): Source {
  const { folder, version } = readOwnManifest();
  if (!folder.includes('node_modules')) return packed(folder);
  const installed = resolvedAddress(folder);
  const tarball = installed?.startsWith('file:') ? resolve(folder, '../..', installed.slice('file:'.length)) : undefined;
  if (tarball !== undefined && existsSync(tarball)) return { source: pathSource(tarball, project), isKnown: true };
  return { source: `^${version}`, isKnown: installed?.startsWith('http') ?? false };
}

/** Packs a clone. A link to its folder would bring the clone's own copies of the project's packages, whose types differ. */
function packed(clone: string): Source {
  const place = mkdtempSync(join(tmpdir(), 'agent-machines-pack-'));
  try {
    // without scripts, because packing would build the clone again
    const flags = ['pack', '--ignore-scripts', '--silent', '--pack-destination', place];
    execFileSync('npm', flags, { cwd: clone, shell: process.platform === 'win32', stdio: ['ignore', 'ignore', 'pipe'] });
    const [name = ''] = readdirSync(place);
    return { source: `file:${name}`, isKnown: true, tarball: { name, bytes: readFileSync(join(place, name)) } };
  } catch (cause) {
    throw optionInvalid(
      `The clone ${clone} cannot be packed: ${messageOf(cause)}.`,
      'Make a tarball with npm pack, and pass its path with --package.',
    );
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Address from which npm installed a package; absent for other package managers. */
function resolvedAddress(folder: string): string | undefined {
  const file = join(folder, '..', '.package-lock.json');
  if (!existsSync(file)) return undefined;
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly resolved?: string }>>;
  };
  return packages['node_modules/agent-machines']?.resolved;
}

function sourceOf(given: string, project: string): string {
  if (given !== '' && existsSync(given)) return pathSource(resolve(given), project);
  if (given === '' || /^[./]|^(?!.*:).*\.tgz$/.test(given))
    throw optionInvalid(`There is no package at "${given}".`, 'Use a version, or the path of a tarball that npm pack made.');
  return given;
}

const pathSource = (path: string, project: string): string => `file:${relative(project, path)}`;

function nextSteps(folder: string, template: TemplateName, { source, isKnown }: Source): string {
  const path = relative('.', folder);
  const enter = path === '' ? '' : `cd ${shellWord(path.startsWith('-') ? `./${path}` : path)} && `;
  const manager = managerOf(process.env.npm_config_user_agent);
  const run = manager === 'bun' ? 'bun run' : manager;
  const lines = [
    `Created a project of the template ${template} in ${path || 'this folder'}. Next:`,
    `  ${enter}${manager} install && ${run} test && ${run} start`,
  ];
  if (isKnown) return lines.join('\n');
  return [
    ...lines,
    `It needs agent-machines ${source}. If the registry does not have that version, make a tarball in a clone of agent-machines:`,
    '  npm pack',
    'and name it in the project:',
    `  ${manager} ${manager === 'npm' ? 'install' : 'add'} PATH/agent-machines-${source.slice(1)}.tgz`,
  ].join('\n');
}

/** Package manager that runs this program, by its variable `npm_config_user_agent`. */
const managerOf = (agent = ''): 'npm' | 'pnpm' | 'bun' => (agent.startsWith('pnpm/') ? 'pnpm' : agent.startsWith('bun/') ? 'bun' : 'npm');
