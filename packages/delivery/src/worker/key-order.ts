import type { DeliveryRecord, RecordReference } from '../log/record.ts'
import type { Item } from './in-flight-record.ts'
import { type Lane, laneOf } from './lane.ts'

/** Why something is not sent though it could be. For people. */
export const laterDelivered = 'Not sent: a later change of the same record was delivered'

/** What is known of the changes of one key that are open; `among` are those of the same origin and object. */
type Changes = { readonly key: string; readonly among: Among; opens: Open[]; delivered: number }
type Among = { readonly name: string; readonly keys: Map<string, Changes> }

/**
 * A change of a record at the destination (an event or a row of a producer) that nobody is done with. `taken`: out of the log or its row, and
 * not checked yet; `sending`: queued or under way; `held`: in memory behind an earlier one; `waiting`: parked, to be tried again.
 */
export type Open = {
  readonly of: Changes
  /** Rises with the place in the stream. */
  readonly version: number
  readonly partition: number
  /** In which it came. */
  readonly lane: Lane
  state: 'taken' | 'sending' | 'held' | 'waiting' | 'closed'
  /** While it waits: when it is due, epoch ms. */
  nextTime: number
  /** While it is held. */
  item: Item | undefined
}

/** What is to be done with a change now. */
export type Verdict =
  | { kind: 'send' }
  | { kind: 'hold' }
  /** It is parked, not before what it waits for. Epoch ms. */
  | { kind: 'behind'; nextTime: number }
  | { kind: 'superseded' }

/** What was held and is so no more. */
export type Released = { send: Item[]; superseded: Item[]; behind: { item: Item; nextTime: number }[] }

/**
 * The changes of one destination that are open, by what they are changes of: the producer's origin, object and key. Records of events of
 * sources have no key, and are never looked up. Pure bookkeeping: reads and writes nothing.
 */
export type KeyOrder = {
  /** Notes that events of a record are taken out of the log, or out of a row; undefined for what has no order. */
  take(record: DeliveryRecord, indexes: readonly number[], row?: string): readonly Open[] | undefined
  /** What is to be done with a change that may be sent. One that is held is kept here. */
  admit(open: Open, item: Item): Verdict
  /** Nothing is to be done with it any more. */
  close(open: Open, delivered: boolean): void
  /** It failed or goes back: it is parked. */
  wait(open: Open, nextTime: number): void
  /** Whether something later of its key was delivered. */
  isSuperseded(open: Open): boolean
  /** These are in a parked row from now on. */
  park(row: string, opens: readonly Open[], nextTime: number): void
  /** A row that waits since before this process began. */
  restore(row: string, record: DeliveryRecord, indexes: readonly number[], nextTime: number): void
  /** Whether it has watched a row ever since that was parked: of any other something later may have been delivered. */
  knows(row: string): boolean
  /** Rows that do not wait any more, though nobody tried them. */
  lost(rows: Iterable<string>): void
  /** Forgets what waits of some partitions, or of all. */
  forget(partitions?: ReadonlySet<number>): void
  /** What changes have let go since the last call; undefined when nothing. */
  released(): Released | undefined
  /** What is held, in the order of the stream. */
  heldItems(): readonly Item[]
  /** Takes all that is held: the caller parks it. */
  clearHeld(): readonly Item[]
  /** How many of a lane are. */
  held(lane: Lane): number
  /** Changes that are open, of those that came in a lane. */
  size(lane: Lane): number
  /**
   * While somebody looks up what was delivered of keys that are about to be taken, what is delivered meanwhile is kept, too; what they find
   * is noted by `learn`. To be ended when they are taken.
   */
  beginLook(): { learn(key: string, version: number): void; end(): void }
}

const versionsOfRecord = 65_536

/** The version of an event or row; of two in a partition the later has the higher. */
export const versionOf = ({ offset }: Pick<RecordReference, 'offset'>, index: number): number =>
  offset * versionsOfRecord + index

