import { queryOptions } from '@tanstack/react-query'
import { methods } from '@tributary/contract'
import { call } from '../api/client.ts'
import { sourceIds } from '../format/names.ts'
import { everyPage } from './every-page.ts'
import { pagesQuery } from './query.ts'
import { product } from './query-client.ts'
import { keyOf } from './query-key.ts'

/** The versions of a source's schema, newest first, by pages of 50. */
export const schemaVersionsQuery = (source: string) =>
  pagesQuery(methods.schemaVersions.list, { params: sourceIds(source), query: { page_size: 50 } })

/** The violations of a source's schema in the last 30 days, most frequent first, and the number of blocked events. */
export const violationsQuery = (source: string) =>
  queryOptions({
    ...product,
    refetchInterval: 15_000,
    queryKey: keyOf(methods.violations.listBySource, { params: sourceIds(source) }),
    queryFn: async ({ signal }) => {
      let blocked = 0
      const rows = await everyPage(async (query) => {
        const answer = await call(methods.violations.listBySource, { params: sourceIds(source), query, signal })
        blocked = answer.blocked_count
        return { rows: answer.violations, next: answer.next_page_token }
      })
      return { rows, blocked }
    },
  })
