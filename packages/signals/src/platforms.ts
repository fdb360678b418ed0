import { type Db, referenceIn } from '@tributary/api-kit'
import { checkMappings, findDestination, ownFields, readDestination } from '@tributary/configuration'
import { isPlatform, type PlatformDefinition, signalMappings, standardEventName } from '@tributary/connector-kit'
import {
  type FieldMapping,
  personDataPathsOf,
  resourceNames,
  type SignalConversion,
  type SignalPlatformInput,
} from '@tributary/contract'
import { badRequest } from '@tributary/kernel'
import type { ReadyPlatform } from './engine/make.ts'
import type { PlatformRow } from './read.ts'
import type { SignalServices } from './services.ts'

/** Returns the name that a platform has for the event of a signal; '' if the destination decides. */
export const eventNameOf = (
  definition: PlatformDefinition,
  { event_name }: Pick<PlatformRow, 'event_name'>,
  conversion: SignalConversion,
): string => event_name || standardEventName(definition.conversions.platform, conversion)

/**
 * Returns a destination as a platform that is ready to send the conversions of a signal; undefined if it is not a
 * platform.
 */
export const readyPlatform = (
  app: Parameters<typeof isPlatform>[0],
  row: Pick<PlatformRow, 'destination_id' | 'event_name' | 'test_event_code' | 'field_mappings'> & {
    destination_settings: Readonly<Record<string, unknown>>
    consent_categories: readonly string[]
    person_data: unknown
  },
  conversion: SignalConversion,
): ReadyPlatform | undefined =>
  isPlatform(app)
    ? {
        destinationId: row.destination_id,
        definition: app,
        settings: {
          eventName: eventNameOf(app, row, conversion),
          testCode: row.test_event_code,
          fields: ownFields(row),
        },
        destinationSettings: row.destination_settings,
        consentCategories: row.consent_categories,
        personData: personDataPathsOf(row.person_data),
      }
    : undefined

/** Returns the app of a destination as a platform; undefined if it is not a platform. */
export const platformOf = async (
  catalog: SignalServices['catalog'],
  app: string,
): Promise<PlatformDefinition | undefined> => {
  const entry = await findDestination(catalog, app)
  const definition = await entry?.load()
  return isPlatform(definition) ? definition : undefined
}

/** A validated platform, in the form in which it is stored. */
export type CheckedPlatform = Omit<PlatformRow, 'signal_id' | 'workspace_id'>

const refuse = (field: string, text: string): Error => badRequest('VALIDATION', text, { [field]: text })

/** Returns the path, in the mappings that a user gave, of an error in the mappings that were made from them. */
const placeOf = (given: readonly FieldMapping[], made: readonly FieldMapping[], name: string): string | undefined => {
  const [, index, rest = ''] = /^event_mappings\.0\.field_mappings\.(\d+)(\D.*)?$/.exec(name) ?? []
  if (index === undefined) return name.startsWith('event_mappings.0.') ? 'field_mappings' : undefined
  const at = given.findIndex(({ id }) => id === made[Number(index)]?.id)
  return at < 0 ? 'field_mappings' : `field_mappings.${at}${rest}`
}

/**
 * Checks the platforms of a signal, and returns them for storing. Throws 404 for destinations of another workspace.
 * Throws 400 with `platforms.{i}.…` in the metadata for a destination that cannot be a platform, is named twice, or has
 * invalid fields.
 */
export const checkPlatforms = async (
  { db, catalog, workShare }: Pick<SignalServices, 'catalog' | 'workShare'> & { db: Db },
  workspaceId: string,
  conversion: SignalConversion,
  given: readonly SignalPlatformInput[],
): Promise<CheckedPlatform[]> => {
  const checked: CheckedPlatform[] = []
  for (const [place, each] of given.entries()) {
    const at = `platforms.${place}`
    const { destination: id } = referenceIn(workspaceId, resourceNames.destination, {
      field: `${at}.destination`,
      name: each.destination,
      what: 'destination',
    })
    const row = await readDestination(db, workspaceId, id)
    const definition = await platformOf(catalog, row.app)
    if (definition === undefined) throw refuse(`${at}.destination`, `${row.title} does not take conversions`)
    if (checked.some(({ destination_id }) => destination_id === id))
      throw refuse(`${at}.destination`, `${row.title} is chosen twice`)
    const { conversions } = definition
    if (each.test_event_code !== '' && conversions.testCode === undefined)
      throw refuse(`${at}.test_event_code`, `${row.title} has no test event codes`)
    const eventName = each.event_name || standardEventName(conversions.platform, conversion)
    const fields = each.field_mappings ?? undefined
    const [made] = signalMappings(definition, { eventName, testCode: each.test_event_code, fields })
    if (fields !== undefined && made !== undefined) {
      const problems = await checkMappings(workShare, workspaceId, definition, [made])
      for (const [name, text] of Object.entries(problems)) {
        const found = placeOf(fields, made.field_mappings, name)
        throw refuse(found === undefined ? at : `${at}.${found}`, text)
      }
    }
    checked.push({
      destination_id: id,
      place,
      platform: conversions.platform,
      event_name: each.event_name,
      test_event_code: each.test_event_code,
      field_mappings: fields === undefined ? null : JSON.stringify(fields),
    })
  }
  return checked
}
