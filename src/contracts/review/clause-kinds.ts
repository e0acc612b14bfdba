import type { ClauseKind } from './clause-kind.ts';
import { controlClauses } from './control-clauses.ts';
import { freedomClauses } from './freedom-clauses.ts';
import { liabilityClauses } from './liability-clauses.ts';
import { moneyClauses } from './money-clauses.ts';

/** All kinds of clauses that a review looks for. */
export const clauseKinds: readonly ClauseKind[] = [...liabilityClauses, ...moneyClauses, ...controlClauses, ...freedomClauses];
