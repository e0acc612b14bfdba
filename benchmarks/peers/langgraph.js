import { Annotation, Command, END, interrupt, START, StateGraph } from '@langchain/langgraph';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';

const State = Annotation.Root({ topic: Annotation(), text: Annotation() });

/** The program on LangGraph.js. See `../approval/peer.ts`. */
export async function open({ connectionString, publish }) {
  const checkpointer = PostgresSaver.fromConnString(connectionString);
  await checkpointer.setup();
  const graph = new StateGraph(State)
    .addNode('write', async ({ topic }) => ({ text: `${topic} hold hands while they sleep.` }))
    .addNode('review', async () => new Command({ goto: interrupt('Publish?') === 'APPROVE' ? 'publish' : 'write' }), {
      ends: ['publish', 'write'],
    })
    .addNode('publish', async ({ text }) => {
      await publish(text);
      return {};
    })
    .addEdge(START, 'write')
    .addEdge('write', 'review')
    .addEdge('publish', END)
    .compile({ checkpointer });
  // each step is stored before the next one begins, as the other stores do it
  const config = (id) => ({ configurable: { thread_id: id }, durability: 'sync' });
  return {
    async start(id, topic) {
      const { __interrupt__ } = await graph.invoke({ topic }, config(id));
      if (__interrupt__?.[0]?.value !== 'Publish?') throw new Error('It has not asked.');
    },
    answer: async (id) => (await graph.invoke(new Command({ resume: 'APPROVE' }), config(id))).text,
    recover: async (id) => (await graph.invoke(null, config(id))).text,
    close: () => checkpointer.end(),
  };
}
