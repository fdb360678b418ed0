import { type EventObject, eventFieldsProblem, eventIdentifier, type Model, resourceNames } from '@tributary/contract'
import { fieldsOfRows, type MappingProblems, type MappingRow, mappingProblems } from './mapping-rows.ts'

/** Usual column names for each event field, without word separators, most likely first. */
const usualNames: Readonly<Record<string, readonly string[]>> = {
  userId: ['userid', 'customerid', 'memberid', 'accountid', 'externalid', 'user', 'customer'],
  anonymousId: ['anonymousid', 'visitorid', 'deviceid'],
  timestamp: [
    'timestamp',
    'eventtime',
    'occurredat',
    'orderedat',
    'happenedat',
    'createdat',
    'createtime',
    'date',
    'time',
    'at',
  ],
  event: ['eventname', 'event'],
  [eventIdentifier]: ['messageid'],
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/**
 * Returns the suggested mapping of a model to events: columns with usual names become event fields, all other columns
 * become properties or traits.
 */
export const suggestedEventRows = ({ columns }: Pick<Model, 'columns'>, event: EventObject): MappingRow[] => {
  const taken = new Map<string, string>()
  for (const field of event.fields) {
    const name = usualNames[field]?.find((usual) => columns.some((each) => plain(each.name) === usual))
    const column = columns.find((each) => plain(each.name) === name && !taken.has(each.name))
    if (column !== undefined) taken.set(column.name, field)
  }
  const parent = event.parents[0] ?? ''
  return columns.map(({ name, type, title }) => ({
    column: name,
    type,
    title,
    target: taken.get(name) ?? `${parent}.${name.replaceAll('.', '_')}`,
    included: title === undefined,
  }))
}

/** The errors that prevent saving a mapping to events. */
export const eventMappingProblems = (rows: readonly MappingRow[], event: EventObject): MappingProblems | undefined => {
  const found = mappingProblems(
    rows,
    rows.findIndex(({ included }) => included),
  )
  if (found !== undefined) return found
  const all = eventFieldsProblem(
    event,
    fieldsOfRows(rows).map(({ target }) => target),
  )
  return all === undefined ? undefined : { rows: new Map(), all }
}

/** Whether a name is that of a source, for which rows become events. */
export const isSourceName = (name: string): boolean => resourceNames.source.parse(name) !== undefined
