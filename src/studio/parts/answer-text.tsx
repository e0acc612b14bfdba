import { type ComponentProps, memo, type ReactNode } from 'react';
import Markdown, { type Components } from 'react-markdown';
import remarkBreaks from 'remark-breaks';
import remarkGfm from 'remark-gfm';
import { clauseParagraphs } from '../model/clause-paragraphs.ts';
import { safeLink } from '../model/safe-link.ts';
import { visibleText } from '../model/visible-text.ts';
import { useWords } from './studio-context.tsx';

/** Renders a model's text as Markdown. HTML is shown as text, images are not loaded, and links show their target. */
export const AnswerText = memo(function AnswerText({ text }: { readonly text: string }): ReactNode {
  return (
    <Markdown remarkPlugins={plugins} components={components} urlTransform={asWritten}>
      {clauseParagraphs(visibleText(text))}
    </Markdown>
  );
});

const plugins = [remarkGfm, remarkBreaks];
/** Unchanged, because `safeLink` checks the URL when it is rendered. */
const asWritten = (url: string): string => url;

function Link({ href, children }: ComponentProps<'a'>): ReactNode {
  const link = safeLink(href);
  if (!link) {
    return (
      <span className="nolink">
        {children} <code>{visibleText(href ?? '')}</code>
      </span>
    );
  }
  return (
    <a href={link.href} target="_blank" rel="noopener noreferrer nofollow">
      {children} <span className="host">({link.shown})</span>
    </a>
  );
}

function Picture({ src, alt }: ComponentProps<'img'>): ReactNode {
  const say = useWords();
  const from = safeLink(typeof src === 'string' ? src : undefined)?.shown;
  return (
    <span className="nolink">
      [{say.imageNotLoaded}
      {alt ? `: ${visibleText(alt)}` : ''}
      {from ? ` (${from})` : ''}]
    </span>
  );
}

/** Read-only checkbox of a task list. */
const Box = ({ checked }: ComponentProps<'input'>): ReactNode => <span>{checked ? '☑ ' : '☐ '}</span>;

/** Headings of an answer are paragraphs, so that only the page's own headings structure the page. */
const Heading = ({ children }: ComponentProps<'h1'>): ReactNode => <p className="b head-in">{children}</p>;

const components: Components = {
  a: Link,
  img: Picture,
  input: Box,
  h1: Heading,
  h2: Heading,
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
};
