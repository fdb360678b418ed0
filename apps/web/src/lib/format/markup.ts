import { Lexer, type Token, type Tokens } from 'marked'

/** A part of a description: a text, or an allowed element around other parts. */
export type MarkupNode =
  | string
  | { tag: 'br' }
  | { tag: 'p' | 'ul' | 'ol' | 'li' | 'strong' | 'em' | 'code'; children: MarkupNode[] }
  | { tag: 'a'; href: string; children: MarkupNode[] }

/** Maximum number of characters of a text whose markup is parsed. */
const maxMarkup = 10_000

const safeAddress = /^(https?:\/\/|mailto:)/i

const inside = (tokens: readonly Token[] | undefined): MarkupNode[] => (tokens ?? []).flatMap(nodesOf)

/** Returns a text with its line breaks. */
const lines = (text: string): MarkupNode[] =>
  text.split('\n').flatMap((line, index): MarkupNode[] => (index === 0 ? [line] : [{ tag: 'br' }, line]))

const blocks = new Set(['heading', 'blockquote', 'code', 'hr', 'table', 'def'])

/** Returns an element that is not allowed as its source text. A block becomes a paragraph. */
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
      // A bare URL in the text does not become a link. A link with an unsafe URL becomes its text.
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
 * Parses a description in light markup to a tree: paragraphs, line breaks, bold, italics, code, links and lists. All
 * other markup, including HTML, stays text. The result cannot execute anything: only these elements exist, and their
 * only attribute is the URL of a link to the web or to an email address. A text of more than 10,000 characters stays
 * unchanged, since the lexer takes quadratic time.
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

/** Returns the text of a description without its markup, on one line, for places that are links themselves. */
export const markupText = (text: string): string => wordsOf(parseMarkup(text)).trim()
