import { referenceIn } from '@tributary/api-kit'
import { readSource } from '@tributary/configuration'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { newestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'
import { presentWriteKey } from './keys.ts'

/**
 * Lists the valid write keys of a workspace or of one source, newest first. Write keys are public identifiers, so every
 * member can see them.
 */
export const listWriteKeys =
  ({ db, secretBox }: Pick<ControlDeps, 'db' | 'secretBox'>): Handler<typeof methods.writekeys.list> =>
  async ({ workspace, params, query }) => {
    let sourceId: string | undefined
    if (query.source !== undefined) {
      const named = referenceIn(workspace.id, resourceNames.source, { field: 'source', name: query.source })
      sourceId = (await readSource(db, workspace.id, named.source)).id
    }
    const { rows: shown, next } = await newestFirst(
      { name: 'writekeys.list', table: 'write_keys', params, query },
      db
        .selectFrom('write_keys')
        .selectAll()
        .where('workspace_id', '=', workspace.id)
        .where('revoke_time', 'is', null)
        .$if(sourceId !== undefined, (select) => select.where('source_id', '=', sourceId ?? '')),
    )
    return { writekeys: shown.map((row) => presentWriteKey(row, secretBox)), next_page_token: next }
  }
