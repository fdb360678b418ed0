import { presentSource, selectSources } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { newestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'

/** The sources of a workspace, newest first. */
export const listSources =
  (deps: Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'logger'>): Handler<typeof methods.sources.list> =>
  async ({ workspace, params, query }) => {
    const { db } = deps
    const product = query.target_product
    const { rows: shown, next } = await newestFirst(
      { name: 'sources.list', table: 'sources', params, query },
      selectSources(db, workspace.id).$if(product !== undefined, (select) =>
        select.where('sources.target_product', '=', product ?? ''),
      ),
    )
    return { sources: await Promise.all(shown.map((row) => presentSource(row, deps))), next_page_token: next }
  }
