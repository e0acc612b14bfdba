// Loaded once a message has left the window; most conversations are shorter.
export { recall } from 'agent-machines/memory';
