import type { PostgresPackage, PostgresPool } from 'agent-machines/stores/postgres';

/** What became of those who wanted a connection of a pool. */
export interface Checkouts {
  /** How long each waited for it, in milliseconds. */
  readonly waitsMs: number[];
  /** How many were given none. */
  refused: number;
  /** How many have one now: who listens is one of them. */
  held: number;
}

/** The package `pg` with pools that note who takes a connection of them. */
export const watchedPool =
  (load: () => Promise<{ readonly Pool: new (options: object) => PostgresPool }>, seen: Checkouts) =>
  async (): Promise<PostgresPackage> => {
    const { Pool } = await load();
    return {
      Pool: class extends Pool {
        override async connect(): ReturnType<PostgresPool['connect']> {
          const asked = performance.now();
          const client = await super.connect().catch((cause: unknown) => {
            seen.refused++;
            throw cause;
          });
          seen.waitsMs.push(performance.now() - asked);
          seen.held++;
          const { release } = client;
          client.release = (broken) => {
            seen.held--;
            release.call(client, broken);
          };
          return client;
        }
      },
    };
  };
