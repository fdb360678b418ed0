import { audit, idFor, parseReference } from '@tributary/api-kit'
import {
  type methods,
  ownConnectorLimits,
  type ParsedRequest,
  resourceNames,
  title as titleRule,
} from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, conflict, notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { blankDescription } from './blank.ts'
import { fileContent } from './file.ts'
import { showOwnConnector } from './read.ts'

type Given = ParsedRequest<typeof methods.ownConnectors.create>
type Content = { title: string; description: string; guide: string; origin: string }

/** Returns the texts of a described destination of the product. Throws 404 for an unknown one, 400 for one in code. */
const copyOf = async ({ catalog }: Pick<ControlDeps, 'catalog'>, from: string): Promise<Content> => {
  const { app } = parseReference(resourceNames.catalogDestination, 'from', from)
  const entry = catalog.destinations.find(({ slug }) => slug === app)
  if (entry === undefined) throw notFound('There is no destination with this name in the catalog')
  const texts = await catalog.own?.textsOf(app)
  const text = `${entry.title} is not described by data, so it cannot be copied`
  if (texts === undefined) throw badRequest('VALIDATION', text, { from: text })
  return { title: entry.title, ...texts, origin: from }
}

const contentOf = async (deps: Pick<ControlDeps, 'catalog'>, { from, file, title }: Given): Promise<Content> => {
  if (from !== undefined && file !== undefined)
    throw badRequest('VALIDATION', 'Give either from or file', { file: 'Give either from or file' })
  if (from !== undefined) return await copyOf(deps, from)
  if (file !== undefined) return { ...fileContent(file), origin: 'file' }
  const name = title ?? 'New destination'
  return { title: name, description: blankDescription(name), guide: '', origin: '' }
}

/** Creates an own connector as a draft. Nothing uses it before it is published. */
export const createOwnConnector =
  (deps: Pick<ControlDeps, 'db' | 'catalog' | 'clock'>): Handler<typeof methods.ownConnectors.create> =>
  async ({ workspace, body }) => {
    const { db, clock } = deps
    const content = await contentOf(deps, body)
    const { data: title = 'New destination' } = titleRule.safeParse(body.title ?? content.title)
    const id = idFor(body.request_id, 'own_connectors', workspace.id)
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      // The lock lets concurrent calls of a workspace count one after the other.
      await tx.selectFrom('workspaces').select('id').where('id', '=', workspace.id).forUpdate().execute()
      const others = await tx
        .selectFrom('own_connectors')
        .select('id')
        .where('workspace_id', '=', workspace.id)
        .where('id', '<>', id)
        .execute()
      const most = ownConnectorLimits.perWorkspace
      if (others.length >= most) throw conflict('TOO_MANY', `A workspace can describe ${most} destinations. Delete one`)
      const made = await tx
        .insertInto('own_connectors')
        .values({
          id,
          workspace_id: workspace.id,
          title,
          draft_description: content.description,
          draft_guide: content.guide,
          create_time: time,
          update_time: time,
        })
        .onConflict((conflicting) => conflicting.column('id').doNothing())
        .returning('id')
        .executeTakeFirst()
      if (made === undefined) return
      await audit(tx, resourceNames.ownConnector.format({ workspace: workspace.id, own_connector: id }), {
        title,
        from: content.origin,
      })
    })
    return await showOwnConnector(db, workspace.id, id)
  }
