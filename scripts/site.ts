// Builds the documentation as a site, site/.built: the pages of docs and of the machines in English and Korean, the API from the docstrings,
// and what the command line really prints. `npm run docs`; what it needs is installed into site/ by its own lock file.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { doors } from './doors.ts';
import { installLockedFolder } from './install-locked-folder.ts';

const site = 'site';
const pages = join(site, '.pages');
const doorFiles = join(site, '.doors');

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

const machineNames = readdirSync('machines').filter((name) => existsSync(`machines/${name}/README.md`));

/** Files of the repository that are pages, and where. */
const sources = new Map<string, string>([
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name): [string, string] => [join('docs', name), name === 'ko.md' ? 'ko/guide.md' : name]),
  ...machineNames.map((name): [string, string] => [`machines/${name}/README.md`, `machines/${name}.md`]),
  ...['AGENTS.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'].map((name): [string, string] => [name, name]),
  ['README.md', 'readme.md'],
  ['benchmarks/README.md', 'benchmarks.md'],
  ['machines/README.md', 'machines/index.md'],
  ['test/README.md', 'tests.md'],
]);

const languages: Readonly<Record<string, string>> = { json: 'json', md: 'md', mjs: 'js', ts: 'ts', tsx: 'tsx', sh: 'sh', yml: 'yml' };

/** A page that shows a file of the repository, or what is in a folder: what a document refers to is in the site, too. */
function showFile(path: string): string {
  const page = join('files', `${path.replaceAll(/^\.+\/?|\/$|\.md$/g, '') || 'index'}.md`); // a page may not end in .md.md
  if (existsSync(join(pages, page))) return page;
  if (statSync(path).isDirectory()) {
    const names = readdirSync(path).filter((name) => name !== 'node_modules');
    write(join(pages, page), `# ${path}\n\n${names.map((name) => `- \`${name}\``).join('\n')}\n`);
  } else {
    const language = languages[path.split('.').at(-1) ?? ''] ?? 'text';
    write(join(pages, page), `# ${path}\n\n\`\`\`\`\`${language}\n${readFileSync(path, 'utf8')}\n\`\`\`\`\`\n`);
  }
  return page;
}

/** The text of a page with its links as they are in the site. */
const withLinks = (source: string, text: string, language: '' | 'ko/'): string =>
  text.replaceAll(
    /(\]\(|(?:src|srcset)=")(?!https?:|#|mailto:)([^)#"\s]+)(#[a-z])?/g,
    (whole, before: string, target: string, heading = '') => {
      const path = join(dirname(source), target);
      if (!existsSync(path)) return whole; // of code
      const page = sources.get(path);
      if (page !== undefined) {
        // the headings of a translation are other ones
        const isTranslated = heading !== '' && existsSync(join('docs/ko', page));
        return `${before}/${page.startsWith('ko/') || isTranslated ? '' : language}${page}${heading}`;
      }
      if (path.startsWith('docs/') && /\.(?:svg|png)$/.test(path)) return `${before}/${relative('docs', path)}`;
      return /^machines\/.*\.svg$/.test(path) || before !== '](' ? whole : `${before}/${showFile(path)}${heading}`;
    },
  );

/** Each code of a table gets an address. */
const withAnchors = (text: string): string =>
  text.replaceAll(
    /^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \|/gm,
    (_, codes: string) => `| ${codes.replaceAll(/`([A-Z_]+)`/g, '<a id="$1"></a>`$1`')} |`,
  );

/** Vue takes `{{` for its own outside of code. */
const withoutVue = (text: string): string => text.replaceAll('{{', '&#123;&#123;');

const toPage = (source: string, language: '' | 'ko/'): string => {
  const text = withLinks(source, readFileSync(source, 'utf8'), language);
  const inProse = text.split(/(^```[\s\S]*?^```)/m).map((part, index) => (index % 2 === 0 ? withoutVue(part) : part));
  const page = inProse.join('');
  return /reference\/(?:errors|lint)\.md$/.test(source) ? withAnchors(page) : page;
};

function copyDocs(): void {
  cpSync('docs/drawings', join(pages, 'public/drawings'), { recursive: true });
  for (const [source, page] of sources) {
    write(join(pages, page), toPage(source, page.startsWith('ko/') ? 'ko/' : ''));
    if (page.startsWith('ko/') || [...sources.values()].includes(`ko/${page}`)) continue;
    // the switch of the language leads somewhere from every page
    const notice = '::: info\n이 쪽은 아직 한국어로 옮기지 않아 영어로 보여 줍니다.\n:::\n\n';
    write(join(pages, 'ko', page), notice + toPage(source, 'ko/'));
  }
  write(join(pages, 'index.md'), readFileSync(join(site, 'home.md'), 'utf8'));
  write(join(pages, 'ko/index.md'), readFileSync(join(site, 'home.ko.md'), 'utf8'));
  // the Korean overview has no English counterpart: from it, the switch leads to what says the same
  write(
    join(pages, 'guide.md'),
    '# Guide\n\n[Start](/start.md) · [Concepts](/concepts.md) · [Command line](/reference/cli.md) · [Errors](/reference/errors.md)\n',
  );
  addUntranslated();
}

