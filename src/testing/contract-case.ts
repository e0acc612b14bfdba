/** A test case of an adapter contract. `run` is a test body for any test runner. */
export interface ContractCase {
  /** Title of the case: a sentence without its subject. */
  readonly name: string;
  /** Rejects with the actual result if the case fails. */
  readonly run: () => Promise<void>;
}

/** Test cases by name. */
export type Cases<TSubject> = Readonly<Record<string, (subject: TSubject) => Promise<void>>>;

/** Creates a new subject for each case, and disposes of it after success or failure. */
export function toContractCases<TSubject>(
  cases: Cases<TSubject>,
  create: () => Promise<TSubject>,
  dispose: (subject: TSubject) => unknown,
): readonly ContractCase[] {
  return Object.entries(cases).map(([name, hold]) => ({
    name,
    run: async () => {
      const subject = await create();
      try {
        await hold(subject);
      } finally {
        await dispose(subject);
      }
    },
  }));
}
