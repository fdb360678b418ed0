import { type SignalPlatformSettings, standardEventName } from '@tributary/connector-kit'
import { type FieldMapping, fieldMapping, signalPlatforms, standardConversions } from '@tributary/contract'
import type { SignalPlatformsTable } from '@tributary/storage'
import type { Selectable } from 'kysely'
import { z } from 'zod'

type StoredPlatformRow = Pick<
  Selectable<SignalPlatformsTable>,
  'platform' | 'event_name' | 'test_event_code' | 'field_mappings'
>

const fieldMappings = z.array(fieldMapping)

/** Returns the custom fields of a platform; undefined if it uses the default fields. */
export const ownFields = ({ field_mappings }: Pick<StoredPlatformRow, 'field_mappings'>): FieldMapping[] | undefined =>
  field_mappings === null ? undefined : fieldMappings.parse(JSON.parse(field_mappings))

const named = z.object({
  conversion: z.object({ type: z.enum(standardConversions), custom_name: z.string() }),
})

/** Returns a stored platform in the form from which mappings are made. `definition` is the definition of its signal. */
export const storedPlatform = (row: StoredPlatformRow & { definition: string }): SignalPlatformSettings => {
  const { conversion } = named.parse(JSON.parse(row.definition))
  const platform = signalPlatforms.find((each) => each === row.platform) ?? 'meta'
  return {
    eventName: row.event_name || standardEventName(platform, conversion),
    testCode: row.test_event_code,
    fields: ownFields(row),
  }
}
