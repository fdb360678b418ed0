import { type DestinationDefinition, type Settings, validateSettings } from '@tributary/connector-kit'
import { editors, type methods, resourceNames, type SettingValue } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, conflict, notFound, SecretBoxError } from '@tributary/kernel'
import { audit } from '../audit.ts'
import type { ControlDeps } from '../deps.ts'
import { requireWorkspace } from '../workspace-access.ts'
import { readDestination, showDestination } from './read.ts'
import { openSettings, type StoredSettings, storeSettings } from './settings.ts'

const refused = (field: 'name' | 'value', text: string): Error => badRequest('VALIDATION', text, { [field]: text })

/** The whole settings with one of them changed; null takes it back to its default. Throws 400 with metadata.value. */
const changed = (definition: DestinationDefinition, before: Settings, name: string, value: SettingValue): Settings => {
  const field = definition.fields.find((each) => each.name === name)
  if (field === undefined) throw refused('name', `${definition.title} has no setting ${name}`)
  if (!field.editable) throw refused('value', 'This can only be set when the destination is created')
  const checked = validateSettings(definition, { ...before, [name]: value ?? undefined })
  if (checked.ok) return checked.settings
  const own = checked.errors[name]
  throw refused(
    'value',
    own ??
      Object.entries(checked.errors)
        .map(([other, text]) => `${other}: ${text}`)
        .join('; '),
  )
}

/** Opens the settings to write them back: without its secrets a destination must not be written. */
const openForChange = (id: string, row: StoredSettings, secretBox: ControlDeps['secretBox']): Settings => {
  try {
    return openSettings(id, row, secretBox)
  } catch (error) {
    if (!(error instanceof SecretBoxError)) throw error
    throw conflict(
      'SECRETS_UNREADABLE',
      "The destination's secrets were sealed with another secret key; restore that key",
    )
  }
}

/** Changes one setting of a destination. The row is locked, so that two changes at once both count. */
export const updateSetting =
  (
    deps: Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'clock' | 'logger'>,
  ): Handler<typeof methods.destinations.updateSetting> =>
  async ({ actor, params, body }) => {
    const { db, catalog, secretBox, clock } = deps
    const workspace = await requireWorkspace(db, actor, params.workspace, editors)
    const { id } = await readDestination(db, workspace.id, params.destination)
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
      const definition = catalog.destinations.find(({ slug }) => slug === row.app)
      if (definition === undefined) throw refused('name', 'The app of this destination is no longer in the catalogue')
      const settings = changed(definition, openForChange(id, row, secretBox), body.name, body.value)
      await tx
        .updateTable('destinations')
        .set({ ...storeSettings(id, definition, settings, secretBox), update_time: time })
        .where('id', '=', id)
        .execute()
      await audit(tx, {
        actor,
        action: 'destinations.updateSetting',
        resource: resourceNames.destinationApp.format({ workspace: workspace.id, destination: id }),
        organizationId: workspace.organizationId,
        workspaceId: workspace.id,
        detail: { setting: body.name },
        time,
      })
    })
    return (await showDestination(deps, workspace.id, id)).app
  }
