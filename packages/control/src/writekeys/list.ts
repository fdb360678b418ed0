import { createdCursor, createdCursorOf, olderThan, openPage, referenceIn } from '@tributary/api-kit'
import { readSource } from '@tributary/configuration'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { presentWriteKey } from './keys.ts'

/** The valid keys of a workspace or of one source, newest first. Keys are public identifiers: every member sees them. */
export const listWriteKeys =
  ({ db, secretBox }: Pick<ControlDeps, 'db' | 'secretBox'>): Handler<typeof methods.writekeys.list> =>
  async ({ workspace, params, query }) => {
    const page = openPage('writekeys.list', params, query, createdCursor)
    let sourceId: string | undefined
    if (query.source !== undefined) {
      const named = referenceIn(workspace.id, resourceNames.source, { field: 'source', name: query.source })
      sourceId = (await readSource(db, workspace.id, named.source)).id
    }
    const rows = await db
      .selectFrom('write_keys')
      .selectAll()
      .where('workspace_id', '=', workspace.id)
      .where('revoke_time', 'is', null)
      .$if(sourceId !== undefined, (select) => select.where('source_id', '=', sourceId ?? ''))
      .where(olderThan('write_keys', page.after))
      .orderBy('create_time', 'desc')
      .orderBy('id', 'desc')
      .limit(page.size + 1)
      .execute()
    const { rows: shown, next } = page.cut(rows, createdCursorOf)
    return { writekeys: shown.map((row) => presentWriteKey(row, secretBox)), next_page_token: next }
  }
