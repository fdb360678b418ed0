import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { newestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'
import { presentApiKey, selectApiKeys, writeKeysMadeBy } from './keys.ts'

/** The keys of an organization that are not revoked, newest first. */
export const listApiKeys =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.apiKeys.list> =>
  async ({ organization, params, query }) => {
    const { rows, next } = await newestFirst(
      { name: 'apiKeys.list', table: 'api_keys', params, query },
      selectApiKeys(db).where('api_keys.organization_id', '=', organization.id),
    )
    const made = await writeKeysMadeBy(
      db,
      rows.map(({ id }) => id),
    )
    const now = clock()
    return { api_keys: rows.map((row) => presentApiKey(row, now, made.get(row.id))), next_page_token: next }
  }
