// The machine is the package's, and so are its promises: nothing runs that a model did not call, a call that waits runs only after a
// human has decided, and no call is lost.
export { exploreOptions, invariants } from 'agent-machines/machines/tool-agent/testing';
export { assistant } from './workflow.ts';
