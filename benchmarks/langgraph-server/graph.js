// The workflow of the server benchmark as a graph: one node that says tokens as they come. It is given the same scripted model.
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { talk } from '../server/talk.ts';

const state = Annotation.Root({ said: Annotation() });

export const graph = new StateGraph(state)
  .addNode('talk', async (_state, config) => ({ said: await talk((text) => config.writer(text)) }))
  .addEdge(START, 'talk')
  .addEdge('talk', END)
  .compile();
