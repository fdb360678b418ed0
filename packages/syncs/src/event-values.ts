import { hash } from 'node:crypto'
import type { DataRow } from '@tributary/connector-kit'
import {
  type DataColumn,
  type EventObject,
  eventIdentifier,
  type SyncField,
  syncLimits,
  trackingLimits,
} from '@tributary/contract'
import { cutText, readTimeText } from '@tributary/kernel'
import { columnPlaces, type StagedRow, sourceKeys } from './row-values.ts'
import { encoderOf } from './value-kinds.ts'

/** A member of an event: a column's value, or an object of members. */
type Node = { place: number; encode: (text: string) => string } | Map<string, Node>

const textOf = (node: Node, row: DataRow, keepsNull: boolean): string => {
  if (!(node instanceof Map)) {
    const value = row[node.place] ?? null
    return value === null ? (keepsNull ? 'null' : '') : node.encode(value)
  }
  let text = ''
  for (const [name, member] of node) {
    const value = textOf(member, row, keepsNull)
    if (value !== '') text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${value}`
  }
  return text === '' ? '' : `{${text}}`
}

/** Returns the fields below each parent, such as `properties`, sorted by name. */
const treeOf = (columns: readonly DataColumn[], fields: readonly SyncField[]): Map<string, Node> => {
  const placeOf = columnPlaces(columns)
  const tree = new Map<string, Node>()
  for (const { column, target } of fields.toSorted((a, b) => (a.target < b.target ? -1 : 1))) {
    const names = target.split('.')
    const last = names.pop()
    if (last === undefined || names.length === 0) continue
    let parent = tree
    for (const name of names) {
      const known = parent.get(name)
      const next = known instanceof Map ? known : new Map<string, Node>()
      parent.set(name, next)
      parent = next
    }
    const place = placeOf(column)
    parent.set(last, { place, encode: encoderOf(columns[place]?.type ?? '') })
  }
  return tree
}

export type EventsGiven = {
  /** The ID of the sync, which is part of the message IDs. */
  sync: string
  object: EventObject
  /** The name of an event if its row has none. */
  name: string
  primaryKey: readonly string[]
  fields: readonly SyncField[]
}

/**
 * Creates the function that converts rows of a model to events for collection. The key of an event is the primary key
 * of its row. Unless a column contains the message ID, the ID is made from sync, key and content, so that the same row
 * never becomes two events. Nulls are kept in properties and traits, and omitted everywhere else. Throws MissingColumn
 * like `stagedRows`.
 */
export const stagedEvents = (
  columns: readonly DataColumn[],
  { sync, object, name, primaryKey, fields }: EventsGiven,
): ((row: DataRow) => StagedRow) => {
  const placeOf = columnPlaces(columns)
  const { keyPlaces, sourceKeyOf } = sourceKeys(placeOf, primaryKey)
  const placeFor = (target: string): number => {
    const field = fields.find((each) => each.target === target)
    return field === undefined ? -1 : placeOf(field.column)
  }
  const [userId, anonymousId, timestamp, messageId, event] = (
    ['userId', 'anonymousId', 'timestamp', eventIdentifier, 'event'] as const
  ).map(placeFor) as [number, number, number, number, number]
  const parents = [...treeOf(columns, fields)]
  return (row) => {
    const whole = sourceKeyOf(row).toWellFormed()
    const sourceKey = cutText(whole, syncLimits.keyCharacters).toWellFormed()
    const broken = (problem: string, key = ''): StagedRow => ({ key, sourceKey, payload: '', problem })
    if (keyPlaces.some((place) => (row[place] ?? null) === null)) return broken('The primary key is null')
    if (whole === '') return broken('The primary key is empty')
    if (whole.length > syncLimits.keyCharacters)
      return broken(`The primary key is longer than ${syncLimits.keyCharacters} characters`)
    const valueAt = (place: number): string => (row[place] ?? '').toWellFormed()
    if (valueAt(userId) === '' && valueAt(anonymousId) === '') return broken('userId and anonymousId are empty', whole)
    const said = valueAt(timestamp)
    const time = said === '' ? '' : readTimeText(said)
    if (time === undefined) return broken(`timestamp is not a time: ${cutText(said, 50)}`, whole)
    let payload = `"type":"${object.type}"`
    const add = (member: string, value: string): void => {
      if (value !== '') payload += `,"${member}":${JSON.stringify(value)}`
    }
    if (object.type === 'track') add('event', valueAt(event) === '' ? name : valueAt(event))
    add('userId', valueAt(userId))
    add('anonymousId', valueAt(anonymousId))
    add('timestamp', time)
    for (const [parent, node] of parents) {
      const text = textOf(node, row, parent !== 'context')
      if (text !== '') payload += `,"${parent}":${text}`
    }
    const id =
      messageId === -1 ? `row-${hash('sha256', `${sync}\n${whole}\n${payload}`).slice(0, 40)}` : valueAt(messageId)
    if (id === '') return broken(`${eventIdentifier} is empty`, whole)
    if (id.length > trackingLimits.messageIdLength)
      return broken(`${eventIdentifier} is longer than ${trackingLimits.messageIdLength} characters`, whole)
    payload = `{"${eventIdentifier}":${JSON.stringify(id)},${payload}}`
    if (Buffer.byteLength(payload) > trackingLimits.eventBytes)
      return broken(`The event is longer than ${trackingLimits.eventBytes / 1024} KiB`, whole)
    return { key: whole, sourceKey, payload, problem: '' }
  }
}
