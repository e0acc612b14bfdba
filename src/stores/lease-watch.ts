import type { LeaseRequest } from '../ports/run-store.ts';
import type { ProcessState } from './process-state.ts';

/** A lease as a store has it. */
export interface HeldLease {
  readonly runId: string;
  /** As the store names it. */
  readonly owner: string;
  readonly epoch: number;
  /** Another one with every renewal. */
  readonly heartbeat: number | string;
  /** How long it holds without a renewal, in milliseconds; 0 when it was given up. */
  readonly leaseMs: number;
}

/** What a lease comes to for somebody who wants the run. */
export type LeaseVerdict =
  | { readonly isFree: true }
  | {
      readonly isFree: false;
      /** True when nobody can tell whether the owner is still at work: then it is worth waiting. */
      readonly ownerMayBeGone: boolean;
      /** After how many milliseconds without a renewal it is free. */
      readonly waitMs: number;
    };

interface Sighting {
  readonly lease: HeldLease;
  readonly since: number;
  /** A renewal was seen while it was watched. */
  readonly isRenewed: boolean;
  lookedAt: number;
}

const free = { isFree: true } as const;

/** More sightings than anybody has runs in question; the oldest are forgotten, and begun again. */
const maxSightings = 10_000;

/**
 * Judges whose lease still holds: the one place for all stores. Where the owner's process can be looked at, that decides. Otherwise a lease
 * has expired when one observer has seen it without a renewal for as long as it holds, by that observer's own monotonic clock: the wall
 * clocks of two machines say nothing of each other.
 */
export class LeaseWatch {
  readonly #stateOf: (owner: string) => ProcessState;
  /** By observer and run: observers may have clocks of their own. */
  readonly #sightings = new Map<string, Sighting>();

  constructor(stateOf: (owner: string) => ProcessState) {
    this.#stateOf = stateOf;
  }

  /**
   * Nothing is forgotten by it: who is told that a run is free need not get it, and asks again.
   *
   * @param observer who would get the lease, as the store names it: its own leases hold.
   */
  judge(lease: HeldLease | undefined, observer: string, { monotonic }: Pick<LeaseRequest, 'monotonic'>): LeaseVerdict {
    if (!lease || lease.leaseMs === 0) return free;
    if (lease.owner === observer) return { isFree: false, ownerMayBeGone: false, waitMs: lease.leaseMs };
    const key = `${lease.runId}/${observer}`;
    const state = this.#stateOf(lease.owner);
    const seen = this.#sightings.get(key);
    const isUnchanged = seen && isSame(seen.lease, lease) && monotonic >= seen.since;
    if (state === 'gone' || (isUnchanged && monotonic - seen.since >= lease.leaseMs)) return free;
    const isWatched = seen !== undefined && monotonic - seen.lookedAt < lease.leaseMs;
    const sighting: Sighting = isUnchanged ? seen : { lease, since: monotonic, isRenewed: isWatched, lookedAt: monotonic };
    sighting.lookedAt = monotonic;
    if (sighting !== seen) this.#remember(key, sighting);
    const ownerMayBeGone = state === 'unknown' && !sighting.isRenewed;
    return { isFree: false, ownerMayBeGone, waitMs: sighting.since + lease.leaseMs - monotonic };
  }

  #remember(key: string, sighting: Sighting): void {
    this.#sightings.delete(key);
    this.#sightings.set(key, sighting);
    const [oldest = ''] = this.#sightings.size > maxSightings ? this.#sightings.keys() : [];
    this.#sightings.delete(oldest);
  }
}

const isSame = (a: HeldLease, b: HeldLease): boolean => a.owner === b.owner && a.epoch === b.epoch && a.heartbeat === b.heartbeat;
