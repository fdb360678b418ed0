import { createdCursor, createdCursorOf, olderThan, openPage } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { presentApiKey, selectApiKeys, writeKeysMadeBy } from './keys.ts'

/** The keys of an organization that are not revoked, newest first. */
export const listApiKeys =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.apiKeys.list> =>
  async ({ organization, params, query }) => {
    const page = openPage('apiKeys.list', params, query, createdCursor)
    const found = await selectApiKeys(db)
      .where('api_keys.organization_id', '=', organization.id)
      .where(olderThan('api_keys', page.after))
      .orderBy('api_keys.create_time', 'desc')
      .orderBy('api_keys.id', 'desc')
      .limit(page.size + 1)
      .execute()
    const { rows, next } = page.cut(found, createdCursorOf)
    const made = await writeKeysMadeBy(
      db,
      rows.map(({ id }) => id),
    )
    const now = clock()
    return { api_keys: rows.map((row) => presentApiKey(row, now, made.get(row.id))), next_page_token: next }
  }
