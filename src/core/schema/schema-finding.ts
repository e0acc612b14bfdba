import type { Place } from './value-place.ts';

/** A violation as found, before sorting and shortening. */
export interface Finding {
  readonly path: string;
  readonly keyword: string;
  readonly message: string;
}

/** List of findings; `undefined` if only the verdict is needed. */
export type Findings = Finding[] | undefined;

/** Limit of the search; a value of a megabyte can have a million violations, each a text. */
const maxFindings = 20_000;

/** True when the list has room for another finding. */
export const isCollecting = (findings: Findings): findings is Finding[] => findings !== undefined && findings.length < maxFindings;

export const unknownArgument = 'is not a declared argument';

/** Records a violation and returns `false`, the verdict. */
export function refuse(findings: Findings, { path }: Pick<Place, 'path'>, keyword: string, message: string): false {
  if (isCollecting(findings)) findings.push({ path, keyword, message });
  return false;
}
