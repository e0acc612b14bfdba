/**
 * True if a run may send data out although private data is in its thread: its start granted it, or its stored input did, as the inputs of
 * earlier versions could.
 *
 * @param storedInput What `parseInput` returned: it has refused `grantEgress` of the caller.
 * @example toMachineInput: (input, start) => ({ egressGranted: start.thread.egressGranted || isEgressGranted(input, start) })
 */
export const isEgressGranted = (storedInput: object, { grantEgress = false }: { readonly grantEgress?: boolean }): boolean =>
  grantEgress || ('grantEgress' in storedInput && storedInput.grantEgress === true);
