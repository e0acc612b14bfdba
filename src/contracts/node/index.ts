export { contractFormats } from './contract-formats.ts';
export { loadContract } from './load-contract.ts';
