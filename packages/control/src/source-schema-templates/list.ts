import { offsetCursor, openPage, slicePage } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { templates } from './templates.ts'

/** The templates of schemas, the blank one first. */
export const listSourceSchemaTemplates: Handler<typeof methods.sourceSchemaTemplates.list> = async ({
  params,
  query,
}) => {
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
