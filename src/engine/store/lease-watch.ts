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
  lookedAt: number;
}

const free = { isFree: true } as const;

/** Maximum number of sightings. The oldest are evicted and start over. */
const maxSightings = 10_000;

/**
 * Decides whether a lease holds, for all stores. The state of the owner's process decides where it can be read. Otherwise a lease expires
 * once an observer has seen no renewal for `leaseMs`. The observer measures with its own monotonic clock, because wall clocks of two
 * machines differ.
 */
export class LeaseWatch {
  readonly #stateOf: (owner: string) => ProcessState;
  /** Keyed by observer and run, because observers may have different clocks. */
  readonly #sightings = new Map<string, LeaseObservation>();

  constructor(stateOf: (owner: string) => ProcessState) {
    this.#stateOf = stateOf;
  }

  /**
   * Keeps its sightings: a caller that finds a run free may fail to acquire it, and checks again.
   *
   * @param observer requesting owner, as the store names it. Its own leases always hold.
   */
  judge(lease: HeldLease | undefined, observer: string, { monotonic }: Pick<LeaseRequest, 'monotonic'>): LeaseVerdict {
    if (!lease || lease.leaseMs === 0) return free;
    if (lease.owner === observer) return { isFree: false, ownerMayBeGone: false, waitMs: lease.leaseMs };
    const key = `${lease.runId}/${observer}`;
    // Decision 44: clocks of two machines are never compared; that stole live runs.
    const state = this.#stateOf(lease.owner);
    const seen = this.#sightings.get(key);
    const isUnchanged = seen && isSame(seen.lease, lease) && monotonic >= seen.since;
    if (state === 'gone' || (isUnchanged && monotonic - seen.since >= lease.leaseMs)) return free;
    const isWatched = seen !== undefined && monotonic - seen.lookedAt < lease.leaseMs;
    const sighting: LeaseObservation = isUnchanged ? seen : { lease, since: monotonic, isRenewed: isWatched, lookedAt: monotonic };
    sighting.lookedAt = monotonic;
    if (sighting !== seen) this.#remember(key, sighting);
    const ownerMayBeGone = state === 'unknown' && !sighting.isRenewed;
    return { isFree: false, ownerMayBeGone, waitMs: sighting.since + lease.leaseMs - monotonic };
  }

  #remember(key: string, sighting: LeaseObservation): void {
    this.#sightings.delete(key);
    this.#sightings.set(key, sighting);
    const [oldest = ''] = this.#sightings.size > maxSightings ? this.#sightings.keys() : [];
    this.#sightings.delete(oldest);
  }
}

const isSame = (a: HeldLease, b: HeldLease): boolean => a.owner === b.owner && a.epoch === b.epoch && a.heartbeat === b.heartbeat;
