/** Name and version that clients and servers of this package send. A test checks that the version is the package's. */
export const implementation: { readonly name: string; readonly version: string } = Object.freeze({
  name: 'agent-machines',
  version: '0.1.0',
});
