import MarkdownIt, { type Token } from 'markdown-it'

/** Paragraphs, line breaks, bold, italics, code, links and lists; everything else, HTML too, stays the text it is. */
const markdown = new MarkdownIt('zero', { html: false, breaks: true }).enable([
  'list',
  'newline',
  'escape',
  'backticks',
  'emphasis',
  'link',
])

/** A piece of a description: words, or an element of the allow-list around other pieces. */
export type MarkupNode =
  | string
  | { tag: 'br' }
  | { tag: 'p' | 'ul' | 'ol' | 'li' | 'strong' | 'em' | 'code'; children: MarkupNode[] }
  | { tag: 'a'; href: string; children: MarkupNode[] }

const tags = {
  paragraph_open: 'p',
  bullet_list_open: 'ul',
  ordered_list_open: 'ol',
  list_item_open: 'li',
  strong_open: 'strong',
  em_open: 'em',
} as const

const isKnown = (type: string): type is keyof typeof tags => type in tags

/** The element that a token opens; undefined for what only its content remains of. */
const opened = (token: Token): Exclude<MarkupNode, string | { tag: 'br' }> | undefined => {
  if (token.type === 'link_open') {
    const href = String(token.attrGet('href') ?? '')
    return /^(https?:\/\/|mailto:)/i.test(href) ? { tag: 'a', href, children: [] } : undefined
  }
  return isKnown(token.type) && !token.hidden ? { tag: tags[token.type], children: [] } : undefined
}

const leaf = ({ type, content }: Token): MarkupNode => {
  if (type === 'softbreak' || type === 'hardbreak') return { tag: 'br' }
  return type === 'code_inline' ? { tag: 'code', children: [content] } : content
}

const treeOf = (tokens: readonly Token[]): MarkupNode[] => {
  const root: MarkupNode[] = []
  const open: MarkupNode[][] = [root]
  for (const token of tokens) {
    const place = open.at(-1) ?? root
    if (token.nesting === 1) {
      const element = opened(token)
      if (element !== undefined) place.push(element)
      open.push(element?.children ?? place)
    } else if (token.nesting === -1) open.pop()
    else if (token.type === 'inline') place.push(...treeOf(token.children ?? []))
    else place.push(leaf(token))
  }
  return root
}

/**
 * A description in light markup as a tree. Nothing in it can be active: only the elements above exist, no attribute but a
 * link's address is taken over, and that leads to the web or to a mail address.
 */
export const parseMarkup = (text: string): MarkupNode[] => treeOf(markdown.parse(text, {}))

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
