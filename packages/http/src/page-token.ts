import { createHash } from 'node:crypto'
import { badRequest } from '@tributary/kernel'
import type { z } from 'zod'

/**
 * Returns the scope of a page token: the method, its parameters and its filters. The page size can change from page to
 * page.
 */
export const pageScope = (name: string, params: Readonly<Record<string, string>>, query: object): string => {
  const filters = Object.entries(query).filter(
    ([key, value]) => key !== 'page_size' && key !== 'page_token' && value !== undefined,
  )
  const sorted = (entries: [string, unknown][]): [string, unknown][] => entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([name, sorted(Object.entries(params)), sorted(filters)])
}

const mark = (scope: string): string => createHash('sha256').update(scope).digest('base64url').slice(0, 16)

/**
 * Returns an opaque, URL-safe token for the position after `cursor` in the list that `scope` names. It grants no
 * permission.
 */
export const encodePageToken = (scope: string, cursor: unknown): string =>
  Buffer.from(JSON.stringify([mark(scope), cursor])).toString('base64url')

const decoded = (token: string): unknown => {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}

/**
 * Decodes the cursor of a page token; undefined for an empty token (the first page). Throws 400 INVALID_PAGE_TOKEN if
 * the token was made for another scope, or its cursor does not match the schema.
 */
export const decodePageToken = <S extends z.ZodType>(
  scope: string,
  token: string,
  schema: S,
): z.output<S> | undefined => {
  if (token === '') return undefined
  const value = decoded(token)
  if (Array.isArray(value) && value[0] === mark(scope)) {
    const cursor = schema.safeParse(value[1])
    if (cursor.success) return cursor.data
  }
  throw badRequest('INVALID_PAGE_TOKEN', 'The page token does not belong to this list; start again without one', {
    page_token: 'Not a token of this list',
  })
}
