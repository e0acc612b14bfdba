import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mergeJson } from '../core/util/merge-json.ts';

/** Templates of `init`: a description, and the folders whose files it consists of. A file of a later folder replaces or extends an earlier one. */
export const templates = {
  workflow: {
    about: 'a text that a human approves before it is published, at the terminal',
    folders: ['publishing', 'terminal', 'workflow'],
  },
  'tool-agent': { about: 'an agent with two tools of its own, one of which needs an approval', folders: ['terminal', 'tool-agent'] },
  'approval-page': { about: 'a server, and a page in which a human approves', folders: ['publishing', 'approval-page'] },
  nextjs: { about: 'a Next.js app with a route handler, and a page in which a human approves', folders: ['publishing', 'nextjs'] },
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
  for (const folder of ['shared', ...templates[template].folders]) {
    const place = join(root, folder);
    for (const entry of readdirSync(place, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = join(entry.parentPath, entry.name);
      const text = readFileSync(file, 'utf8');
      const path = join(relative(place, entry.parentPath), realNames[entry.name] ?? entry.name);
      const before = files.get(path);
      const isMerged = before !== undefined && path.endsWith('.json');
      files.set(path, isMerged ? printed(mergeJson(JSON.parse(before), JSON.parse(text))) : text);
    }
  }
  const manifest = mergeJson({ name }, JSON.parse(files.get('package.json') ?? '{}'));
  files.set('package.json', printed(mergeJson(manifest, { dependencies: { 'agent-machines': source } })));
  files.set('README.md', `${files.get('README.md')}${files.get('checks.md')}`);
  files.delete('checks.md');
  return files;
}

const printed = (json: object): string => `${JSON.stringify(json, null, 2)}\n`;
