import { type Db, parseReference } from '@tributary/api-kit'
import { conditionFieldMistake, resourceNames, type SignalTrigger } from '@tributary/contract'
import { badRequest, notFound } from '@tributary/kernel'

/** The IDs of the sources and of the audience from which a signal gets its conversions. */
export type TriggerIds = { sources: readonly string[]; audience: string | null }

/** Throws 400 if a condition of a trigger names no field of an event or its profile. */
const checkFields = ({ filters }: Extract<SignalTrigger, { type: 'events' }>): void => {
  for (const [index, { field }] of filters.entries()) {
    const mistake = conditionFieldMistake(field)
    if (mistake !== undefined) throw badRequest('VALIDATION', mistake, { [`trigger.filters.${index}.field`]: mistake })
  }
}

/**
 * Returns the IDs in the trigger of a signal. Throws 400 for an invalid name or field, 404 for a resource that does not
 * exist in this workspace.
 */
export const checkTrigger = async (db: Db, workspaceId: string, trigger: SignalTrigger): Promise<TriggerIds> => {
  if (trigger.type === 'audience') {
    const { workspace, audience } = parseReference(resourceNames.audience, 'trigger.audience', trigger.audience)
    const row =
      workspace === workspaceId
        ? await db
            .selectFrom('audiences')
            .select('id')
            .where('workspace_id', '=', workspaceId)
            .where('id', '=', audience)
            .executeTakeFirst()
        : undefined
    if (row === undefined) throw notFound('audience not found')
    return { sources: [], audience }
  }
  checkFields(trigger)
  const ids = trigger.sources.map((name, index) => {
    const { workspace, source } = parseReference(resourceNames.source, `trigger.sources.${index}`, name)
    if (workspace !== workspaceId) throw notFound('source not found')
    return source
  })
  const sources = [...new Set(ids)]
  const rows = await db
    .selectFrom('sources')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', sources)
    .where('delete_time', 'is', null)
    .execute()
  if (rows.length < sources.length) throw notFound('source not found')
  return { sources, audience: null }
}

/** Throws 400 if a signal has refunds but does not get its conversions from events. */
export const checkRefunds = (trigger: SignalTrigger, refunds: unknown): void => {
  if (refunds === null || trigger.type === 'events') return
  const text = 'Only conversions of events have refunds'
  throw badRequest('VALIDATION', text, { refunds: text })
}
