/** A contract is private, and its text is untrusted. No tool of this workflow sends data out. */
export const access = 'inbox';

/** Fits twenty long Korean articles, at three bytes a character. */
export const maxOutputBytes = 524_288;
