// Loaded on demand; most questions compare nothing.
export { compareContracts } from 'agent-machines/contracts';
