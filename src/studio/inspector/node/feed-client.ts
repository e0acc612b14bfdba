import type { ServerResponse } from 'node:http';
import type { FeedMessage, FeedRun, FeedRunContents } from './feed-types.ts';

const perMessage = 50;

/** State to send to one client. */
export interface FeedState {
  readonly runs: readonly FeedRun[];
  /** Contents of the requested run; `undefined` if it does not exist. */
  readonly contents: FeedRunContents | undefined;
  readonly trouble: { readonly code: string; readonly message: string } | undefined;
}

/** Connected page, with its position in the feed. Sending waits for the page to read, and skips states that are outdated by then. */
export class FeedClient {
  /** Requested run. */
  readonly run: string | undefined;
  readonly #response: ServerResponse;
  #state: FeedState | undefined;
  #runs = '';
  #record = '';
  #trouble = '';
  #graph: string | undefined;
  #told = { entries: 0, events: 0, snapshots: 0 };

  constructor(response: ServerResponse, database: string | undefined, run: string | undefined) {
    this.run = run;
    this.#response = response;
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.on('drain', () => this.#tell());
    this.#say({ name: 'hello', data: { format: 1, database: database ?? null } });
  }

  /** Sends what is new. */
  update(state: FeedState): void {
    this.#state = state;
    this.#tell();
  }

  /** Sends a heartbeat. */
  beat(): void {
    this.#write(': \n\n');
  }

  end(): void {
    this.#response.end();
  }

  get #isBehind(): boolean {
    return this.#response.writableNeedDrain || this.#response.destroyed;
  }

  #tell(): void {
    if (!this.#state || this.#isBehind) return;
    const { runs, contents, trouble } = this.#state;
    this.#tellTrouble(trouble);
    const list = JSON.stringify(runs);
    if (list !== this.#runs) this.#say({ name: 'runs', data: { runs } });
    this.#runs = list;
    if (contents) this.#tellRun(contents);
  }

  #tellTrouble(trouble: FeedState['trouble']): void {
    const said = trouble ? JSON.stringify(trouble) : '';
    if (said !== this.#trouble) this.#say({ name: 'trouble', data: trouble ?? { code: '', message: '' } });
    this.#trouble = said;
  }

  #tellRun(contents: FeedRunContents): void {
    const { run, graph, source, entries, events, snapshots } = contents;
    const record = JSON.stringify(run);
    if (record !== this.#record) this.#say({ name: 'run', data: { run } });
    this.#record = record;
    if (this.#graph === undefined) this.#say({ name: 'graph', data: { run: run.id, graph, source } });
    this.#graph = run.id;
    this.#tellItems('entries', entries, (part) => this.#say({ name: 'entries', data: { run: run.id, entries: part } }));
    this.#tellItems('events', events, (part) => this.#say({ name: 'events', data: { run: run.id, events: part } }));
    this.#tellItems('snapshots', snapshots, (part) => this.#say({ name: 'snapshots', data: { run: run.id, snapshots: part } }));
  }

  /** Sends the new items in parts, as long as the client keeps up. */
  #tellItems<T extends { readonly seq: number }>(
    name: 'entries' | 'events' | 'snapshots',
    items: readonly T[],
    say: (part: readonly T[]) => void,
  ): void {
    const fresh = items.filter(({ seq }) => seq > this.#told[name]);
    for (let at = 0; at < fresh.length && !this.#isBehind; at += perMessage) {
      const part = fresh.slice(at, at + perMessage);
      say(part);
      this.#told[name] = part.at(-1)?.seq ?? 0;
    }
  }

  #say({ name, data }: FeedMessage): void {
    this.#write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  #write(text: string): void {
    if (!this.#response.destroyed) this.#response.write(text);
  }
}
