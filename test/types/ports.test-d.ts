// Checked by `tsc --noEmit`: what a user writes to put something of their own behind a port.
import type { Embedder, EmbedOptions } from 'agent-machines';
import { createArticleIndex } from 'agent-machines/contracts';
import { loadContract } from 'agent-machines/contracts/node';

const own: Embedder = {
  name: 'own',
  dimensions: 1,
  embed: async (texts: readonly string[], { purpose }: EmbedOptions = {}) =>
    texts.map(({ length }) => Float32Array.of(purpose === 'query' ? 1 : length)),
};

void createArticleIndex([await loadContract(new URL('lease.md', import.meta.url))], { embedder: own });
