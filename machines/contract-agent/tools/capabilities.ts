import type { ToolCapabilities } from 'agent-machines';

/** A contract is private, and whoever wrote it may have written anything into it. None of the tools sends anything out. */
export const capabilities: ToolCapabilities = { private: true, untrusted: true, external: false };

/** Twenty long articles in Korean, three bytes a character. */
export const maxOutputBytes = 524_288;
