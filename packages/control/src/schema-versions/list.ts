import { cursorInteger, openPage } from '@tributary/api-kit'
import { readSource } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { presentVersion, selectVersions } from './read.ts'

/** The versions of a source's schema, newest first. */
export const listSchemaVersions =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.schemaVersions.list> =>
  async ({ workspace, params, query }) => {
    const source = await readSource(db, workspace.id, params.source)
    const page = openPage('schemaVersions.list', params, query, cursorInteger)
    const { after } = page
    const rows = await selectVersions(db, source.id)
      .$if(after !== undefined, (select) => select.where('source_schemas.version', '<', after ?? 0))
      .orderBy('source_schemas.version', 'desc')
      .limit(page.size + 1)
      .execute()
    const { rows: shown, next } = page.cut(rows, ({ version }) => version)
    return { schema_versions: shown.map((row) => presentVersion(source, row)), next_page_token: next }
  }
