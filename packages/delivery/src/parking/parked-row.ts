import type { ParkedDeliveriesTable } from '@tributary/storage'
import type { Insertable } from 'kysely'
import type { KeptProfile, Lane } from '../log/record.ts'
import type { Open } from './key-order.ts'

/** A reference to undelivered events of one record, which wait for a retry or are dead. */
export type ParkedRow = {
  id: string
  workspaceId: string
  sourceId: string
  destinationId: string
  partition: number
  offset: number
  indexes: readonly number[]
  /** IDs of these events, in the same order; empty if they are unknown. */
  eventIds: readonly string[]
  attempts: number
  /** Epoch ms. */
  firstTime: number
  nextTime: number
  /** Whether its outcome must be reported to a producer if it dies without an attempt. */
  needsReport: boolean
  /** The replay that made the row due again. */
  replayId?: string | undefined
  /** The lane in which it waits. */
  lane: Lane
  /** By event ID, the profile with which the event was mapped first. Attempts use the same values while these suffice. */
  profiles?: Readonly<Record<string, KeptProfile>> | undefined
}

/** A row to write. `end` is set for a range of records (then `indexes` is empty). */
export type NewParkedRow = ParkedRow & {
  end?: number
  holds?: Lane | undefined
  events: number
  bytes: number
  state: 'waiting' | 'dead'
  lastStatus: number | undefined
  reason: string
  request: string
  response: string
  /** Open changes of the events that are ordered among the changes of their record; not stored. */
  opens?: readonly Open[]
}

/** Rows to delete, and rows to insert, in one transaction. */
export type ParkingChange = { deletes: readonly string[]; rows: readonly NewParkedRow[] }

/** A range of parked records. `holds` is the lane of its records; undefined for both. */
export type ParkedRange = ParkedRow & { end: number; events: number; bytes: number; holds: Lane | undefined }

/** A row that was dead-lettered beyond a limit. */
export type DeadRow = { id: string; destinationId: string; events: number }

/** Converts a row to the columns of the table. */
export const toDatabase = (row: NewParkedRow): Insertable<ParkedDeliveriesTable> => ({
  id: row.id,
  workspace_id: row.workspaceId,
  source_id: row.sourceId,
  destination_id: row.destinationId,
  log_partition: row.partition,
  log_offset: row.offset,
  log_end: row.end ?? null,
  event_indexes: [...row.indexes],
  event_ids: [...row.eventIds],
  event_count: row.events,
  bytes: row.bytes,
  state: row.state,
  attempts: row.attempts,
  first_time: new Date(row.firstTime),
  next_time: new Date(row.nextTime),
  last_status: row.lastStatus ?? null,
  last_reason: storable(row.reason),
  request: storable(row.request),
  response: storable(row.response),
  replay_id: row.replayId ?? null,
  tells: row.needsReport,
  bulk: row.lane === 'bulk',
  holds: row.holds ?? '',
  profile: row.profiles === undefined || row.state === 'dead' ? null : JSON.stringify(row.profiles),
})

/** PostgreSQL's text cannot contain NUL or lone surrogates. */
const storable = (text: string): string => text.replaceAll('\0', '�').toWellFormed()

/** The columns that are read of a row. */
export const rowColumns = [
  'id',
  'workspace_id',
  'source_id',
  'destination_id',
  'log_partition',
  'log_offset',
  'log_end',
  'event_indexes',
  'event_ids',
  'event_count',
  'bytes',
  'attempts',
  'first_time',
  'next_time',
  'replay_id',
  'tells',
  'bulk',
  'holds',
  'profile',
] as const

/** The selected columns of one row. */
export type SelectedRow = Pick<{ [K in keyof ParkedDeliveriesTable]: unknown }, (typeof rowColumns)[number]> & {
  id: string
  workspace_id: string
  source_id: string
  destination_id: string
  log_partition: number
  log_offset: string
  log_end: string | null
  event_indexes: number[]
  event_ids: string[]
  event_count: number
  bytes: string
  attempts: number
  first_time: Date
  next_time: Date
  replay_id: string | null
  tells: boolean
  bulk: boolean
  holds: Lane | ''
  profile: Record<string, KeptProfile> | null
}

/** Converts a row of the table to a range of one or more records. */
export const fromDatabase = (row: SelectedRow): ParkedRange => ({
  id: row.id,
  workspaceId: row.workspace_id,
  sourceId: row.source_id,
  destinationId: row.destination_id,
  partition: row.log_partition,
  offset: Number(row.log_offset),
  end: Number(row.log_end ?? Number(row.log_offset) + 1),
  indexes: row.event_indexes,
  eventIds: row.event_ids,
  events: row.event_count,
  bytes: Number(row.bytes),
  attempts: row.attempts,
  firstTime: row.first_time.getTime(),
  nextTime: row.next_time.getTime(),
  replayId: row.replay_id ?? undefined,
  needsReport: row.tells,
  lane: row.bulk ? 'bulk' : 'live',
  holds: row.holds === '' ? undefined : row.holds,
  ...(row.profile === null ? {} : { profiles: row.profile }),
})

type DeadColumns = Pick<SelectedRow, 'id' | 'destination_id' | 'event_count'>
/** Converts a dead-lettered row that the table returned. */
export const deadRow = ({ id, destination_id, event_count }: DeadColumns): DeadRow => ({
  id,
  destinationId: destination_id,
  events: event_count,
})
