export * from '../create-contract-agent.ts';
