import type { FeedMessage, FeedRun, FeedRunContents } from '../../node/feed-types.ts';

export interface FeedState {
  readonly runs: readonly FeedRun[];
  /** Contents of the requested run. */
  readonly contents: FeedRunContents | undefined;
  readonly trouble: string;
  readonly connected: boolean;
}

const emptyState: FeedState = { runs: [], contents: undefined, trouble: '', connected: false };

/** Applies a message to the data. Texts of the feed are untrusted; the page shows them as text only. */
export function applyMessage(state: FeedState, message: FeedMessage): FeedState {
  const { name, data } = message;
  switch (name) {
    case 'hello':
      return { ...emptyState, connected: true };
    case 'runs':
      return { ...state, runs: data.runs };
    case 'trouble':
      return { ...state, trouble: data.code === '' ? '' : `${data.code}: ${data.message}` };
    case 'run':
      return { ...state, contents: { graph: null, source: '', events: [], entries: [], snapshots: [], ...state.contents, run: data.run } };
    default:
      return state.contents ? { ...state, contents: withMore(state.contents, message) } : state;
  }
}

function withMore(contents: FeedRunContents, { name, data }: FeedMessage): FeedRunContents {
  if (name === 'graph') return { ...contents, graph: data.graph, source: data.source };
  if (name === 'events') return { ...contents, events: [...contents.events, ...data.events] };
  if (name === 'entries') return { ...contents, entries: [...contents.entries, ...data.entries] };
  if (name === 'snapshots') return { ...contents, snapshots: [...contents.snapshots, ...data.snapshots] };
  return contents;
}

const names = ['hello', 'runs', 'run', 'graph', 'events', 'entries', 'snapshots', 'trouble'] as const;

/** Connects to the feed of the page's server. @returns a function that closes the connection. */
export function listen(run: string | undefined, onChange: (state: FeedState) => void): () => void {
  const source = new EventSource(run === undefined ? 'feed' : `feed?run=${encodeURIComponent(run)}`);
  let state = emptyState;
  const take = (message: FeedMessage): void => {
    state = applyMessage(state, message);
    onChange(state);
  };
  for (const name of names) {
    source.addEventListener(name, (event) => take({ name, data: JSON.parse((event as MessageEvent<string>).data) } as FeedMessage));
  }
  source.addEventListener('error', () => {
    state = { ...state, connected: false };
    onChange(state);
  });
  return () => source.close();
}
