import { audit, idFor, parseReference, type Tx } from '@tributary/api-kit'
import { withinPlan } from '@tributary/billing'
import {
  checkFirstSettings,
  offeredDestination,
  ownVersionOf,
  refuseNewSettings,
  showDestination,
  storeSettings,
  verifySettings,
} from '@tributary/configuration'
import { presetVersion } from '@tributary/connector-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, conflict } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'

/** Throws 409 if a newer version of an own connector was published meanwhile. Locks the version until the commit. */
const requireCurrent = async (tx: Tx, app: string): Promise<void> => {
  const own = ownVersionOf(app)
  if (own === undefined) return
  const row = await tx
    .selectFrom('own_connectors')
    .select('current_version')
    .where('id', '=', own.id)
    .forShare()
    .executeTakeFirst()
  if (row?.current_version !== own.version)
    throw conflict('CHANGED', 'A new version of this destination was published meanwhile. Try again')
}

/**
 * Makes a destination for an entry of the catalog. The given settings must be valid. Required settings may be missing;
 * until they are given, nothing is delivered to the destination. Seals the secrets.
 */
export const createDestination =
  (
    deps: Pick<ControlDeps, 'db' | 'billing' | 'catalog' | 'secretBox' | 'requestClient' | 'clock' | 'logger'>,
  ): Handler<typeof methods.destinations.create> =>
  async ({ workspace, body }) => {
    const { db, catalog, secretBox, clock } = deps
    const { app } = parseReference(resourceNames.catalogDestination, 'app.name', body.app.name)
    const entry = await offeredDestination({ db, catalog }, workspace.id, app)
    const definition = await entry?.load()
    if (entry === undefined || definition === undefined) {
      const text = 'There is no destination with this name in the catalog'
      throw badRequest('VALIDATION', text, { 'app.name': text })
    }
    const { settings, missing } = checkFirstSettings(definition, body.settings)
    // The destination can be called only once all settings are complete.
    const objections = missing.length > 0 ? {} : await verifySettings(deps, definition, settings, Object.keys(settings))
    const mistakes = Object.entries(objections).map(([name, { message, detail }]): [string, string] => [
      name,
      detail === undefined ? message : `${message} ${detail}`,
    ])
    if (mistakes.length > 0) throw refuseNewSettings(definition, Object.fromEntries(mistakes))
    const id = idFor(body.request_id, 'destinations', workspace.id)
    const time = new Date(clock())
    const made = await db.transaction().execute(async (tx) => {
      await requireCurrent(tx, entry.slug)
      const row = await tx
        .insertInto('destinations')
        .values({
          id,
          workspace_id: workspace.id,
          title: body.title,
          app: entry.slug,
          preset_version: presetVersion,
          ...storeSettings(`destinations/${id}`, definition, settings, secretBox),
          create_time: time,
          update_time: time,
        })
        .onConflict((conflicting) => conflicting.column('id').doNothing())
        .returning('id')
        .executeTakeFirst()
      if (row === undefined) return false
      await withinPlan(tx, deps, workspace.organizationId, 'destinations')
      await audit(tx, resourceNames.destination.format({ workspace: workspace.id, destination: id }), {
        title: body.title,
        app: entry.slug,
        settings: Object.keys(settings),
      })
      return true
    })
    if (!made) {
      const before = await db.selectFrom('destinations').select('delete_time').where('id', '=', id).executeTakeFirst()
      if (before?.delete_time !== null)
        throw conflict('ALREADY_EXISTS', 'The destination created by this request has been deleted')
    }
    return await showDestination(deps, workspace.id, id)
  }