/** What names a record at the destination: who made it, its object and its key. */
export const orderKey = (origin: string, object: string, key: string): string => `${origin}\n${object}\n${key}`

/** What an event or row of a producer is a change of; undefined where it cannot be read. */
export const changedBy = (record: DeliveryRecord, index: number): { object: string; key: string } | undefined => {
  const { b } = record.reference.meta
  if (b?.e === undefined) return record.events()?.[index]?.row
  const key = b.e[index]
  return key === undefined ? undefined : { object: '', key }
}

/** What becomes of a change beside the others of its key. */
const verdictOf = (open: Open, blocks: boolean): Verdict => {
  const { opens, delivered } = open.of
  if (open.version < delivered) return { kind: 'superseded' }
  if (!blocks) return { kind: 'send' }
  let nextTime: number | undefined
  for (const other of opens) {
    if (other === open) continue
    // What is delivered in another copy, or will not be sent, is waited for by nobody.
    const isEarlier = other.version < open.version && other.version > delivered
    if (other.state === 'sending' || (isEarlier && other.state !== 'waiting')) return { kind: 'hold' }
    if (isEarlier) nextTime = Math.max(nextTime ?? 0, other.nextTime + 1)
  }
  return nextTime === undefined ? { kind: 'send' } : { kind: 'behind', nextTime }
}

