/**
 * True if a run may send data out although its thread holds private data. Its start granted that, or its stored input did, as inputs of
 * earlier versions could.
 *
 * @param storedInput Result of `parseInput`, which rejects a caller's `grantEgress`.
 * @example toMachineInput: (input, start) => ({ egressGranted: start.thread.egressGranted || isEgressGranted(input, start) })
 */
export const isEgressGranted = (storedInput: object, { grantEgress = false }: { readonly grantEgress?: boolean }): boolean =>
  grantEgress || ('grantEgress' in storedInput && storedInput.grantEgress === true);
