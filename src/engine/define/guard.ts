/** A named, pure, synchronous test of the state as it will be after the node's patch. */
export type Guard<TState> = (state: Readonly<TState>) => boolean;
