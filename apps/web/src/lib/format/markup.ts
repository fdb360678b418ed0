import { Lexer, type Token, type Tokens } from 'marked'

/** A piece of a description: words, or an element of the allow-list around other pieces. */
export type MarkupNode =
  | string
  | { tag: 'br' }
  | { tag: 'p' | 'ul' | 'ol' | 'li' | 'strong' | 'em' | 'code'; children: MarkupNode[] }
  | { tag: 'a'; href: string; children: MarkupNode[] }

/** Characters of a text whose markup is read. */
const maxMarkup = 10_000

const safeAddress = /^(https?:\/\/|mailto:)/i

const inside = (tokens: readonly Token[] | undefined): MarkupNode[] => (tokens ?? []).flatMap(nodesOf)

/** Words with their line breaks. */
const lines = (text: string): MarkupNode[] =>
  text.split('\n').flatMap((line, index): MarkupNode[] => (index === 0 ? [line] : [{ tag: 'br' }, line]))

const blocks = new Set(['heading', 'blockquote', 'code', 'hr', 'table', 'def'])

/** An element outside of the allow-list stays text as it was written; a block becomes a paragraph. */
const asWritten = (token: Token): MarkupNode[] =>
  blocks.has(token.type) || ('block' in token && token.block === true)
    ? [{ tag: 'p', children: lines(token.raw.trim()) }]
    : lines(token.raw)

const listOf = (list: Tokens.List): MarkupNode => ({
  tag: list.ordered ? 'ol' : 'ul',
  children: list.items.map((item) => ({ tag: 'li', children: inside(item.tokens) })),
})

const nodesOf = (token: Token): MarkupNode[] => {
  switch (token.type) {
    case 'paragraph':
      return [{ tag: 'p', children: inside(token.tokens) }]
    case 'strong':
    case 'em':
      return [{ tag: token.type, children: inside(token.tokens) }]
    case 'codespan':
      return [{ tag: 'code', children: [token.text] }]
    case 'br':
      return [{ tag: 'br' }]
    case 'space':
      return []
    case 'list':
      return [listOf(token as Tokens.List)]
    case 'link': {
      const children = inside(token.tokens)
      // A bare URL in the text is no link, and a link with an unsafe URL is its text.
      if (token.raw === token.href) return asWritten(token)
      return safeAddress.test(token.href) ? [{ tag: 'a', href: token.href, children }] : children
    }
    case 'escape':
      return [token.text]
    case 'text':
      return token.tokens === undefined ? lines(token.text) : inside(token.tokens)
    default:
      return asWritten(token)
  }
}

/**
 * A description in light markup as a tree: paragraphs, line breaks, bold, italics, code, links and lists. All other
 * markup, including HTML, stays text. Nothing in it can be active: only the elements above exist, and the only
 * attribute is a link's address, which leads to the web or to an email address. A text of more than 10,000 characters
 * stays unchanged, since the lexer takes quadratic time.
 */
export const parseMarkup = (text: string): MarkupNode[] =>
  text.length > maxMarkup ? [{ tag: 'p', children: lines(text) }] : inside(Lexer.lex(text, { gfm: false }))

const wordsOf = (nodes: readonly MarkupNode[]): string =>
  nodes
    .map((node) => {
      if (typeof node === 'string') return node
      if (node.tag === 'br') return ' '
      const words = wordsOf(node.children)
      return node.tag === 'p' || node.tag === 'li' ? `${words} ` : words
    })
    .join('')

/** The words of a description without their markup, on one line: for places that are a link themselves. */
export const markupText = (text: string): string => wordsOf(parseMarkup(text)).trim()
