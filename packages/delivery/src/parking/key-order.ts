import type { DeliveryRecord, RecordReference } from '../log/record.ts'
import { type Lane } from '../log/record.ts'
import type { Item } from './in-flight-record.ts'

/** Why a change is not sent though it could be. For people. */
export const laterDelivered = 'Not sent: a later change of the same record was delivered'

/** The open changes of one key; `among` has those of the same origin and object. */
type Changes = { readonly key: string; readonly among: Among; opens: Open[]; delivered: number }
type Among = { readonly name: string; readonly keys: Map<string, Changes> }

/**
 * An unfinished change of a record at the destination (an event or a row of a producer).
 * - `taken`: out of the log or its row, and not checked yet;
 * - `sending`: queued or in flight;
 * - `held`: in memory behind an earlier one;
 * - `waiting`: parked, to be retried.
 */
export type Open = {
  readonly of: Changes
  /** Grows with the place in the stream. */
  readonly version: number
  readonly partition: number
  /** The lane in which it came. */
  readonly lane: Lane
  state: 'taken' | 'sending' | 'held' | 'waiting' | 'closed'
  /** When it is due while it waits, epoch ms. */
  nextTime: number
  /** The item while it is held. */
  item: Item | undefined
}

/** The next step for a change. */
export type Verdict =
  | { kind: 'send' }
  | { kind: 'hold' }
  /** The change is parked, and due after what it waits for. Epoch ms. */
  | { kind: 'behind'; nextTime: number }
  | { kind: 'superseded' }

/** Changes that are no longer held. */
export type Released = { send: Item[]; superseded: Item[]; behind: { item: Item; nextTime: number }[] }

/**
 * The open changes of one destination, by the producer's origin, object, and key. Records of events of sources have no
 * key, and are never looked up. Pure bookkeeping without I/O.
 */
export type KeyOrder = {
  /** Notes that events of a record are taken out of the log, or out of a row; undefined where they have no order. */
  take(record: DeliveryRecord, indexes: readonly number[], row?: string): readonly Open[] | undefined
  /** Decides about a change that may be sent. Keeps one that is held. */
  admit(open: Open, item: Item): Verdict
  /** Closes a change: nothing is left to do for it. */
  close(open: Open, delivered: boolean): void
  /** Notes that a change failed or is requeued: it is parked. */
  wait(open: Open, nextTime: number): void
  /** Whether a later change of its key was delivered. */
  isSuperseded(open: Open): boolean
  /** Notes that changes are in a parked row from now on. */
  park(row: string, opens: readonly Open[], nextTime: number): void
  /** Restores a row that waits since before this process started. */
  restore(row: string, record: DeliveryRecord, indexes: readonly number[], nextTime: number): void
  /**
   * Whether it has watched a row since the row was parked; for any other row, a later change may have been delivered.
   */
  knows(row: string): boolean
  /** Notes that rows no longer wait, though they were not tried. */
  lost(rows: Iterable<string>): void
  /** Forgets what waits of some partitions, or of all. */
  forget(partitions?: ReadonlySet<number>): void
  /** Takes the changes released since the last call; undefined when there is none. */
  released(): Released | undefined
  /** Held items, in the order of the stream. */
  heldItems(): readonly Item[]
  /** Takes all held items: the caller parks them. */
  clearHeld(): readonly Item[]
  /** Number of held changes of a lane. */
  held(lane: Lane): number
  /** Number of open changes that came in a lane. */
  size(lane: Lane): number
  /**
   * Starts a look-up of earlier deliveries for keys that are about to be taken. Until `end`, deliveries are kept, too;
   * `learn` notes what the look-up finds. Call `end` when the keys are taken.
   */
  beginLook(): { learn(key: string, version: number): void; end(): void }
}

const versionsOfRecord = 65_536

/** The version of an event or row; of two in a partition, the later one is higher. */
export const versionOf = ({ offset }: Pick<RecordReference, 'offset'>, index: number): number =>
  offset * versionsOfRecord + index

/** Names a record at the destination: its producer, object, and key. */
export const orderKey = (origin: string, object: string, key: string): string => `${origin}\n${object}\n${key}`

/** The object and key that an event or row of a producer changes; undefined where they cannot be read. */
export const changedBy = (record: DeliveryRecord, index: number): { object: string; key: string } | undefined => {
  const { producer } = record.reference.meta
  if (producer?.keys === undefined) return record.events()?.[index]?.row
  const key = producer.keys[index]
  return key === undefined ? undefined : { object: '', key }
}

/** Decides about a change beside the others of its key. */
const verdictOf = (open: Open, blocks: boolean): Verdict => {
  const { opens, delivered } = open.of
  if (open.version < delivered) return { kind: 'superseded' }
  if (!blocks) return { kind: 'send' }
  let nextTime: number | undefined
  for (const other of opens) {
    if (other === open) continue
    // An earlier change does not block when another copy of it or a later one was delivered.
    const isEarlier = other.version < open.version && other.version > delivered
    if (other.state === 'sending' || (isEarlier && other.state !== 'waiting')) return { kind: 'hold' }
    if (isEarlier) nextTime = Math.max(nextTime ?? 0, other.nextTime + 1)
  }
  return nextTime === undefined ? { kind: 'send' } : { kind: 'behind', nextTime }
}

/** Creates an order with nothing open. `blocks` says whether later changes wait for an open one. */
export const createKeyOrder = (queued: { bytes: number }, blocks: () => boolean): KeyOrder => {
  /** By origin and object: there are as many as producers have, and they stay. */
  const objects = new Map<string, Map<string, Among>>()
  /** The last ones used: the rows of a record have one object. */
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
    const { meta, partition, lane } = record.reference
    const { object, key } = changedBy(record, index) ?? { object: '', key: '' }
    const among = amongOf(meta.sourceId, object)
    const changes = among.keys.get(key) ?? { key, among, opens: [], delivered: -1 }
    changes.delivered = Math.max(changes.delivered, floorOf(changes))
    const version = versionOf(record.reference, index)
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
      if (record.reference.meta.producer === undefined) return undefined
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
