import type { ToolCapabilities } from 'agent-machines';

/** A contract is private, and its text is untrusted. No tool of this workflow sends data out. */
export const capabilities: ToolCapabilities = { private: true, untrusted: true, external: false };

/** Fits twenty long Korean articles, at three bytes a character. */
export const maxOutputBytes = 524_288;
