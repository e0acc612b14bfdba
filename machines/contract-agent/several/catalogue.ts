import { type ContractDocument, type ContractParty, contractFacts } from 'agent-machines/contracts';

/** A contract in a list of several. */
export interface CatalogueEntry {
  readonly name: string;
  readonly title: string;
  readonly document: ContractDocument;
  readonly parties: readonly ContractParty[];
}

/** Lists contracts with their titles and parties. */
export const catalogueOf = (
  contracts: readonly { readonly name: string; readonly document: ContractDocument }[],
): readonly CatalogueEntry[] =>
  contracts.map(({ name, document }) => ({ name, title: document.title, document, parties: contractFacts(document).parties }));

const maxPartyChars = 60;

/** Describes a contract in a line: its name, title and parties. */
function describeEntry({ name, title, parties }: CatalogueEntry): string {
  const named = parties.flatMap((party) => party.name ?? []).slice(0, 2);
  const between = named.map((party) => (party.length > maxPartyChars ? `${party.slice(0, maxPartyChars - 1)}…` : party)).join(', ');
  return [name, title === name ? '' : title, between].filter(Boolean).join(' — ');
}

const maxLineChars = 200;

/** Describes contracts for a prompt or a reader, within a number of characters. Says how many are left out. */
export function describeCatalogue(
  catalogue: readonly CatalogueEntry[],
  { maxChars, korean }: { readonly maxChars: number; readonly korean: boolean },
): readonly string[] {
  const lines: string[] = [];
  let chars = 0;
  for (const entry of catalogue) {
    const line = describeEntry(entry).slice(0, maxLineChars);
    chars += line.length + 3;
    if (chars > maxChars) break;
    lines.push(line);
  }
  const left = catalogue.length - lines.length;
  if (left > 0) lines.push(korean ? `그 밖에 ${left}개` : `and ${left} more`);
  return lines;
}
