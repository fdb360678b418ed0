import MiniSearch from 'minisearch'
import type { DocsPage } from './pages.ts'

/** A search result: a page's beginning or one of its headings. */
export type Found = {
  path: string
  title: string
  /** '' for the beginning of a page. */
  heading: string
  /** The text around the first match; `match` marks the search words. */
  passage: readonly { text: string; match: boolean }[]
}

type Entry = { id: string; title: string; heading: string; text: string; about: string }

/** Maximum number of search words that are used. */
const maxWords = 8
const passageLength = 180

/** Words that are ignored, because they do not narrow a search. */
const stopWords = new Set(
  'a an and are as at be by do does for from how i in is it my of on or the to what when why with'.split(' '),
)

/** Finds the words that begin with one of `terms`, in their order. */
const matchesOf = (text: string, terms: readonly string[]): { start: number; end: number }[] => {
  const lower = text.toLowerCase()
  const matches: { start: number; end: number }[] = []
  let end = 0
  for (const { 0: first, index } of lower.matchAll(/(?<![\p{L}\p{N}])[^\s]/gu)) {
    if (index < end) continue
    const term = terms.find((candidate) => candidate.startsWith(first) && lower.startsWith(candidate, index))
    if (term === undefined) continue
    end = index + term.length + (/^[\p{L}\p{N}]*/u.exec(lower.slice(index + term.length))?.[0].length ?? 0)
    matches.push({ start: index, end })
  }
  return matches
}

/** The text around the first word that begins with one of `terms`, cut at spaces. */
const passageOf = (text: string, terms: readonly string[]): Found['passage'] => {
  const flat = text.replaceAll(/\s+/g, ' ').trim()
  const at = matchesOf(flat, terms)[0]?.start ?? -1
  const from = at <= 60 ? 0 : flat.indexOf(' ', at - 60) + 1
  const end = flat.length <= from + passageLength ? flat.length : flat.lastIndexOf(' ', from + passageLength)
  const cut = flat.slice(from, end > from ? end : from + passageLength)
  const parts: { text: string; match: boolean }[] = []
  let done = 0
  for (const { start, end: behind } of matchesOf(cut, terms)) {
    if (start > done) parts.push({ text: cut.slice(done, start), match: false })
    parts.push({ text: cut.slice(start, behind), match: true })
    done = behind
  }
  parts.push({ text: cut.slice(done), match: false })
  const dots = (is: boolean) => (is ? [{ text: '…', match: false }] : [])
  return [...dots(from > 0), ...parts.filter((part) => part.text !== ''), ...dots(end < flat.length)]
}

/**
 * A full-text search over every heading of `pages`, best first. Results with all words come before those with some. The
 * last word may be incomplete, and longer words may have a typo. Only the first eight words count, so that a search
 * takes milliseconds. Returns at most `limit` results. The index is built in small steps.
 */
export const createDocsSearch = async (
  pages: readonly DocsPage[],
): Promise<(query: string, limit?: number) => Found[]> => {
  const index = new MiniSearch<Entry>({
    fields: ['title', 'heading', 'about', 'text'],
    storeFields: ['title', 'heading', 'text', 'about'],
    processTerm: (term) => (stopWords.has(term.toLowerCase()) ? null : term.toLowerCase()),
    searchOptions: {
      boost: { title: 4, heading: 4, about: 2 },
      prefix: (term, at, terms) => at === terms.length - 1 && term.length > 1,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    },
  })
  await index.addAllAsync(
    pages.flatMap(({ path, title, about, sections }) =>
      sections.map(({ id, heading, text }): Entry => {
        const first = id === ''
        return { id: first ? path : `${path}#${id}`, title, heading, text, about: first ? about : '' }
      }),
    ),
    { chunkSize: 20 },
  )
  return (query, limit = 30) => {
    const words = query.trim().split(/\s+/).slice(0, maxWords).join(' ')
    if (words === '') return []
    const all = index.search(words, { combineWith: 'AND' })
    const known = new Set(all.map(({ id }) => id))
    const some = all.length >= limit ? [] : index.search(words, { combineWith: 'OR' })
    return [...all, ...some.filter(({ id }) => !known.has(id))]
      .slice(0, limit)
      .map(({ id, title, heading, text, about, terms }) => ({
        path: String(id),
        title,
        heading,
        passage: passageOf(text === '' ? about : text, terms),
      }))
  }
}
