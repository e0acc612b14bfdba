#!/usr/bin/env node
// No static import here: an old Node must come to the message before it meets a module that it cannot load.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `agent-machines needs Node >= 22.18; this is Node ${process.versions.node} (${process.execPath}).\n` +
      'In a clone, `npx agent-machines …` uses the Node of node_modules. Elsewhere, install Node 24.',
  );
  process.exit(1);
}
// Node 22 would say at every command that SQLite is an experiment there; the tests run on it, too
const emitWarning = process.emitWarning.bind(process) as (...given: unknown[]) => void;
process.emitWarning = (...given: unknown[]): void => {
  if (given[1] !== 'ExperimentalWarning' || !String(given[0]).startsWith('SQLite ')) emitWarning(...given);
};
const { enableCompileCache } = await import('node:module');
const { dirname } = await import('node:path');
const { directory } = enableCompileCache(); // a third of the time until the first answer goes into compiling modules
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= dirname(directory); // and in the processes that read documents
const { main } = await import('./main.ts');
await main(process.argv);

export {};
