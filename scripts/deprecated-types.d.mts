export interface DeprecatedEntry {
  readonly path: string;
  /** Path of its replacement. */
  readonly now: string;
  readonly types: string;
  readonly module: string;
}
export function deprecatedEntries(): readonly DeprecatedEntry[];
export function writeDeprecatedTypes(): void;
