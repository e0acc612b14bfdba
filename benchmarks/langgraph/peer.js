// Stands in this folder because a bare specifier is resolved from the file that imports it.
export { Annotation, END, MemorySaver, START, StateGraph } from '@langchain/langgraph';
