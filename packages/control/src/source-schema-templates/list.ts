import { offsetCursor, openPage, requireWorkspace, slicePage } from '@tributary/api-kit'
import { everyRole, type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { templates } from './templates.ts'

/** The templates of schemas, the blank one first. */
export const listSourceSchemaTemplates =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.sourceSchemaTemplates.list> =>
  async ({ actor, params, query }) => {
    await requireWorkspace(db, actor, params.workspace, everyRole)
    const page = openPage('sourceSchemaTemplates.list', params, query, offsetCursor)
    const { rows, next } = slicePage(page, templates)
    return {
      templates: rows.map(({ slug, title, description }) => ({
        name: resourceNames.schemaTemplate.format({ template: slug }),
        title,
        description,
      })),
      next_page_token: next,
    }
  }
