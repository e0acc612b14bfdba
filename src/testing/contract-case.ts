/** One case of what an adapter of a port must hold; `run` is the body of a test in any test runner. */
export interface ContractCase {
  /** What must hold, as a sentence without its subject. */
  readonly name: string;
  /** Rejects, and says what was found, when it does not hold. */
  readonly run: () => Promise<void>;
}

/** Cases by name. */
export type Cases<TSubject> = Readonly<Record<string, (subject: TSubject) => Promise<void>>>;

/** Gives each case a subject of its own, which is disposed of whatever comes out. */
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
