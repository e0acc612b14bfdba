import { shorten } from '../../../core/errors/shorten.ts';
import type { Json, JsonObject } from '../../../core/ports/json.ts';
import { isObject } from '../../../core/util/is-object.ts';
import { activePaths } from '../../../inspect/active-paths.ts';
import type { Censor } from '../../../inspect/censor.ts';
import type { TakenEdge } from '../../../inspect/drawing/drawn-path.ts';
import type { FeedRun, FeedRunContents, FeedSnapshot } from './feed-types.ts';
import { type ForeignMachine, foreignMachine } from './foreign-machine.ts';

/** Maximum number of actors. The oldest are evicted. */
const maxActors = 500;
/** Maximum number of snapshots per actor. The oldest are evicted. */
const maxSnapshots = 1_000;
/** Maximum size of all stored messages, in characters. */
const maxTotalSize = 32 * 1024 * 1024;

const maxName = 200;
/** Maximum number of edges per snapshot. */
const maxEdges = 200;

interface Actor {
  run: FeedRun;
  readonly machine: ForeignMachine | undefined;
  /** Edges of the microsteps since the last snapshot. Absent: the app sends no microsteps. */
  microsteps: TakenEdge[] | undefined;
  snapshots: FeedSnapshot[];
  size: number;
}

/** Actors of other XState apps, as reported by messages of `@statelyai/inspect`. */
export class AppActors {
  readonly #actors = new Map<string, Actor>();
  readonly #censor: Censor;
  readonly #now: () => number;
  #apps = 0;
  #totalSize = 0;

  constructor(censor: Censor, now: () => number) {
    this.#censor = censor;
    this.#now = now;
  }

  /** @returns a receiver for the messages of one more app. It ignores messages that are not of `@statelyai/inspect`. */
  connect(): (text: string) => void {
    const app = `app${++this.#apps}`;
    return (text) => {
      const message = parse(text);
      if (!message || typeof message.sessionId !== 'string') return;
      const id = `${app}/${shorten(message.sessionId, maxName)}`;
      if (message.type === '@xstate.actor') this.#begin(id, app, message, text.length);
      else if (message.type === '@xstate.snapshot') this.#add(id, message, text.length);
      else if (message.type === '@xstate.microstep') this.#note(id, message);
    };
  }

  /** Newest first. */
  runs(): readonly FeedRun[] {
    return [...this.#actors.values()].map(({ run }) => run).reverse();
  }

  contents(id: string): FeedRunContents | undefined {
    const actor = this.#actors.get(id);
    if (!actor) return undefined;
    const { run, machine, snapshots } = actor;
    return { run, graph: machine?.graph ?? null, source: machine?.source ?? '', events: [], entries: [], snapshots };
  }

  #begin(id: string, app: string, message: JsonObject, size: number): void {
    this.#forget(id);
    const { name, parentId, definition } = message;
    const at = this.#now();
    const run: FeedRun = {
      id,
      source: 'app',
      name: typeof name === 'string' ? shorten(name, maxName) : id,
      status: 'active',
      startedAt: at,
      updatedAt: at,
      seq: 0,
      ...(typeof parentId === 'string' ? { parent: `${app}/${shorten(parentId, maxName)}` } : {}),
    };
    this.#actors.set(id, { run, machine: foreignMachine(definition), microsteps: undefined, snapshots: [], size: 0 });
    if (message.snapshot !== undefined) this.#add(id, { ...message, event: { type: begin } }, size);
  }

  #note(id: string, { transitions }: JsonObject): void {
    const actor = this.#actors.get(id);
    if (!actor || !Array.isArray(transitions)) return;
    actor.microsteps = [...(actor.microsteps ?? []), ...transitions.flatMap(toTakenEdge)].slice(-maxEdges);
  }

  #add(id: string, { event, snapshot }: JsonObject, size: number): void {
    const actor = this.#actors.get(id);
    if (!actor) return;
    const { value, context, output, error, ...rest } = isObject(snapshot) ? snapshot : {};
    const status = statuses.find((known) => known === rest.status) ?? 'active';
    const [seq, at] = [actor.run.seq + 1, this.#now()];
    actor.run = { ...actor.run, status, seq, updatedAt: at };
    const edges = actor.microsteps ?? (isBegin(event) ? [] : (actor.machine?.follow(event ?? null, value ?? null) ?? []));
    if (actor.microsteps) actor.microsteps = [];
    actor.snapshots.push({
      seq,
      at,
      event: this.#show(event ?? null),
      active: activePaths(value),
      status,
      edges,
      ...(context === undefined ? {} : { context: this.#show(context) }),
      ...(output === undefined ? {} : { output: this.#show(output) }),
      ...(error === undefined ? {} : { error: this.#show(error) }),
    });
    if (actor.snapshots.length > maxSnapshots) actor.snapshots.shift();
    actor.size += size;
    this.#totalSize += size;
    for (const oldest of this.#actors.keys()) {
      if ((this.#totalSize <= maxTotalSize && this.#actors.size <= maxActors) || oldest === id) break;
      this.#forget(oldest);
    }
    if (this.#totalSize <= maxTotalSize) return;
    this.#totalSize -= actor.size; // one actor fills the memory alone: keep its last 10 snapshots
    actor.snapshots = actor.snapshots.slice(-10);
    actor.size = 0;
  }

  #forget(id: string): void {
    this.#totalSize -= this.#actors.get(id)?.size ?? 0;
    this.#actors.delete(id);
  }

  #show(value: Json): Json {
    return this.#censor(value, 'event') as Json;
  }
}

const statuses = ['active', 'done', 'error', 'stopped'] as const;

function parse(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // a client may send any text
  }
}

/** Type of the event of an actor's first snapshot. The snapshot may be of a later time, because an app can send it late. */
const begin = '@xstate.actor';

const isBegin = (event: Json | undefined): boolean => isObject(event) && event.type === begin;

/** Reads an edge of a microstep message. */
function toTakenEdge(edge: Json): readonly TakenEdge[] {
  if (!isObject(edge) || typeof edge.from !== 'string' || typeof edge.on !== 'string') return [];
  const { from, on, guard, turn } = edge;
  return [{ from, on, ...(typeof guard === 'string' ? { guard } : {}), ...(typeof turn === 'number' ? { turn } : {}) }];
}
