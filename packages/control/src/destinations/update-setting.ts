import { audit } from '@tributary/api-kit'
import {
  changedPlainSettings,
  changedSettings,
  changeSetting,
  findDestination,
  openForChange,
  readDestination,
  showDestination,
  verifySettings,
} from '@tributary/configuration'
import { type DestinationDefinition, type Settings, validateSettings } from '@tributary/connector-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, conflict, notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'

type VerifyDeps = Pick<ControlDeps, 'requestClient' | 'clock' | 'logger'>

/**
 * Returns the names of the settings that the destination must verify. These are all settings if the change completes
 * them, none while required settings are missing, and otherwise the changed setting.
 */
const namesToVerify = (
  app: DestinationDefinition,
  before: Settings,
  settings: Settings,
  changed: string,
): readonly string[] => {
  if (!validateSettings(app, settings).ok) return []
  return validateSettings(app, before).ok ? [changed] : Object.keys(settings)
}

/** Throws 400 with metadata.value if the destination rejects a checked setting. */
const verifyChange = async (
  deps: VerifyDeps,
  app: DestinationDefinition,
  settings: Settings,
  changed: string,
  names: readonly string[],
): Promise<void> => {
  if (names.length === 0) return
  const objections = await verifySettings(deps, app, settings, names)
  const name = objections[changed] === undefined ? names.find((each) => objections[each] !== undefined) : changed
  const objection = name === undefined ? undefined : objections[name]
  if (objection === undefined) return
  const { message, detail } = objection
  const label = name === changed ? '' : `${app.settings.fields.find((field) => field.name === name)?.label ?? name}: `
  throw badRequest('VALIDATION', `${label}${message}`, {
    value: `${label}${message}`,
    ...(detail === undefined ? {} : { detail }),
  })
}

/** Returns the secrets that are still to be entered again after a change. */
const secretsLeft = (before: readonly string[], { name, secrets }: { name: string; secrets: object }): string[] =>
  before.filter((each) => each !== name && !Object.hasOwn(secrets, each))

/**
 * Changes one setting of a destination if the destination accepts the result. If the change would send secrets
 * somewhere else, they must be entered again. The row is locked, so that concurrent changes are both kept.
 */
export const updateSetting =
  (
    deps: Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'requestClient' | 'clock' | 'logger'>,
  ): Handler<typeof methods.destinations.updateSetting> =>
  async ({ workspace, params, body }) => {
    const { db, catalog, secretBox, clock } = deps
    const current = await readDestination(db, workspace.id, params.destination)
    const { id } = current
    const app = await (await findDestination(catalog, current.app))?.load()
    // Checked before the row is locked, because a destination may respond slowly.
    if (app?.verifySettings !== undefined && body.value !== null) {
      const before = openForChange(`destinations/${id}`, current, secretBox)
      const settings = changedSettings(`destinations/${id}`, app, current, body, secretBox)
      await verifyChange(deps, app, settings, body.name, namesToVerify(app, before, settings, body.name))
    }
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      const row = await tx
        .selectFrom('destinations')
        .selectAll()
        .where('id', '=', id)
        .where('delete_time', 'is', null)
        .forUpdate()
        .executeTakeFirst()
      if (row === undefined) throw notFound('destination not found')
      // The definition that was read decides which settings are secret.
      if (row.app !== current.app) throw conflict('CHANGED', 'A new version was published meanwhile. Try again')
      const changed = changeSetting(`destinations/${id}`, app, row, body, secretBox)
      await tx
        .updateTable('destinations')
        .set({ ...changed, secrets_to_enter: secretsLeft(row.secrets_to_enter, body), update_time: time })
        .where('id', '=', id)
        .execute()
      await audit(
        tx,
        resourceNames.destinationApp.format({ workspace: workspace.id, destination: id }),
        { setting: body.name, secrets: Object.keys(body.secrets) },
        { changes: changedPlainSettings(row, changed) },
      )
    })
    return (await showDestination(deps, workspace.id, id)).app
  }
