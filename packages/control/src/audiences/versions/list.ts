import { cursorInteger, openPage } from '@tributary/api-kit'
import { readAudience } from '@tributary/audiences'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../../deps.ts'
import { presentVersion, selectVersions } from './versions.ts'

/** The versions of an audience, newest first. */
export const listAudienceVersions =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.audiences.listVersions> =>
  async ({ workspace, params, query }) => {
    const page = openPage('audiences.listVersions', params, query, cursorInteger)
    const audience = await readAudience(db, workspace.id, params.audience)
    const { after } = page
    const found = await selectVersions(db, audience.id)
      .$if(after !== undefined, (select) => select.where('v.version', '<', after ?? 0))
      .orderBy('v.version', 'desc')
      .limit(page.size + 1)
      .execute()
    const { rows, next } = page.cut(found, ({ version }) => version)
    return { versions: rows.map((row) => presentVersion(audience, row)), next_page_token: next }
  }
