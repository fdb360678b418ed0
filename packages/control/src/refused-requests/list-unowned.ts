import { offsetCursor, openPage } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { readRefusedRequests } from './read.ts'

/**
 * Requests that collection refused in the last 24 hours without a source to show them on: unknown keys and addresses. The samples may be
 * those of any sender, so only platform admins see them.
 */
export const listUnownedRefusedRequests =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.refusedRequests.listUnowned> =>
  async ({ params, query }) => {
    const page = openPage('refusedRequests.listUnowned', params, query, offsetCursor)
    return await readRefusedRequests(db, undefined, page, clock())
  }
