import type { Actor } from '../../core/ports/actor.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { Json } from '../../core/ports/json.ts';
import type { Interrupt } from '../../core/ports/run-event.ts';
import type { Awaitable, JournalEntry } from '../../core/ports/run-store.ts';
import type { Wait } from '../drive/host.ts';
import { findAnswer, interruptAnswered, interruptUnknown, toAnswer } from './answer.ts';

interface OpenWait {
  readonly interrupt: Interrupt;
  readonly wait: Wait;
}

/** An answer to a wait that may not be open yet. */
interface Offer {
  readonly interruptId: string;
  readonly event: HumanEvent;
  readonly by: Actor | undefined;
  readonly accepted: () => void;
  readonly refused: (cause: unknown) => void;
}

/** Waits for a human, and pending answers to them. */
export class OpenWaits {
  readonly #waits = new Map<string, OpenWait>();
  #offers: Offer[] = [];

  get interrupts(): readonly Interrupt[] {
    return [...this.#waits.values()].map(({ interrupt }) => interrupt);
  }

  open(key: string, interrupt: Interrupt, wait: Wait): void {
    this.#waits.set(key, { interrupt, wait });
  }

  close(key: string): void {
    this.#waits.delete(key);
  }

  /** Settles when the answer is in the journal, or rejected. */
  offer(interruptId: string, event: HumanEvent, by?: Actor): Promise<void> {
    return new Promise((accepted, refused) => this.#offers.push({ interruptId, event, by, accepted, refused }));
  }

  /** Gives the answers to the open waits. Rejects an answer to a wait that has been answered. All other answers stay pending. */
  answer(commit: (key: string, answer: Json) => Awaitable<void>, known: ReadonlyMap<string, JournalEntry>): void {
    if (this.#offers.length === 0) return;
    const offers = this.#offers;
    this.#offers = [];
    for (const offer of offers) {
      const open = [...this.#waits].find(([, { interrupt }]) => interrupt.id === offer.interruptId);
      const answered = open ? undefined : findAnswer(known.values(), offer.interruptId);
      if (open) this.#answer(offer, ...open, commit);
      else if (answered) offer.refused(interruptAnswered(answered, offer.event));
      else this.#offers.push(offer);
    }
  }

  /** Rejects the pending answers, because no further wait will open. The recorded answers decide the error code. */
  refuse(known: ReadonlyMap<string, JournalEntry>): void {
    for (const { interruptId, event, refused } of this.#offers) {
      const answer = findAnswer(known.values(), interruptId);
      refused(answer ? interruptAnswered(answer, event) : interruptUnknown(interruptId, this.interrupts));
    }
    this.#offers = [];
  }

  refuseAll(cause: unknown): void {
    for (const { refused } of this.#offers) refused(cause);
    this.#offers = [];
  }

  #answer(
    { event, interruptId, by, accepted, refused }: Offer,
    key: string,
    { wait }: OpenWait,
    commit: (key: string, answer: Json) => Awaitable<void>,
  ): void {
    try {
      const checked = wait.check(event);
      this.#waits.delete(key);
      const committed = commit(key, toAnswer(interruptId, checked, event, by));
      if (committed) committed.then(accepted, refused);
      else accepted();
    } catch (cause) {
      refused(cause);
    }
  }
}
