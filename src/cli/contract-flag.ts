import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** Value of `--contract`. */
export interface ContractFlag {
  readonly name?: string;
  readonly path: string;
}

/** `lease=./a.docx` gives the file a name, unless a file of that whole name exists. */
export function readContractFlag(value: string): ContractFlag {
  const [, name, path] = existsSync(value) ? [] : (/^([^=/\\]{1,100})=(.+)$/su.exec(value) ?? []);
  return name !== undefined && path !== undefined ? { name: name.trim(), path } : { path: value };
}

/** Makes the path of a `--contract` absolute, and keeps its name. */
export function absoluteContract(value: string): string {
  const { name, path } = readContractFlag(value);
  return name === undefined ? resolve(path) : `${name}=${resolve(path)}`;
}
