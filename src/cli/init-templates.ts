import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mergeJson } from '../core/util/merge-json.ts';

/** Templates of `init`: a description, and the folders whose files it consists of. A file of a later folder replaces or extends an earlier one. */
export const templates = {
  workflow: {
    about: 'a text that a human approves before it is published, at the terminal',
    folders: ['publishing', 'terminal', 'workflow'],
  },
  'tool-agent': { about: 'an agent with two tools of its own, one of which needs an approval', folders: ['terminal', 'tool-agent'] },
} as const satisfies Readonly<Record<string, { readonly about: string; readonly folders: readonly string[] }>>;

export type TemplateName = keyof typeof templates;

export const isTemplate = (name: string): name is TemplateName => Object.hasOwn(templates, name);

/** Names in the package for files that npm leaves out or that would change how the folder's modules are resolved. */
const realNames: Readonly<Record<string, string>> = { gitignore: '.gitignore', 'package.template.json': 'package.json' };

/**
 * Returns the files of a project by path.
 * @param source version or address of the package `agent-machines`.
 */
export function projectFiles(template: TemplateName, name: string, source: string): ReadonlyMap<string, string> {
  const root = fileURLToPath(new URL('../../templates/', import.meta.url));
  const files = new Map<string, string>();
  let manifest: object = { name };
  for (const folder of ['shared', ...templates[template].folders]) {
    const place = join(root, folder);
    for (const entry of readdirSync(place, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const text = readFileSync(path, 'utf8');
      if (entry.name === 'package.template.json') manifest = mergeJson(manifest, JSON.parse(text));
      else files.set(join(path.slice(place.length + 1), '..', realNames[entry.name] ?? entry.name), text);
    }
  }
  const whole = mergeJson(manifest, { dependencies: { 'agent-machines': source } });
  files.set('package.json', `${JSON.stringify(whole, null, 2)}\n`);
  files.set('README.md', `${files.get('README.md')}${files.get('checks.md')}`);
  files.delete('checks.md');
  return files;
}
