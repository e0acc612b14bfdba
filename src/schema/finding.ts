import type { Place } from './place.ts';

/** What is wrong with a value, as it was found: not yet in order, and not yet short. */
export interface Finding {
  readonly path: string;
  readonly keyword: string;
  readonly message: string;
}

/** Where findings are kept; without it, only the verdict is asked for. */
export type Findings = Finding[] | undefined;

/** More are not looked for: a value of a megabyte can have a million, and each is a text. */
const maxFindings = 20_000;

/** Whether another one would be kept. */
export const hasRoom = (findings: Findings): findings is Finding[] => findings !== undefined && findings.length < maxFindings;

export const notTaken = 'is not an argument that it takes';

/** Keeps what is wrong; `false`, as the verdict. */
export function refuse(findings: Findings, { path }: Pick<Place, 'path'>, keyword: string, message: string): false {
  if (hasRoom(findings)) findings.push({ path, keyword, message });
  return false;
}
