// Loaded when it is asked for: most questions compare nothing.
export { compareContracts } from 'agent-machines/contracts';
