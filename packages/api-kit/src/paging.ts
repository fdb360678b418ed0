import { decodePageToken, encodePageToken, pageScope } from '@tributary/http'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { z } from 'zod'

type PageQuery = { page_size: number; page_token: string }

/**
 * A requested page of a list: its size, the cursor after which it begins, and the function for the token of the next
 * page.
 */
export type Page<Cursor> = {
  size: number
  after: Cursor | undefined
  /** Truncates rows to `size`, of which one more was read, and returns the token of the next page. */
  cut<Row>(rows: readonly Row[], cursorOf: (row: Row) => Cursor): { rows: Row[]; next: string }
}

/** Reads size and token of a list's query. The token is bound to the list's name, its parameters, and its filters. */
export const openPage = <S extends z.ZodType>(
  name: string,
  params: Readonly<Record<string, string>>,
  query: PageQuery,
  schema: S,
): Page<z.output<S>> => {
  const scope = pageScope(name, params, query)
  const size = query.page_size
  return {
    size,
    after: decodePageToken(scope, query.page_token, schema),
    cut(rows, cursorOf) {
      const kept = rows.slice(0, size)
      const last = kept.at(-1)
      const next = rows.length > size && last !== undefined ? encodePageToken(scope, cursorOf(last)) : ''
      return { rows: kept, next }
    },
  }
}

// A token is not encrypted, so any caller can make a token that fits a list. Therefore the schema of a cursor only
// allows values that every database can compare.

/** A time in the format of `Date`, in the years 1 to 9999. PostgreSQL rejects the year `0000` and longer fractions. */
export const cursorTime = z
  .string()
  .max(24)
  .refine((text) => {
    const date = new Date(text)
    return !Number.isNaN(date.getTime()) && date.toISOString() === text && text >= '0001'
  })

/** Epoch ms in the range of DateTime64(3): from 1970 to the end of 2299. */
export const cursorMs = z.number().int().min(0).max(10_413_791_999_999)

/** The id of an event: visible ASCII. */
export const cursorEventId = z.string().regex(/^[\x21-\x7e]{0,200}$/)

/** A count or version that fits a signed 32-bit integer. */
export const cursorInteger = z.number().int().min(0).max(2_147_483_647)

/** The cursor of lists ordered by creation; the ID decides between equal times. */
export const createdCursor = z.tuple([cursorTime, z.uuid()])
export type CreatedCursor = z.infer<typeof createdCursor>

/** Returns the cursor after a row. */
export const createdCursorOf = (row: { create_time: Date; id: string }): CreatedCursor => [
  row.create_time.toISOString(),
  row.id,
]

/** Returns a condition for rows of the table after the cursor, if the newest come first. */
export const olderThan = (table: string, cursor: CreatedCursor | undefined): RawBuilder<SqlBool> =>
  cursor === undefined
    ? sql<SqlBool>`true`
    : sql<SqlBool>`(${sql.ref(`${table}.create_time`)}, ${sql.ref(`${table}.id`)}) < (${cursor[0]}::timestamptz, ${cursor[1]}::uuid)`

/** Returns a condition for rows of the table after the cursor, if the oldest come first. */
export const newerThan = (table: string, cursor: CreatedCursor | undefined): RawBuilder<SqlBool> =>
  cursor === undefined
    ? sql<SqlBool>`true`
    : sql<SqlBool>`(${sql.ref(`${table}.create_time`)}, ${sql.ref(`${table}.id`)}) > (${cursor[0]}::timestamptz, ${cursor[1]}::uuid)`

/** The cursor of lists that are computed completely: the number of rows before the page. */
export const offsetCursor = z.number().int().min(0).max(1_000_000)

/** Returns a page of a list that is completely in memory. */
export const slicePage = <Row>(page: Page<number>, all: readonly Row[]): { rows: Row[]; next: string } => {
  const start = page.after ?? 0
  return page.cut(all.slice(start, start + page.size + 1), () => start + page.size)
}
