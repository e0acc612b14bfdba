import type { Place } from './place.ts';

/** What is wrong with a value, as it was found: not yet in order, and not yet short. */
export interface Finding {
  readonly path: string;
  readonly keyword: string;
  readonly message: string;
}

/** Where findings are kept; without it, only the verdict is asked for. */
export type Findings = Finding[] | undefined;

export const notTaken = 'is not an argument that it takes';

/** Keeps what is wrong; `false`, as the verdict. */
export function refuse(findings: Findings, { path }: Pick<Place, 'path'>, keyword: string, message: string): false {
  findings?.push({ path, keyword, message });
  return false;
}
