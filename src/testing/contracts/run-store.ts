import type { RunStore } from '../../ports/run-store.ts';
import { type ContractCase, toContractCases } from '../contract-case.ts';
import { journalFacts } from './journal-facts.ts';
import { leaseFacts } from './lease-facts.ts';
import { listFacts } from './list-facts.ts';
import { queueFacts } from './queue-facts.ts';
import { threadFacts } from './thread-facts.ts';
import { valueFacts } from './value-facts.ts';

/**
 * What every `RunStore` must do, as cases for any test runner.
 *
 * @param create makes an empty store, anew for each case; the case closes it.
 * @example
 * for (const { name, run } of runStoreContract(async () => myStore())) it(name, run);
 */
export function runStoreContract(create: () => Promise<RunStore>): readonly ContractCase[] {
  const groups = [journalFacts, leaseFacts, threadFacts, queueFacts, listFacts, valueFacts];
  return groups.flatMap((facts) => toContractCases(facts, create, (store) => store.close()));
}
