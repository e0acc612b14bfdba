/** Tells whoever runs the program, where nobody else hears of it: as a warning of the process, or on the console where there is none. */
export function warn(message: string, code: string): void {
  const { process } = globalThis as { readonly process?: { emitWarning?(message: string, options: object): void } };
  if (process?.emitWarning) process.emitWarning(message, { type: 'AgentMachinesWarning', code });
  else console.warn(`${code}: ${message}`);
}
