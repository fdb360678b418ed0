import type { Db } from '@tributary/api-kit'
import { parseReference } from '@tributary/api-kit'
import {
  type DestinationRow,
  openForChange,
  ownVersionOf,
  readDestination,
  requireComplete,
} from '@tributary/configuration'
import type { Settings } from '@tributary/connector-kit'
import { resourceNames, type SettingValue } from '@tributary/contract'
import { badRequest, notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { type ReadOwn, redirected, takenOver } from './affected.ts'
import { readUsed } from './check.ts'
import type { OwnConnectorRow } from './read.ts'

type Deps = Pick<ControlDeps, 'catalog' | 'workShare' | 'secretBox'> & { db: Db }

/** The settings of a trial. `stored` are those of its destination, whose secrets must not be shown either. */
export type TrialSettings = { settings: Settings; stored: Settings; destination: DestinationRow | undefined }

const readOwnDestination = async (deps: Deps, row: OwnConnectorRow, name: string): Promise<DestinationRow> => {
  const { workspace, destination: id } = parseReference(resourceNames.destination, 'destination', name)
  if (workspace !== row.workspace_id) throw notFound('destination not found')
  const destination = await readDestination(deps.db, workspace, id)
  const text = 'This destination does not use this connector'
  if (ownVersionOf(destination.app)?.id !== row.id) throw badRequest('VALIDATION', text, { destination: text })
  return destination
}

/**
 * Returns the settings of a trial: given ones, and otherwise those of a destination. Throws 400 with `settings.{name}` if
 * some are missing. A secret of the destination that the texts would send to another host must be given, too.
 */
export const trialSettings = async (
  deps: Deps,
  row: OwnConnectorRow,
  after: ReadOwn,
  { settings: given, destination: name }: { settings: Record<string, SettingValue>; destination?: string | undefined },
): Promise<TrialSettings> => {
  const entered = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) as Settings
  const { definition } = after
  if (name === undefined) return { settings: requireComplete(definition, entered), stored: {}, destination: undefined }
  const destination = await readOwnDestination(deps, row, name)
  const before = await readUsed(deps, row, destination.app)
  const stored = openForChange(`destinations/${destination.id}`, destination, deps.secretBox)
  const own = Object.entries(takenOver(before, after, stored)).filter(
    ([each]) => !destination.secrets_to_enter.includes(each) && given[each] !== null,
  )
  const merged: Settings = { ...Object.fromEntries(own), ...entered }
  const asked = redirected({ read: before, settings: stored }, { read: after, settings: merged }).filter(
    (each) => !Object.hasOwn(entered, each) && merged[each] !== undefined,
  )
  if (asked.length > 0) {
    const labels = asked.map((each) => definition.settings.fields.find((field) => field.name === each)?.label ?? each)
    throw badRequest(
      'VALIDATION',
      `This sends secrets to another host than those they were entered for. Enter them for the trial: ${labels.join(', ')}`,
      Object.fromEntries(
        asked.map((each) => [`settings.${each}`, 'Enter it, because it would be sent to another host']),
      ),
    )
  }
  return { settings: requireComplete(definition, merged), stored, destination }
}
