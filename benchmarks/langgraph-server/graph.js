// The workflow of the server benchmark as a graph: one node that passes on the tokens of the same scripted model as they come.
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';

const model = new ChatOpenAI({ model: 'talk', apiKey: 'none', streaming: true, configuration: { baseURL: process.env.MODEL_URL } });
const state = Annotation.Root({ input: Annotation(), said: Annotation() });

export const graph = new StateGraph(state)
  .addNode('talk', async ({ input }, config) => {
    let said = '';
    for await (const { text } of await model.stream(input)) {
      said += text;
      if (text !== '') config.writer(text);
    }
    return { said };
  })
  .addEdge(START, 'talk')
  .addEdge('talk', END)
  .compile();
