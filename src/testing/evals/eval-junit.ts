import type { EvalReport, EvalRow } from './eval-report.ts';

/** Writes a report as JUnit XML: one test case for each run, which fails if a grader that counts gives less than 1. */
export function evalJunit(report: EvalReport, { timings = false }: { readonly timings?: boolean } = {}): string {
  const counted = report.graders.filter(({ isTiming }) => timings || !isTiming).map(({ name }) => name);
  const lowOf = (row: EvalRow): readonly string[] =>
    counted.flatMap((name) => {
      const { score = 0, why } = row.scores[name] ?? {};
      return score < 1 ? [`${name}: ${score}${why === undefined ? '' : `, ${why}`}`] : [];
    });
  const cases = report.rows.map((row) => {
    const name = report.repeats === 1 ? row.case : `${row.case} #${row.repeat + 1}`;
    const head = `  <testcase classname="${escapeXml(report.eval)}" name="${escapeXml(name)}" time="${seconds(row.durationMs)}"`;
    const low = lowOf(row);
    if (row.error) return `${head}><error message="${escapeXml(`${row.error.code}: ${row.error.message}`)}"/></testcase>`;
    return low.length === 0 ? `${head}/>` : `${head}><failure message="${escapeXml(low.join('; '))}"/></testcase>`;
  });
  const errors = report.rows.filter(({ error }) => error !== undefined).length;
  const failures = report.rows.filter((row) => row.error === undefined && lowOf(row).length > 0).length;
  const time = seconds(report.rows.reduce((sum, { durationMs }) => sum + durationMs, 0));
  const counts = `tests="${report.rows.length}" failures="${failures}" errors="${errors}" time="${time}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${counts}>
<testsuite name="${escapeXml(report.eval)}" ${counts}>
${cases.join('\n')}
</testsuite>
</testsuites>
`;
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

/** XML 1.0 has no control characters but tab and line breaks, and no half characters. */
const forbidden = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

const escapeXml = (text: string): string =>
  text.replaceAll(forbidden, '\ufffd').replaceAll(/[<>&"'\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
