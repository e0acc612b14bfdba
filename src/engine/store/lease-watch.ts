import type { LeaseRequest } from '../../core/ports/run-store.ts';
import type { ProcessState } from './process-state.ts';

/** Lease as stored. */
export interface HeldLease {
  readonly runId: string;
  /** Owner name as the store writes it. */
  readonly owner: string;
  readonly epoch: number;
  /** Changes with every renewal. */
  readonly heartbeat: number | string;
  /** Duration of the lease without a renewal, in milliseconds. 0 after it was released. */
  readonly leaseMs: number;
}

/** Result of checking whether a lease is free. */
export type LeaseVerdict =
  | { readonly isFree: true }
  | {
      readonly isFree: false;
      /** True when the state of the owner is unknown, so waiting for expiry may succeed. */
      readonly ownerMayBeGone: boolean;
      /** Time until the lease expires without a renewal, in milliseconds. */
      readonly waitMs: number;
    };

interface LeaseObservation {
  readonly lease: HeldLease;
  readonly since: number;
  /** True if a renewal was seen while the lease was watched. */
  readonly isRenewed: boolean;
  checkedAt: number;
}

const free = { isFree: true } as const;

/** Maximum number of observations. The oldest are evicted and start over. */
const maxObservations = 10_000;

/**
 * Decides whether a lease holds, for all stores. The state of the owner's process decides where it can be read. Otherwise a lease expires
 * once an observer has seen no renewal for `leaseMs`. The observer measures with its own monotonic clock, because wall clocks of two
 * machines differ.
 */
export class LeaseWatch {
  readonly #stateOf: (owner: string) => ProcessState;
  /** Keyed by observer and run, because observers may have different clocks. */
  readonly #observations = new Map<string, LeaseObservation>();

  constructor(stateOf: (owner: string) => ProcessState) {
    this.#stateOf = stateOf;
  }

  /**
   * Keeps its observations: a caller that finds a run free may fail to acquire it, and checks again.
   *
   * @param observer requesting owner, as the store names it. Its own leases always hold.
   */
  judge(lease: HeldLease | undefined, observer: string, { monotonic }: Pick<LeaseRequest, 'monotonic'>): LeaseVerdict {
    if (!lease || lease.leaseMs === 0) return free;
    if (lease.owner === observer) return { isFree: false, ownerMayBeGone: false, waitMs: lease.leaseMs };
    const key = `${lease.runId}/${observer}`;
    // Decision 44: clocks of two machines are never compared; that stole live runs.
    const state = this.#stateOf(lease.owner);
    const previous = this.#observations.get(key);
    const isUnchanged = previous && isSame(previous.lease, lease) && monotonic >= previous.since;
    if (state === 'gone' || (isUnchanged && monotonic - previous.since >= lease.leaseMs)) return free;
    const isWatched = previous !== undefined && monotonic - previous.checkedAt < lease.leaseMs;
    const observation: LeaseObservation = isUnchanged ? previous : { lease, since: monotonic, isRenewed: isWatched, checkedAt: monotonic };
    observation.checkedAt = monotonic;
    if (observation !== previous) this.#remember(key, observation);
    const ownerMayBeGone = state === 'unknown' && !observation.isRenewed;
    return { isFree: false, ownerMayBeGone, waitMs: observation.since + lease.leaseMs - monotonic };
  }

  #remember(key: string, observation: LeaseObservation): void {
    this.#observations.delete(key);
    this.#observations.set(key, observation);
    const [oldest = ''] = this.#observations.size > maxObservations ? this.#observations.keys() : [];
    this.#observations.delete(oldest);
  }
}

const isSame = (a: HeldLease, b: HeldLease): boolean => a.owner === b.owner && a.epoch === b.epoch && a.heartbeat === b.heartbeat;
