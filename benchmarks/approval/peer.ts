// One program in four packages: a text is written, a human approves it, and it is published.

export interface PeerOptions {
  /** An empty PostgreSQL database, for what the package stores. */
  readonly connectionString: string;
  /** Publishes, or dies while it does. */
  readonly publish: (text: string) => null;
  /** Looks up whether the text has been published. */
  readonly isPublished: () => boolean;
}

/** The program, opened on its store. */
export interface Peer {
  /** Starts a run, and returns once it asks. */
  start(id: string, topic: string): Promise<void>;
  /** Approves, and returns the text once the run has ended. */
  answer(id: string): Promise<string>;
  /** Continues a run whose process has died while it published, as the package's manual says. Returns the text. */
  recover(id: string, topic: string): Promise<string>;
  close(): Promise<void>;
}

export const peerNames = ['agent-machines', 'LangGraph.js', 'Mastra', 'AI SDK'] as const;
export type PeerName = (typeof peerNames)[number];

/** The peers are JavaScript: their types are there only after they are installed. */
export const fileOf: Readonly<Record<PeerName, string>> = {
  'agent-machines': 'agent-machines.ts',
  'LangGraph.js': '../peers/langgraph.js',
  Mastra: '../peers/mastra.js',
  'AI SDK': '../peers/ai-sdk.js',
};
export const packageOf: Readonly<Record<Exclude<PeerName, 'agent-machines'>, string>> = {
  'LangGraph.js': '@langchain/langgraph',
  Mastra: '@mastra/core',
  'AI SDK': 'ai',
};

export async function openPeer(name: PeerName, options: PeerOptions): Promise<Peer> {
  const { open } = (await import(new URL(fileOf[name], import.meta.url).href)) as { open(options: PeerOptions): Promise<Peer> };
  return open(options);
}
