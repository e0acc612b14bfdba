import type { ClauseKind } from './clause-kind.ts';
import { controlClauses } from './control-clauses.ts';
import { freedomClauses } from './freedom-clauses.ts';
import { liabilityClauses } from './liability-clauses.ts';
import { moneyClauses } from './money-clauses.ts';

/** All kinds of clauses that a review looks for. */
export const clauseKinds: readonly ClauseKind[] = [...liabilityClauses, ...moneyClauses, ...controlClauses, ...freedomClauses];

/** A kind of finding, with its title in both languages. */
export interface FindingKind extends Pick<ClauseKind, 'kind' | 'title'> {}

/** Kinds that the rules of a review find. */
export const findingKinds: readonly FindingKind[] = clauseKinds.map(({ kind, title }) => ({ kind, title }));
