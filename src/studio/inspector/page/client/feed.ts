import type { FeedMessage, FeedRun, FeedRunContents } from '../../node/feed-types.ts';

/** Data received from the feed so far. */
export interface Told {
  readonly runs: readonly FeedRun[];
  /** Contents of the requested run. */
  readonly contents: FeedRunContents | undefined;
  readonly trouble: string;
  readonly connected: boolean;
}

const nothing: Told = { runs: [], contents: undefined, trouble: '', connected: false };

/** Applies a message to the data. Texts of the feed are untrusted; the page shows them as text only. */
export function tell(told: Told, message: FeedMessage): Told {
  const { name, data } = message;
  switch (name) {
    case 'hello':
      return { ...nothing, connected: true };
    case 'runs':
      return { ...told, runs: data.runs };
    case 'trouble':
      return { ...told, trouble: data.code === '' ? '' : `${data.code}: ${data.message}` };
    case 'run':
      return { ...told, contents: { graph: null, events: [], entries: [], snapshots: [], ...told.contents, run: data.run } };
    default:
      return told.contents ? { ...told, contents: withMore(told.contents, message) } : told;
  }
}

function withMore(contents: FeedRunContents, { name, data }: FeedMessage): FeedRunContents {
  if (name === 'graph') return { ...contents, graph: data.graph };
  if (name === 'events') return { ...contents, events: [...contents.events, ...data.events] };
  if (name === 'entries') return { ...contents, entries: [...contents.entries, ...data.entries] };
  if (name === 'snapshots') return { ...contents, snapshots: [...contents.snapshots, ...data.snapshots] };
  return contents;
}

const names = ['hello', 'runs', 'run', 'graph', 'events', 'entries', 'snapshots', 'trouble'] as const;

/** Connects to the feed of the page's server. @returns a function that closes the connection. */
export function listen(run: string | undefined, onTold: (told: Told) => void): () => void {
  const source = new EventSource(run === undefined ? 'feed' : `feed?run=${encodeURIComponent(run)}`);
  let told = nothing;
  const take = (message: FeedMessage): void => {
    told = tell(told, message);
    onTold(told);
  };
  for (const name of names) {
    source.addEventListener(name, (event) => take({ name, data: JSON.parse((event as MessageEvent<string>).data) } as FeedMessage));
  }
  source.addEventListener('error', () => {
    told = { ...told, connected: false };
    onTold(told);
  });
  return () => source.close();
}