/** With nothing open. `blocks` says whether what is behind an open change waits for it. */
export const createKeyOrder = (queued: { bytes: number }, blocks: () => boolean): KeyOrder => {
  /** By origin and object: of these there are as many as producers have, and they stay. */
  const objects = new Map<string, Map<string, Among>>()
  /** Those that were asked for last: the rows of a record have one object. */
  let last: { origin: string; object: string; among: Among } | undefined
  const rows = new Map<string, { opens: readonly Open[]; own: boolean }>()
  const held = new Set<Open>()
  const changed = new Set<Changes>()
  const floors = new Map<string, number>()
  let looks = 0
  const size = { live: 0, bulk: 0 }
  const heldOf = { live: 0, bulk: 0 }

  const amongOf = (origin: string, object: string): Among => {
    if (last?.origin === origin && last.object === object) return last.among
    const ofOrigin = objects.get(origin) ?? new Map<string, Among>()
    const among = ofOrigin.get(object) ?? { name: orderKey(origin, object, ''), keys: new Map<string, Changes>() }
    objects.set(origin, ofOrigin.set(object, among))
    last = { origin, object, among }
    return among
  }
  const floorOf = ({ key, among }: Pick<Changes, 'key' | 'among'>): number =>
    floors.size === 0 ? -1 : (floors.get(among.name + key) ?? -1)

  const enter = (record: DeliveryRecord, index: number): Open => {
    const { meta, partition } = record.reference
    const { object, key } = changedBy(record, index) ?? { object: '', key: '' }
    const among = amongOf(meta.s, object)
    const changes = among.keys.get(key) ?? { key, among, opens: [], delivered: -1 }
    changes.delivered = Math.max(changes.delivered, floorOf(changes))
    const version = versionOf(record.reference, index)
    const lane = laneOf(meta)
    const open: Open = { of: changes, version, partition, lane, state: 'taken', nextTime: 0, item: undefined }
    if (changes.opens.push(open) === 1) among.keys.set(key, changes)
    size[lane]++
    return open
  }

  const hold = (open: Open, item: Item): void => {
    open.state = 'held'
    open.item = item
    held.add(open)
    heldOf[item.inFlight.lane]++
    queued.bytes += item.bytes
  }
  const letGo = (open: Open): Item | undefined => {
    const { item } = open
    open.item = undefined
    if (!held.delete(open) || item === undefined) return item
    queued.bytes -= item.bytes
    heldOf[item.inFlight.lane]--
    return item
  }

  const close = (open: Open, delivered: boolean): void => {
    if (open.state === 'closed') return
    letGo(open)
    open.state = 'closed'
    size[open.lane]--
    const { of: changes, version } = open
    if (delivered) {
      changes.delivered = Math.max(changes.delivered, version)
      if (looks > 0) floors.set(changes.among.name + changes.key, Math.max(floorOf(changes), version))
    }
    if (changes.opens.length === 1 && changes.opens[0] === open) changes.opens.pop()
    else changes.opens = changes.opens.filter((other) => other !== open)
    if (changes.opens.length === 0) changes.among.keys.delete(changes.key)
    else changed.add(changes)
  }

  const wait = (open: Open, nextTime: number): void => {
    if (open.state === 'closed') return
    letGo(open)
    open.state = 'waiting'
    open.nextTime = nextTime
    changed.add(open.of)
  }

  const park = (row: string, opens: readonly Open[], nextTime: number, own: boolean): void => {
    for (const open of opens) wait(open, nextTime)
    rows.set(row, { opens, own })
  }

  const heldInOrder = (): Open[] => [...held].toSorted((a, b) => a.version - b.version)

  return {
    take: (record, indexes, row) => {
      const known = row === undefined ? undefined : rows.get(row)?.opens
      if (row !== undefined) rows.delete(row)
      if (record.reference.meta.b === undefined) return undefined
      return indexes.map((index) => {
        const version = versionOf(record.reference, index)
        const before = known?.find((open) => open.version === version && open.state === 'waiting')
        if (before === undefined) return enter(record, index)
        before.state = 'taken'
        before.of.delivered = Math.max(before.of.delivered, floorOf(before.of))
        return before
      })
    },
    admit: (open, item) => {
      const verdict = verdictOf(open, blocks())
      if (verdict.kind === 'send') open.state = 'sending'
      if (verdict.kind === 'hold') hold(open, item)
      return verdict
    },
    close,
    wait,
    isSuperseded: (open) => open.version < open.of.delivered,
    park: (row, opens, nextTime) => park(row, opens, nextTime, true),
    restore: (row, record, indexes, nextTime) =>
      park(
        row,
        indexes.map((index) => enter(record, index)),
        nextTime,
        false,
      ),
    knows: (row) => rows.get(row)?.own === true,
    lost: (gone) => {
      for (const row of gone) {
        for (const open of rows.get(row)?.opens ?? []) close(open, false)
        rows.delete(row)
      }
    },
    forget: (partitions) => {
      for (const [row, { opens }] of rows) {
        if (partitions !== undefined && !opens.some(({ partition }) => partitions.has(partition))) continue
        for (const open of opens) close(open, false)
        rows.delete(row)
      }
    },
    released: () => {
      if (changed.size === 0) return undefined
      const touched = heldInOrder().filter(({ of }) => changed.has(of))
      changed.clear()
      const released: Released = { send: [], superseded: [], behind: [] }
      for (const open of touched) {
        const verdict = verdictOf(open, blocks())
        if (verdict.kind === 'hold') continue
        const item = letGo(open)
        if (item === undefined) continue
        open.state = verdict.kind === 'send' ? 'sending' : 'taken'
        if (verdict.kind === 'behind') released.behind.push({ item, nextTime: verdict.nextTime })
        else released[verdict.kind].push(item)
      }
      return released
    },
    heldItems: () => heldInOrder().flatMap(({ item }) => (item === undefined ? [] : [item])),
    clearHeld: () =>
      heldInOrder().flatMap((open) => {
        const item = letGo(open)
        open.state = 'taken'
        return item === undefined ? [] : [item]
      }),
    held: (lane) => heldOf[lane],
    size: (lane) => size[lane],
    beginLook: () => {
      if (looks++ === 0) floors.clear()
      return {
        learn: (key, version) => void floors.set(key, Math.max(floors.get(key) ?? -1, version)),
        end: () => {
          looks--
        },
      }
    },
  }
}
