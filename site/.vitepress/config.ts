// The documentation as a site. Its pages are made by scripts/site.ts; nothing is loaded from another origin.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DefaultTheme, defineConfig } from 'vitepress';

const pages = new URL('../.pages/', import.meta.url).pathname;

const titleOf = (file: string): string => /^# (.*)$/m.exec(readFileSync(file, 'utf8'))?.[1]?.replaceAll(/[`\\]/g, '') ?? file;

/** The pages of a folder, by their titles. */
const listed = (folder: string): DefaultTheme.SidebarItem[] =>
  existsSync(join(pages, folder))
    ? readdirSync(join(pages, folder), { withFileTypes: true }).flatMap((entry) =>
        entry.isFile() && entry.name.endsWith('.md')
          ? [{ text: titleOf(join(pages, folder, entry.name)), link: `/${folder}/${entry.name.replace(/(?:index)?\.md$/, '')}` }]
          : [],
      )
    : [];

interface Words {
  readonly start: string;
  readonly begin: string;
  readonly concepts: string;
  readonly terminal: string;
  readonly guides: string;
  readonly reference: string;
  readonly api: string;
  readonly workflows: string;
  readonly project: string;
  readonly glossary: string;
  readonly architecture: string;
  readonly changes: string;
}

/** @param root `''`, or `ko/`. */
const sidebar = (root: '' | 'ko/', words: Words): DefaultTheme.SidebarItem[] => [
  {
    text: words.begin,
    items: [
      { text: words.start, link: `/${root}start` },
      { text: words.concepts, link: `/${root}concepts` },
      { text: words.terminal, link: `/${root}terminal` },
    ],
  },
  { text: words.guides, items: listed(`${root}guides`) },
  { text: words.workflows, items: listed(`${root}machines`) },
  { text: words.reference, items: [...listed(`${root}reference`), { text: words.api, link: '/reference/api/' }] },
  {
    text: words.project,
    collapsed: true,
    items: [
      { text: words.glossary, link: `/${root}glossary` },
      { text: words.architecture, link: `/${root}architecture` },
      { text: words.changes, link: `/${root}CHANGELOG` },
      ...listed(`${root}decisions`),
    ],
  },
];

const english: Words = {
  start: 'Start',
  begin: 'Begin',
  concepts: 'Concepts',
  terminal: 'At the terminal',
  guides: 'Guides',
  reference: 'Reference',
  api: 'API',
  workflows: 'Workflows',
  project: 'The project',
  glossary: 'Glossary',
  architecture: 'Architecture',
  changes: 'Changelog',
};

const korean: Words = {
  start: '시작하기',
  begin: '처음',
  concepts: '개념',
  terminal: '터미널에서',
  guides: '안내서',
  reference: '참고',
  api: 'API (영어)',
  workflows: '워크플로',
  project: '프로젝트',
  glossary: '용어집',
  architecture: '구조',
  changes: '바뀐 것',
};

/** Korean breaks between words; a word that is longer than its line breaks where it has to. */
const koreanLines = ':lang(ko) { word-break: keep-all; overflow-wrap: anywhere; } :lang(ko) :is(pre, code) { word-break: normal; }';

/** Rows are long where columns are narrow: what a row is about stands at its top. */
const tableRows = '.vp-doc :is(td, th) { vertical-align: top; } .vp-doc td:first-child { min-width: 9em; overflow-wrap: anywhere; }';

export default defineConfig({
  title: 'agent-machines',
  description: 'LLM agent workflows as explicit XState machines.',
  srcDir: '.pages',
  outDir: '.built',
  head: [
    ['style', {}, koreanLines],
    ['style', {}, tableRows],
  ],
  cleanUrls: false, // the files open from any server
  locales: {
    root: { label: 'English', lang: 'en' },
    ko: {
      label: '한국어',
      lang: 'ko',
      description: 'LLM 에이전트 워크플로를 명시적인 XState 상태 기계로.',
      themeConfig: {
        nav: [
          { text: korean.start, link: '/ko/start' },
          { text: korean.guides, link: '/ko/guides/nodes' },
          { text: korean.reference, link: '/ko/reference/cli' },
        ],
        sidebar: sidebar('ko/', korean),
        outline: { label: '이 쪽에서' },
        docFooter: { prev: '앞', next: '다음' },
        darkModeSwitchLabel: '밝기',
        sidebarMenuLabel: '차례',
        returnToTopLabel: '맨 위로',
        langMenuLabel: '언어',
      },
    },
  },
  themeConfig: {
    nav: [
      { text: english.start, link: '/start' },
      { text: english.guides, link: '/guides/nodes' },
      { text: english.reference, link: '/reference/cli' },
      { text: english.api, link: '/reference/api/' },
    ],
    sidebar: sidebar('', english),
    outline: 'deep',
    search: {
      provider: 'local',
      options: {
        locales: {
          ko: {
            translations: {
              button: { buttonText: '찾기', buttonAriaLabel: '찾기' },
              modal: {
                noResultsText: '찾은 것이 없습니다',
                resetButtonTitle: '지우기',
                footer: { selectText: '열기', navigateText: '고르기', closeText: '닫기' },
              },
            },
          },
        },
      },
    },
  },
});
