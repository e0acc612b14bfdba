/**
 * Builds the inspector's page as one HTML text that loads no other resources. Its data comes from the feed.
 *
 * @param options.nonce allows the page's script.
 * @param options.script must be safe inside a `<script>`.
 */
export const inspectorPage = ({ nonce, script }: { readonly nonce: string; readonly script: string }): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>agent-machines</title>
<style>${pageStyle}</style>
</head>
<body>
<header>
<span class="brand">agent-machines</span>
<h1 id="title"></h1>
<span id="status" role="status"></span>
<span id="trouble" role="alert"></span>
<span class="space"></span>
<button type="button" id="theme"></button>
<button type="button" id="language"></button>
</header>
<nav id="runs" tabindex="0"></nav>
<main>
<div id="machine" tabindex="0" role="region"></div>
<div id="timeline" hidden>
<button type="button" id="previous"></button>
<button type="button" id="play"></button>
<button type="button" id="next"></button>
<input type="range" id="slider" min="0" max="0" value="0">
<span id="now" role="status"></span>
<p id="keys" class="quiet"></p>
</div>
</main>
<aside>
<div id="steps" tabindex="0"></div>
<div id="details" tabindex="0"></div>
</aside>
<script nonce="${nonce}">${script}</script>
</body>
</html>
`;

const pageStyle = `
:root{color-scheme:light dark;--paper:light-dark(#fff,#0f141b);--panel:light-dark(#f8fafc,#151c26);--ink:light-dark(#1f2937,#e5e7eb);--soft:light-dark(#526077,#9fadbf);--line:light-dark(#d5dce6,#2a3544);--blue:light-dark(#2563eb,#60a5fa);--chosen:light-dark(#dbeafe,#17305a);--good:light-dark(#176b3a,#6fd195);--waits:light-dark(#8a5200,#e5b64a);--bad:light-dark(#b03a3a,#ec9a9a)}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;height:100vh;display:grid;grid-template:auto 1fr/230px minmax(0,1fr) 380px;background:var(--paper);color:var(--ink);font:14px/1.45 system-ui,'Noto Sans CJK KR',sans-serif}
header{grid-column:1/-1;display:flex;flex-wrap:wrap;gap:8px 12px;align-items:center;padding:10px 16px;border-bottom:1px solid var(--line)}
h1{font-size:16px;margin:0}
h2{font-size:12px;margin:0 0 8px;color:var(--soft);text-transform:uppercase;letter-spacing:.06em}
h3{font-size:15px;margin:0 0 8px;overflow-wrap:anywhere}
h4{font-size:13px;margin:12px 0 4px}
header .brand{font-weight:600;color:var(--soft)}
header .brand,header button{white-space:nowrap}
header .space{flex:1}
button{font:inherit;color:inherit;background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:4px 10px;cursor:pointer}
button:hover{border-color:var(--blue)}
:focus-visible{outline:2px solid var(--blue);outline-offset:1px}
nav{overflow:auto;padding:14px;min-height:0}
nav{border-right:1px solid var(--line)}
aside{border-left:1px solid var(--line);min-height:0;display:grid;grid-template-rows:minmax(120px,40%) 1fr;gap:0}
#steps,#details{overflow:auto;padding:14px;min-height:0}
#details{border-top:1px solid var(--line)}
main{display:grid;grid-template-rows:1fr auto;min-height:0;min-width:0}
#machine{overflow:auto;padding:16px;text-align:center}
#machine svg{width:100%;height:auto}
#timeline{display:flex;gap:8px;align-items:center;padding:10px 16px;border-top:1px solid var(--line);flex-wrap:wrap}
#timeline input{flex:1;min-width:160px;accent-color:var(--blue)}
#timeline button{min-width:40px}
#now{min-width:16ch;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
#keys{flex-basis:100%;margin:0;font-size:12px}
ul,ol{list-style:none;margin:0;padding:0}
.runs button,.steps button{display:block;width:100%;text-align:left;margin-bottom:4px;background:none;border-color:transparent;padding:6px 8px;overflow-wrap:anywhere}
.runs button:hover,.steps button:hover{border-color:var(--line)}
[aria-current]{background:var(--chosen)!important;border-color:var(--blue)!important}
[aria-current] .quiet{color:var(--ink)}
.name{display:block;font-weight:500}
.quiet{color:var(--soft);font-size:12px}
.bad{color:var(--bad)}
.status{font-size:12px;font-weight:600;margin-inline-end:6px}
h3 .status{margin-inline-start:8px}
.good{color:var(--good)}.waits{color:var(--waits)}.live{color:var(--blue)}
[aria-current] .status{color:var(--ink)}
dl{display:grid;grid-template-columns:auto 1fr;gap:2px 12px;margin:0 0 10px}
dt{color:var(--soft)}dd{margin:0;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
pre,code{font:12px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}
pre{margin:4px 0 10px;padding:8px;max-height:320px;overflow:auto;background:var(--panel);border:1px solid var(--line);border-radius:6px;white-space:pre-wrap;overflow-wrap:anywhere}
summary{cursor:pointer;font-weight:600;font-size:13px}
.tools li{margin-bottom:4px;overflow-wrap:anywhere}
#trouble{color:var(--bad)}
@media (max-width:1000px){body{height:auto;display:block}aside{display:block;border:0}nav{border:0}#machine{max-height:75vh}}
`;
