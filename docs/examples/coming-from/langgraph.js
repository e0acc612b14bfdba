import { Annotation, Command, END, interrupt, MemorySaver, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ topic: Annotation(), text: Annotation() });
const graph = new StateGraph(State)
  .addNode('write', async ({ topic }) => ({ text: `${topic} hold hands.` }))
  .addNode('review', async ({ text }) => new Command({ goto: interrupt(`Publish "${text}"?`) === 'APPROVE' ? 'publish' : 'write' }), {
    ends: ['publish', 'write'],
  })
  .addNode('publish', async () => ({}))
  .addEdge(START, 'write')
  .addEdge('write', 'review')
  .addEdge('publish', END)
  .compile({ checkpointer: new MemorySaver() });

const config = { configurable: { thread_id: 'otters' } };
const asked = await graph.invoke({ topic: 'Otters' }, config);
console.log(asked.__interrupt__[0].value);
console.log((await graph.invoke(new Command({ resume: 'APPROVE' }), config)).text);
