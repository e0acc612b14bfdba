import type { RunStore } from '../../core/ports/run-store.ts';
import { type ContractCase, toContractCases } from '../contract-case.ts';
import { cancelCases } from './cancel-cases.ts';
import { journalCases } from './journal-cases.ts';
import { leaseCases } from './lease-cases.ts';
import { listCases } from './list-cases.ts';
import { noteCases } from './note-cases.ts';
import { pruneCases } from './prune-cases.ts';
import { queueCases } from './queue-cases.ts';
import { removalCases } from './removal-cases.ts';
import { roomCases } from './room-cases.ts';
import { threadCases } from './thread-cases.ts';
import { transferCases } from './transfer-cases.ts';
import { valueCases } from './value-cases.ts';

/**
 * Returns the contract of a `RunStore` as cases for any test runner.
 *
 * @param create creates an empty store for each case; the case closes it.
 * @example
 * for (const { name, run } of runStoreContract(async () => myStore())) it(name, run);
 */
export function runStoreContract(create: () => Promise<RunStore>): readonly ContractCase[] {
  const groups = [
    journalCases,
    leaseCases,
    threadCases,
    queueCases,
    cancelCases,
    roomCases,
    listCases,
    removalCases,
    pruneCases,
    transferCases,
    valueCases,
    noteCases,
  ];
  return groups.flatMap((cases) => toContractCases(cases, create, (store) => store.close()));
}
