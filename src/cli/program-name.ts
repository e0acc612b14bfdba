import { realpathSync } from 'node:fs';
import { delimiter, dirname, join, sep } from 'node:path';
import { shellWord } from './shell-words.ts';

const name = 'agent-machines';
const binFolder = join('node_modules', '.bin');

interface Caller extends Pick<NodeJS.Process, 'argv' | 'execPath' | 'execArgv'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  cwd(): string;
}

/**
 * Command that starts this program here, so that printed commands can be copied. It is the program's name if the shell finds it, with `npx`
 * if npm finds it, and otherwise the file.
 */
export function programName({ argv, execPath, execArgv, env, cwd }: Caller = process): string {
  const own = realPath(argv[1] ?? '');
  const isOwn = (folder: string): boolean => own !== undefined && realPath(join(folder, name)) === own;
  // npx and npm scripts prepend folders that the user's shell does not have
  const [npmFolders, folders] = partition((env.PATH ?? '').split(delimiter), (folder) => folder.endsWith(sep + binFolder));
  if (folders.some(isOwn)) return name;
  const isFoundByNpx = env.npm_command === 'exec' && npmFolders.some(isOwn);
  if (isFoundByNpx || foldersAbove(cwd()).some((folder) => isOwn(join(folder, binFolder)))) return `npx ${name}`;
  return [execPath, ...execArgv, own ?? name].map(shellWord).join(' ');
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

const foldersAbove = (folder: string): readonly string[] =>
  dirname(folder) === folder ? [folder] : [folder, ...foldersAbove(dirname(folder))];

const partition = <T>(values: readonly T[], test: (value: T) => boolean): readonly [T[], T[]] => [
  values.filter(test),
  values.filter((value) => !test(value)),
];
