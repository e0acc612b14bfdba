#!/usr/bin/env node
// No static imports: an old Node must print the message before it loads an unsupported module.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `agent-machines needs Node >= 22.18; this is Node ${process.versions.node} (${process.execPath}).\n` +
      'In a clone, `npx agent-machines …` uses the Node of node_modules. Elsewhere, install Node 24.',
  );
  process.exit(1);
}
// Node 22 warns at every command that SQLite is experimental; the tests also run on Node 22
const emitWarning = process.emitWarning.bind(process) as (...given: unknown[]) => void;
process.emitWarning = (...given: unknown[]): void => {
  if (given[1] !== 'ExperimentalWarning' || !String(given[0]).startsWith('SQLite ')) emitWarning(...given);
};
const { enableCompileCache } = await import('node:module');
const { dirname } = await import('node:path');
const { directory } = enableCompileCache(); // compiling modules takes a third of the time to the first answer
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= dirname(directory); // also for the processes that read documents
const { main } = await import('./main.ts');
await main(process.argv);

export {};
