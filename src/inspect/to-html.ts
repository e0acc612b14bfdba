import type { MachineGraph } from '../engine/define/graph.ts';
import { escapeXml } from './drawing/escape-xml.ts';
import { type SvgOptions, toSvg } from './drawing/to-svg.ts';

/** Builds a standalone page with a machine's drawing: one file without script or network access. The default theme follows the reader. */
export function toHtml(graph: MachineGraph, options: SvgOptions = {}): string {
  const { theme = 'auto', title = `${graph.id} ${graph.version}` } = options;
  const scheme = theme === 'auto' ? 'light dark' : theme;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="${scheme}">
<title>${escapeXml(title)}</title>
<style>body{margin:24px;font:16px system-ui,sans-serif}h1{font-size:20px}main div{overflow-x:auto}</style>
</head>
<body>
<main>
<h1>${escapeXml(title)}</h1>
<div tabindex="0">
${toSvg(graph, { ...options, theme, title })}</div>
</main>
</body>
</html>
`;
}
