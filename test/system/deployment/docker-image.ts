// The steps of a Dockerfile, done in a folder: the test machine has no Docker.
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export interface DockerImage {
  /** The last WORKDIR. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly uid: number | undefined;
  readonly ports: readonly number[];
  readonly healthcheck: readonly string[];
  readonly command: readonly string[];
}

interface Build {
  /** Folder that COPY reads from. */
  readonly context: string;
  /** Folder that stands for `/` of the image. */
  readonly root: string;
}

/**
 * Does the steps of a Dockerfile with one stage.
 * @throws on instructions and flags that it does not know.
 */
export function buildImage(dockerfile: string, { context, root }: Build): DockerImage {
  let image: DockerImage = {
    folder: root,
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
    uid: undefined,
    ports: [],
    healthcheck: [],
    command: [],
  };
  for (const [name, rest] of instructionsOf(dockerfile)) {
    const step = steps[name];
    if (!step) throw new Error(`Unknown instruction of a Dockerfile: ${name}`);
    if (rest.startsWith('--')) throw new Error(`Unknown flag of ${name}: ${rest}`);
    image = { ...image, ...step(rest, image, { context, root }) };
  }
  if (image.command.length === 0) throw new Error('The Dockerfile has no CMD.');
  return image;
}

/** Name and rest of each instruction, without comments, on one line. */
const instructionsOf = (dockerfile: string): (readonly [name: string, rest: string])[] =>
  dockerfile
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [name = '', ...rest] = line.trim().split(/\s+/);
      return [name, rest.join(' ')] as const;
    });

/** An argument of the exec form, `["a", "b"]`. */
const wordsOf = (json: string): readonly string[] => JSON.parse(json) as readonly string[];

const steps: Readonly<Record<string, (rest: string, image: DockerImage, build: Build) => Partial<DockerImage>>> = {
  FROM(rest) {
    const [major] = process.versions.node.split('.');
    if (!rest.startsWith(`node:${major}-`)) throw new Error(`The image starts from ${rest}, and this is Node ${major}.`);
    return {};
  },
  WORKDIR(rest, { folder }, { root }) {
    const path = rest.startsWith('/') ? join(root, rest) : join(folder, rest);
    mkdirSync(path, { recursive: true });
    return { folder: path };
  },
  ENV(rest, { env }) {
    const [name = '', value = ''] = rest.split('=');
    return { env: { ...env, [name]: value } };
  },
  COPY(rest, { folder }, { context }) {
    const sources = rest.split(' ');
    const target = join(folder, sources.pop() ?? '');
    for (const source of sources) {
      const found = globSync(source, { cwd: context });
      if (found.length === 0 && !source.includes('*')) throw new Error(`COPY finds no ${source}.`);
      for (const path of found) cpSync(join(context, path), join(target, basename(path)), { errorOnExist: true });
    }
    return {};
  },
  RUN(rest, { folder, env }) {
    execFileSync('/bin/sh', ['-c', rest], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
    return {};
  },
  USER: (rest) => ({ uid: Number(rest) }),
  EXPOSE: (rest, { ports }) => ({ ports: [...ports, Number(rest)] }),
  HEALTHCHECK: (rest) => ({ healthcheck: wordsOf(rest.replace(/^CMD /, '')) }),
  CMD: (rest) => ({ command: wordsOf(rest) }),
};
