// Loaded once the window is full; most conversations are shorter.
export { extractiveSummarizer, slideWindow } from 'agent-machines/memory';
