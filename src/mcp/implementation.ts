/** What a client and a server of this package call themselves. The version is the package's: a test compares the two. */
export const implementation: { readonly name: string; readonly version: string } = Object.freeze({
  name: 'agent-machines',
  version: '0.1.0',
});
