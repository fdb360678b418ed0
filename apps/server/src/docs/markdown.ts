import { escapeHtml } from '@tributary/api-kit'
import { Marked, type Token, type Tokens } from 'marked'

/** A heading of a page below its title. */
export type Heading = { depth: number; id: string; text: string }

/** The text below one heading, for the search. `id` is the anchor; '' for text before the first heading. */
export type Section = { id: string; heading: string; text: string }

/** A page's text as HTML, with its headings and sections for lists and the search. */
export type Rendered = { title: string; html: string; headings: readonly Heading[]; sections: readonly Section[] }

/** The reader's values that appear in code, by the names that guides use. */
export type FillName = 'origin' | 'host' | 'insecure' | 'writeKey'

/** Placeholders for the reader's values in guides and other Markdown files. */
const placeholders = /\{\{ ?(origin|host|insecure|writeKey) ?\}\}|http:\/\/127\.0\.0\.1:3000\b|YOUR_WRITE_KEY\b/g

const nameOf = (written: string, name: string | undefined): FillName =>
  (name as FillName | undefined) ?? (written.startsWith('http') ? 'origin' : 'writeKey')

/** Text without the reader's own values. */
const plainFill = (text: string, values: Readonly<Record<FillName, string>>): string =>
  text.replaceAll(placeholders, (written, name?: string) => values[nameOf(written, name)])

const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

/** The text of parsed Markdown without markup; table headers are omitted. */
const wordsOf = (tokens: readonly Token[]): string =>
  tokens
    .map((token): string => {
      if (token.type === 'table') {
        return (token as Tokens.Table).rows.map((row) => row.map((cell) => wordsOf(cell.tokens)).join(' ')).join('\n')
      }
      if (token.type === 'list')
        return (token as Tokens.List).items.map(({ tokens: inner }) => wordsOf(inner)).join('\n')
      if ('tokens' in token && token.tokens !== undefined) return wordsOf(token.tokens)
      return 'text' in token && typeof token.text === 'string' ? token.text : ' '
    })
    .join(tokens.some(({ type }) => type === 'paragraph' || type === 'table' || type === 'code') ? '\n' : '')

const languages: Readonly<Record<string, string>> = {
  sh: 'Shell',
  shell: 'Shell',
  js: 'JavaScript',
  javascript: 'JavaScript',
  jsx: 'JSX',
  tsx: 'TSX',
  typescript: 'TypeScript',
  json: 'JSON',
  sql: 'SQL',
  html: 'HTML',
  xml: 'XML',
  php: 'PHP',
  csharp: 'C#',
  liquid: 'Liquid',
  yaml: 'YAML',
  toml: 'TOML',
  address: 'Address',
  text: 'Text',
}

const languageOf = (lang: string | undefined): string => {
  const name = lang ?? ''
  return languages[name] ?? (name === '' ? 'Text' : name.charAt(0).toUpperCase() + name.slice(1))
}

/** Escaped text with an element around each of the reader's values, which the page's script fills in. */
const withFills = (text: string, values: Readonly<Record<FillName, string>>): string =>
  escapeHtml(text).replaceAll(placeholders, (written, name?: string) => {
    const fill = nameOf(written, name)
    return `<span data-fill="${fill}">${escapeHtml(values[fill])}</span>`
  })

/**
 * Adds possible line breaks after underscores to code in HTML. Otherwise a name that is wider than its column breaks
 * within a word.
 */
const withBreaks = (html: string): string =>
  html
    .split('</code>')
    .map((text, index, parts) => {
      const start = text.indexOf('<code>', text.lastIndexOf('\n') + 1)
      return start < 0 || index === parts.length - 1
        ? text
        : text.slice(0, start) + text.slice(start).replaceAll(/_(?=[A-Za-z0-9])/g, '_<wbr>')
    })
    .join('</code>')

