import { createdCursor, createdCursorOf, olderThan, openPage } from '@tributary/api-kit'
import { presentSource, selectSources } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/** The sources of a workspace, newest first. */
export const listSources =
  (deps: Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'logger'>): Handler<typeof methods.sources.list> =>
  async ({ workspace, params, query }) => {
    const { db } = deps
    const page = openPage('sources.list', params, query, createdCursor)
    const product = query.target_product
    const rows = await selectSources(db, workspace.id)
      .$if(product !== undefined, (select) => select.where('sources.target_product', '=', product ?? ''))
      .where(olderThan('sources', page.after))
      .orderBy('sources.create_time', 'desc')
      .orderBy('sources.id', 'desc')
      .limit(page.size + 1)
      .execute()
    const { rows: shown, next } = page.cut(rows, createdCursorOf)
    return { sources: await Promise.all(shown.map((row) => presentSource(row, deps))), next_page_token: next }
  }
