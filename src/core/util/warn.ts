/** Warns the operator: as a process warning, or on the console of an engine without those. */
export function warn(message: string, code: string): void {
  const { process } = globalThis as { readonly process?: { emitWarning?(message: string, options: object): void } };
  if (process?.emitWarning) process.emitWarning(message, { type: 'AgentMachinesWarning', code });
  else console.warn(`${code}: ${message}`);
}
