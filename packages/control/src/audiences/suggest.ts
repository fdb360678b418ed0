import { definitionOf } from '@tributary/audiences'
import type { methods, ValueType } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'

type Found = { text: string; type: ValueType }

/** Maximum number of suggestions of one kind. */
const shownSuggestions = 50
/** Maximum number of events or traits that are read to find names and values. */
const looked = 2000
/** Maximum age of the events from which names are taken, ms: 30 days. */
const span = 30 * 86_400_000

const since = 'receive_time > fromUnixTimestamp64Milli({since:Int64})'
const ofWorkspace = `workspace_id = {workspace:String} and status = 'accepted' and not test`

/** Selects the properties of the newest events with a name: each property name with its value as JSON text. */
const properties = `select arrayJoin(JSONExtractKeysAndValuesRaw(toString(
    if({event:String} in ('identify', 'group'), traits, properties)))) as pair
  from (select properties, traits from events where ${ofWorkspace} and ${since}
    and (event = {event:String} or (event = '' and type = {event:String})) limit ${looked})`

const isNumber = `match(value, '^-?[0-9]')`
/**
 * The start of `datePattern` of the contract. Month and day must not be zero, so that a zero date of MySQL counts as a
 * text.
 */
const dateBeginning = '^"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])[T" ]'
const isDate = `match(value, '${dateBeginning}')`
/** The type that most of the values have. */
const mostly = `multiIf(countIf(${isNumber}) > count() / 2, 'number', countIf(${isDate}) > count() / 2, 'date', 'text')`
const textOf = `if(startsWith(value, '"'), JSONExtractString(value), value)`

const statements = {
  event: `select text, 'text' as type from (
      select if(event = '', type, event) as text, count() as n from events
      where ${ofWorkspace} and ${since} group by text)
    where text != '' order by n desc, text limit ${shownSuggestions}`,
  property: `select pair.1 as text, ${mostly} as type
    from (select pair, pair.2 as value from (${properties})) group by text order by count() desc, text limit ${shownSuggestions}`,
  property_value: `select ${textOf} as text, ${mostly} as type
    from (select pair.1 as name, pair.2 as value from (${properties}))
    where name = {name:String} and not match(value, '^[\\\\[{]') and value != 'null' and length(value) < 200
    group by text order by count() desc, text limit ${shownSuggestions}`,
} as const

const textOfJson = (value: string): string => {
  const parsed: unknown = JSON.parse(value)
  return typeof parsed === 'string' ? parsed : value
}

/** Reads the computed traits of a workspace. They are suggested even if few profiles have a value yet. */
const readComputed = async (db: ControlDeps['db'], workspaceId: string): Promise<Found[]> => {
  const rows = await db
    .selectFrom('computed_traits')
    .select(['trait', 'definition'])
    .where('workspace_id', '=', workspaceId)
    .where('delete_time', 'is', null)
    .orderBy('trait')
    .execute()
  return rows.map(({ trait, definition }) => {
    const { operation } = definitionOf({ definition })
    return {
      text: trait,
      type: operation === 'first' || operation === 'last' || operation === 'most_frequent' ? 'text' : 'number',
    }
  })
}

/**
 * Suggests names and values of events and traits of the workspace. Computed traits come first, then the most frequent
 * names and values.
 */
export const suggestForAudience =
  ({
    db,
    eventStore,
    clock,
  }: Pick<ControlDeps, 'db' | 'eventStore' | 'clock'>): Handler<typeof methods.audiences.suggest> =>
  async ({ workspace, query, signal }) => {
    const { kind, event, name } = query
    if (kind === 'trait' || kind === 'trait_value') {
      const named = kind === 'trait' ? sql`name` : sql`value`
      const { rows } = await sql<Found>`
        select ${named} as text, case when bool_or(value ~ '^-?[0-9]') then 'number'
          when bool_and(value ~ ${dateBeginning}) then 'date' else 'text' end as type
        from (select name, value from profile_traits where workspace_id = ${workspace.id}::uuid and name <> ''
          ${kind === 'trait' ? sql`` : sql`and name = ${name} and value !~ '^[\\[{]' and value <> 'null' and length(value) < 200`}
          limit ${looked * 10}) as sample
        group by 1 order by count(*) desc, 1 limit ${shownSuggestions}`.execute(db)
      if (kind === 'trait_value')
        return { suggestions: rows.map(({ text, type }) => ({ text: textOfJson(text), type })) }
      const computed = await readComputed(db, workspace.id)
      const known = new Set(rows.map(({ text }) => text))
      return { suggestions: [...computed.filter(({ text }) => !known.has(text)), ...rows] }
    }
    const params = { workspace: workspace.id, event, name, since: clock() - span }
    const suggestions = await eventStore.query<Found>(statements[kind], params, {
      owner: workspace.id,
      slot: 'short',
      signal,
    })
    return { suggestions }
  }