const tableOf = (token: Tokens.Table, inline: (tokens: Token[]) => string): string => {
  const titles = token.header.map(({ text }) => text)
  const named = titles.some((text) => text !== '')
  const head = token.header.map((cell) => `<th role="columnheader" scope="col">${inline(cell.tokens)}</th>`).join('')
  const body = token.rows.map((row) => {
    // Narrow screens show a row as a block, so each cell names its column.
    const cells = row.map((cell, at) => {
      const label =
        at === 0 || titles.length < 3 || (titles[at] ?? '') === ''
          ? ''
          : ` data-label="${escapeHtml(titles[at] ?? '')}"`
      const html = inline(cell.tokens)
      return `<td role="cell"${label}>${at === 0 ? withBreaks(html) : html}</td>`
    })
    return `<tr role="row">${cells.join('')}</tr>`
  })
  const thead = named ? `<thead role="rowgroup"><tr role="row">${head}</tr></thead>` : ''
  return `<table role="table">${thead}<tbody role="rowgroup">${body.join('')}</tbody></table>\n`
}

const sectionsOf = (tokens: readonly Token[], ids: readonly string[], words: (text: string) => string): Section[] => {
  const sections: (Section & { tokens: Token[] })[] = []
  let at = 0
  for (const token of tokens) {
    if (token.type === 'heading') {
      const id = ids[at++] ?? ''
      const { depth, tokens: inner } = token as Tokens.Heading
      sections.push({ id: depth === 1 ? '' : id, heading: depth === 1 ? '' : wordsOf(inner), text: '', tokens: [] })
    } else sections.at(-1)?.tokens.push(token)
  }
  return sections.map(({ id, heading, tokens: inner }) => ({ id, heading, text: words(wordsOf(inner)).trim() }))
}

/**
 * Renders the Markdown of a page, whose first heading is its title. HTML in it is shown as text. A link becomes plain
 * text if `addressOf` returns no address for it. The reader's values in code become elements that the page fills in;
 * until then they show `values`.
 */
export const renderMarkdown = (
  text: string,
  addressOf: (href: string) => string | undefined,
  values: Readonly<Record<FillName, string>>,
): Rendered => {
  const headings: Heading[] = []
  const taken = new Map<string, number>()
  const ids: string[] = []
  const markdown = new Marked({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading): string {
        const words = wordsOf(tokens)
        const wanted = anchorOf(words)
        const before = taken.get(wanted) ?? 0
        taken.set(wanted, before + 1)
        const id = before === 0 ? wanted : `${wanted}-${before + 1}`
        ids.push(id)
        headings.push({ depth, id, text: words })
        const link =
          depth === 1
            ? ''
            : ` <a class="anchor" href="#${escapeHtml(id)}" aria-label="Link to: ${escapeHtml(words)}">#</a>`
        return `<h${depth} id="${escapeHtml(id)}">${this.parser.parseInline(tokens)}${link}</h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link): string {
        const address = addressOf(href)
        const words = this.parser.parseInline(tokens)
        return address === undefined ? words : `<a href="${escapeHtml(address)}">${words}</a>`
      },
      html: ({ text: written }: Tokens.HTML | Tokens.Tag): string => escapeHtml(written),
      codespan: ({ text: code }: Tokens.Codespan): string => `<code>${withFills(code, values)}</code>`,
      // Wide code can be scrolled with the keyboard on a phone.
      code: ({ text: code, lang }: Tokens.Code): string =>
        `<figure class="code"><figcaption>${languageOf(lang)}<button type="button" class="copy" hidden>Copy</button></figcaption>` +
        `<pre tabindex="0" aria-label="${languageOf(lang)}"><code>${withFills(code, values)}\n</code></pre></figure>\n`,
      table(token: Tokens.Table): string {
        return tableOf(token, (tokens) => this.parser.parseInline(tokens))
      },
    },
  })
  const tokens = markdown.lexer(text)
  const html = markdown.parser(tokens)
  const sections = sectionsOf(tokens, ids, (words) => plainFill(words, values))
  return {
    title: headings.find(({ depth }) => depth === 1)?.text ?? '',
    html,
    headings: headings.filter(({ depth }) => depth > 1),
    sections,
  }
}
