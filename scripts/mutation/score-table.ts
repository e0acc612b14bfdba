import type { MutationScore } from 'agent-machines/testing';
import { survivors } from './survivors.ts';

/** The least that must be told apart, in percent. */
const leastPercent = 95;

/** A line of the table, and what is wrong with it. */
export interface ScoreRow {
  readonly machine: string;
  readonly mutants: number;
  readonly killed: number;
  readonly percent: number;
  readonly survived: readonly { readonly mutant: string; readonly why: string | undefined }[];
  /** Empty when it may stand so. */
  readonly problems: readonly string[];
}

/** @param reviewed explanations by machine and mutant. */
export function toRow(
  machine: string,
  { mutants, killed, survived, percent }: MutationScore<unknown>,
  reviewed: Readonly<Record<string, string>> = survivors,
): ScoreRow {
  const found = survived.map(({ description }) => `${machine}: ${description}`);
  const unexplained = found.filter((mutant) => reviewed[mutant] === undefined);
  const killedNow = Object.keys(reviewed).filter((mutant) => mutant.startsWith(`${machine}: `) && !found.includes(mutant));
  return {
    machine,
    mutants,
    killed: killed.length,
    percent,
    survived: found.map((mutant) => ({ mutant, why: reviewed[mutant] })),
    problems: [
      ...(percent < leastPercent ? [`${machine}: ${percent.toFixed(1)} % is less than ${leastPercent} %`] : []),
      ...unexplained.map((mutant) => `${mutant} survives without an explanation`),
      ...killedNow.map((mutant) => `${mutant} is killed or gone. Remove its explanation`),
    ],
  };
}

/** As text for a terminal. */
export const tableOf = (rows: readonly ScoreRow[]): string =>
  [
    ['machine', 'mutants', 'killed', '%', 'survived'],
    ...rows.map(({ machine, mutants, killed, percent, survived }) =>
      [machine, mutants, killed, percent.toFixed(1), survived.length].map(String),
    ),
  ]
    .map(([name = '', ...numbers]) => [name.padEnd(16), ...numbers.map((number) => number.padStart(9))].join(''))
    .join('\n');
