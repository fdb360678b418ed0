import { offsetCursor, openPage } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { readRefusedRequests } from './read.ts'

/**
 * Lists the requests refused in the last 24 hours that belong to no source, because their key or address is unknown.
 * Samples may come from any sender, so only platform admins can see them.
 */
export const listUnownedRefusedRequests =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.refusedRequests.listUnowned> =>
  async ({ params, query }) => {
    const page = openPage('refusedRequests.listUnowned', params, query, offsetCursor)
    return await readRefusedRequests(db, undefined, page, clock())
  }
