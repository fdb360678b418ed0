import type { Db } from '@tributary/api-kit'
import { checkMappings, type DestinationRow, openForChange, ownMappings, storeSettings } from '@tributary/configuration'
import { type DestinationDefinition, type Settings, validatePartialSettings } from '@tributary/connector-kit'
import { type OwnReading, secretsSentElsewhere } from '@tributary/connector-kit/own-connector'
import { type AffectedDestination, resourceNames } from '@tributary/contract'
import { AppError } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { syncProblems } from './sync-problems.ts'

/** A description that was read. */
export type ReadOwn = Extract<OwnReading, { ok: true }>

/** What a version does to a destination: its new columns, and what users see of that. */
export type Move = AffectedDestination & {
  id: string
  columns: { settings: string; secrets_encrypted: Uint8Array | null; secrets_to_enter: string[] } | undefined
}

/** Maximum problems of a destination that are listed. */
const maxListed = 10

const labelOf = ({ settings: { fields } }: DestinationDefinition, name: string): string =>
  fields.find((field) => field.name === name)?.label ?? name

/** Returns settings with the defaults of a definition, as far as they are valid. */
const withDefaults = (definition: DestinationDefinition, settings: Settings): Settings => {
  const checked = validatePartialSettings(definition, settings)
  return checked.ok ? checked.settings : settings
}

/**
 * Returns the settings that a description may take over from another one: those that it has, without secrets that are no
 * secrets in it.
 */
export const takenOver = (before: ReadOwn | undefined, after: ReadOwn, settings: Settings): Settings =>
  Object.fromEntries(
    Object.entries(settings).filter(([name]) => {
      const type = after.described.settings[name]?.type
      const old = before?.described.settings[name]?.type
      // Without the version before, any setting may be a secret.
      return type !== undefined && (type === 'secret' || (before !== undefined && old !== 'secret'))
    }),
  )

/** Returns the names of secrets that must be entered again, because `after` sends them to other hosts than `before`. */
export const redirected = (
  before: { read: ReadOwn | undefined; settings: Settings },
  after: { read: ReadOwn; settings: Settings },
): string[] => {
  const { read } = before
  const { described, definition } = after.read
  if (read === undefined)
    return Object.keys(after.settings).filter((name) => described.settings[name]?.type === 'secret')
  return secretsSentElsewhere(
    { described: read.described, settings: withDefaults(read.definition, before.settings) },
    { described, settings: withDefaults(definition, after.settings) },
  )
}

const audienceProblems = async (db: Db, id: string, { actions }: DestinationDefinition): Promise<string[]> => {
  if (actions.some(({ eventTypes }) => eventTypes.length === 0 || eventTypes.includes('track'))) return []
  const connected = await db.selectFrom('audience_destinations').select('id').where('destination_id', '=', id).execute()
  return connected.length === 0 ? [] : ['Audiences are sent to it, and no action takes track events']
}

/** Returns the settings of a destination, or why they cannot be read. */
const openOr = (
  { secretBox }: Pick<ControlDeps, 'secretBox'>,
  row: DestinationRow,
): { settings: Settings } | { problem: string } => {
  try {
    return { settings: openForChange(`destinations/${row.id}`, row, secretBox) }
  } catch (error) {
    if (error instanceof AppError) return { problem: error.message }
    throw error
  }
}

/** Returns what a new version does to a destination of the version before; `before` is undefined if that cannot be read. */
export const moveOf = async (
  deps: Pick<ControlDeps, 'secretBox' | 'workShare'> & { db: Db },
  row: DestinationRow,
  before: ReadOwn | undefined,
  after: ReadOwn,
): Promise<Move> => {
  const { definition, described } = after
  const name = resourceNames.destination.format({ workspace: row.workspace_id, destination: row.id })
  const shown = { id: row.id, name, title: row.title }
  const opened = openOr(deps, row)
  if ('problem' in opened)
    return { ...shown, problems: [opened.problem], missing_settings: [], secrets_to_enter: [], columns: undefined }
  const taken = takenOver(before, after, opened.settings)
  const elsewhere = new Set(redirected({ read: before, settings: opened.settings }, { read: after, settings: taken }))
  const stillAsked = row.secrets_to_enter.filter((each) => described.settings[each]?.type === 'secret')
  const kept = Object.fromEntries(Object.entries(taken).filter(([each]) => !elsewhere.has(each)))
  const checked = validatePartialSettings(definition, kept)
  const settings = checked.ok ? checked.settings : kept
  const mappings = ownMappings(row)
  const mapping =
    mappings === undefined
      ? []
      : Object.values(await checkMappings(deps.workShare, row.workspace_id, definition, mappings, settings))
  const problems = [
    ...(checked.ok
      ? []
      : Object.entries(checked.errors).map(([each, text]) => `Setting ${labelOf(definition, each)}: ${text}`)),
    ...mapping.map((text) => `Mapping: ${text}`),
    ...(await syncProblems(deps.db, row.id, { before, after })),
    ...(await audienceProblems(deps.db, row.id, definition)),
  ]
  const toEnter = [...new Set([...stillAsked, ...elsewhere])]
  const missing = checked.ok ? checked.missing : []
  return {
    ...shown,
    problems: problems.slice(0, maxListed),
    missing_settings: missing.filter((each) => !toEnter.includes(each)),
    secrets_to_enter: toEnter,
    columns: {
      ...storeSettings(`destinations/${row.id}`, definition, settings, deps.secretBox),
      secrets_to_enter: toEnter,
    },
  }
}

/** Whether a version does something to a destination that its users must see first. */
export const isAffected = ({ problems, missing_settings: missing, secrets_to_enter: secrets }: Move): boolean =>
  problems.length + missing.length + secrets.length > 0

/** Returns the sentence about a destination that is held until users enter settings. */
export const heldText = ({ title, missing_settings: missing, secrets_to_enter: secrets }: Move): string => {
  const names = [...secrets.map((name) => `${name} again`), ...missing]
  return `${title} is held until these settings are entered: ${names.join(', ')}`
}