/** The codes that the Korean page does not have yet, as the English one has them. */
function addUntranslated(): void {
  const page = join(pages, 'ko/reference/errors.md');
  const text = readFileSync(page, 'utf8');
  const rows = [...readFileSync('docs/reference/errors.md', 'utf8').matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \| (.*?) \| /gm)];
  const missing = rows.filter(([, codes = '']) => !/`([A-Z_]+)`/g.exec(codes)?.some((code) => text.includes(`id="${code}"`)));
  if (missing.length === 0) return;
  const table = missing.map(([, codes, means]) => `| ${codes} | ${means} |`).join('\n');
  writeFileSync(page, withoutVue(`${text}\n${withAnchors(`## 그 밖에 (영어)\n\n| 코드 | 뜻 |\n|---|---|\n${table}`)}\n`));
}

/** TypeDoc numbers a heading that its page has only once when another door has it, too. */
function withFoundHeadings(text: string): string {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading.toLowerCase().replaceAll(/[^\p{L}\p{N}_-]/gu, ''));
  return text.replaceAll(/\]\(#([a-z0-9_]+)-\d+\)/g, (whole, name: string) =>
    headings.filter((heading) => heading === name).length === 1 ? `](#${name})` : whole,
  );
}

/** The API of every door, from the docstrings. */
function describeApi(): void {
  const entries = Object.entries(doors).map(([door, target]) => {
    const file = join(doorFiles, `${door === '.' ? 'agent-machines' : door.slice(2)}.ts`);
    write(file, `export * from '${relative(dirname(file), target['@agent-machines/source'])}';\n`);
    return relative(site, file);
  });
  const out = relative(site, join(pages, 'reference/api'));
  execFileSync('node_modules/.bin/typedoc', ['--options', 'typedoc.json', '--out', out, ...entries], { cwd: site, stdio: 'inherit' });
  const made = readdirSync(join(pages, 'reference/api'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  for (const name of made) {
    const path = join(pages, 'reference/api', name);
    writeFileSync(path, withoutVue(withFoundHeadings(readFileSync(path, 'utf8'))));
    const english = `/reference/api/${name}`;
    write(
      join(pages, 'ko/reference/api', name),
      `---\nsearch: false\n---\n\n# API\n\nAPI 참고는 영어로만 있습니다: [${name.replace(/\.md$/, '')}](${english})\n`,
    );
  }
}

const sessions: readonly (readonly string[])[] = [
  ['run', 'plan-execute', '123 * 456 계산해줘'],
  ['run', 'plan-execute', 'Find interrupt in the docs and calculate 7*6'],
  ['run', 'contract-agent', '--contract', 'machines/contract-agent/examples/service.md', '지체상금은 하루에 얼마야?'],
  ['run', 'guide-agent', '유튜브 쇼츠를 만들어서 올리고 싶어'],
  ['articles', 'machines/contract-agent/examples/service.md'],
  ['verify', 'tool-agent'],
  ['explain', 'RUN_FENCED', 'UNREACHABLE_STATE'],
];

/** What the command line prints, taken from it now: nobody has to keep it up to date. */
function recordSessions(): void {
  const home = mkdtempSync(join(tmpdir(), 'agent-machines-site-'));
  const { PATH = '', HOME = '' } = process.env;
  const start = ['--conditions=@agent-machines/source', 'src/cli/bin.ts'];
  const own = [process.execPath, ...start.slice(0, 1), join(process.cwd(), 'src/cli/bin.ts')].join(' ');
  const recorded = sessions.map((words) => {
    const keeps = ['run'].includes(words[0] ?? '');
    const args = [...start, ...words, ...(keeps ? ['--db', join(home, 'agents.db')] : [])];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env: { PATH, HOME, NO_COLOR: '1' } });
    const shown = `${stderr}${stdout}`
      .replaceAll(own, 'agent-machines')
      .replaceAll(` --db ${join(home, 'agents.db')}`, '')
      .trimEnd();
    const command = words.map((word) => (/^[\w./-]+$/.test(word) ? word : `"${word}"`)).join(' ');
    return `\`\`\`\`\`text\n$ agent-machines ${command}\n${shown}\n\`\`\`\`\`\n`;
  });
  rmSync(home, { recursive: true });
  const text = recorded.join('\n');
  write(
    join(pages, 'terminal.md'),
    `# At the terminal\n\nWhat the command line printed when these pages were built, without a key.\n\n${text}`,
  );
  write(join(pages, 'ko/terminal.md'), `# 터미널에서\n\n이 문서를 만들 때 명령줄이 키 없이 실제로 출력한 것입니다.\n\n${text}`);
}

installLockedFolder(new URL(`../${site}/`, import.meta.url));
rmSync(pages, { recursive: true, force: true });
rmSync(doorFiles, { recursive: true, force: true });
copyDocs();
recordSessions();
describeApi();
for (const name of readdirSync(join(pages, 'files'), { recursive: true, encoding: 'utf8' })) {
  const path = join(pages, 'files', name);
  if (!name.endsWith('.md')) continue;
  const text = readFileSync(path, 'utf8');
  const title = text.slice(0, text.indexOf('\n'));
  // what is shown is the same in every language: once is enough
  write(join(pages, 'ko/files', name), `---\nsearch: false\n---\n\n${title}\n\n[파일 보기](/files/${name})\n`);
}
execFileSync('node_modules/.bin/vitepress', ['build', '.'], { cwd: site, stdio: 'inherit' });
