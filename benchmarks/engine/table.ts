/** Prints a table: the first column to the left, numbers to the right. */
export function printTable(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  console.log(`\n${title}`);
  for (const line of lines) {
    console.log(line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  '));
  }
}
