/** One fact that an adapter of a port must hold; `run` is the body of a test in any test runner. */
export interface ContractCase {
  /** The fact, as a sentence without its subject. */
  readonly name: string;
  /** Rejects, and says what was found, when the fact does not hold. */
  readonly run: () => Promise<void>;
}

/** Facts by name. */
export type Facts<TSubject> = Readonly<Record<string, (subject: TSubject) => Promise<void>>>;

/** Makes each fact a case with a subject of its own, which is disposed of whatever comes out. */
export function toContractCases<TSubject>(
  facts: Facts<TSubject>,
  create: () => Promise<TSubject>,
  dispose: (subject: TSubject) => unknown,
): readonly ContractCase[] {
  return Object.entries(facts).map(([name, hold]) => ({
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
