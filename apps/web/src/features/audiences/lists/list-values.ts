import { type ListKind, type ListReport, listLimits } from '@tributary/contract'
import { csvOf } from '../../../lib/format/csv.ts'
import { count } from '../../../lib/format/text.ts'

/** Maximum number of bytes of a file. */
export const maxFileBytes = 20 * 1024 * 1024

/** A pasted text or a file as columns. Titles are empty for one column without a header. */
export type ListTable = {
  /** Whether the first row contains titles instead of values. */
  titled: boolean
  columns: readonly { title: string; kind: ListKind | undefined }[]
  rows: readonly string[][]
}

const delimiters = [',', ';', '\t'] as const

/**
 * The rows of a CSV text (RFC 4180) with one of several delimiters: the most frequent one of the first line. Empty
 * lines are ignored.
 */
export const parseRows = (given: string): string[][] => {
  const text = given.replace(/^\ufeff/, '')
  const [first = ''] = text.split(/\r?\n/, 1)
  const countOf = (each: string): number => first.split(each).length
  const delimiter = delimiters.reduce((most, each) => (countOf(each) > countOf(most) ? each : most))
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    let field = ''
    if (text[at] === '"') {
      // Reads to the closing quote, which is not doubled; an unclosed quote ends with the text.
      let end = text.indexOf('"', at + 1)
      while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2)
      const until = end < 0 ? text.length : end
      field = text.slice(at + 1, until).replaceAll('""', '"')
      at = until + 1
    }
    const from = at
    while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at++
    row.push((field + text.slice(from, at)).trim())
    if (text[at] === delimiter) {
      at++
      if (at < text.length) continue
      row.push('')
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at++
    at++
    if (row.some((each) => each !== '')) rows.push(row)
    row = []
  }
  return rows
}

const headers: Readonly<Record<ListKind, RegExp>> = {
  user_id: /^(user|customer|member|account)?id$/,
  anonymous_id: /^(anonymous|device|visitor)id$/,
  email: /^e?mail(address)?$/,
  phone: /^(tele|mobile)?phone(number)?$|^mobile(number)?$|^tel$/,
}

/** The kind of identifier that the title of a column names. */
export const kindOfHeader = (title: string): ListKind | undefined => {
  const plain = title.toLowerCase().replaceAll(/[^a-z]/g, '')
  return (Object.keys(headers) as ListKind[]).find((kind) => headers[kind].test(plain))
}

/** The form of column titles: words, unlike addresses, numbers, and most IDs. */
const titleLike = /^[\p{L}][\p{L} _-]*$/u

/** Whether a first row looks like titles: one names a kind, or there are several and all of them are words. */
const looksTitled = (first: readonly string[], width: number): boolean =>
  first.some((each) => kindOfHeader(each) !== undefined) ||
  (width > 1 && first.every((each) => each === '' || titleLike.test(each)))

/** Parses a text to a table. `said` is whether its first row contains titles; if undefined, this is guessed. */
export const readTable = (text: string, said?: boolean): ListTable => {
  const rows = parseRows(text)
  const [first = []] = rows
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0)
  const titled = said ?? looksTitled(first, width)
  const columns = Array.from({ length: width }, (_, index) => {
    const title = titled ? (first[index] ?? '') : ''
    return { title, kind: kindOfHeader(title) }
  })
  return { titled, columns, rows: titled ? rows.slice(1) : rows }
}

/** The most likely column: the first one that names a kind. */
export const likelyColumn = ({ columns }: ListTable): number =>
  Math.max(
    0,
    columns.findIndex(({ kind }) => kind !== undefined),
  )

/** Returns the non-empty values of a column, or the problem that makes the column unusable. */
export const columnValues = ({ rows }: ListTable, column: number): { values: string[] } | { problem: string } => {
  const values = rows.map((row) => row[column] ?? '').filter((each) => each !== '')
  if (values.length === 0) return { problem: 'Enter at least one identifier' }
  return values.length > listLimits.values
    ? { problem: `Enter up to ${count(listLimits.values)} identifiers. These are ${count(values.length)}` }
    : { values }
}

/** The values that are not added to the list, with the reasons, as a CSV file. */
export const leftOutCsv = (values: readonly string[], { not_found, invalid, duplicates }: ListReport): string => {
  const rows = [
    ...not_found.map((place) => [place, 'not found'] as const),
    ...invalid.map((place) => [place, 'invalid'] as const),
    ...duplicates.map((place) => [place, 'duplicate'] as const),
  ].toSorted(([one], [other]) => one - other)
  return csvOf(
    ['identifier', 'reason'],
    rows.map(([place, reason]) => [values[place] ?? '', reason]),
  )
}
