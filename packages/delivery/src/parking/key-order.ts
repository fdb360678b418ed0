import type { DeliveryRecord, RecordReference } from '../log/record.ts'
import { type Lane } from '../log/record.ts'
import { type Item, memoryOf } from './in-flight-record.ts'

/** The reason, for users, why a change is not sent. */
export const laterDelivered = 'Not sent: a later change of the same record was delivered'

/** The open changes of one key. `among` has the changes of all keys of the same origin and object. */
type Changes = { readonly key: string; readonly among: Among; opens: Open[]; delivered: number }
type Among = { readonly name: string; readonly keys: Map<string, Changes> }

/**
 * An unfinished change of a record at the destination (an event or a row of a producer).
 * - `taken`: taken from the log or its row, and not checked yet;
 * - `sending`: queued or in flight;
 * - `held`: in memory behind an earlier change;
 * - `waiting`: parked for a retry.
 */
export type Open = {
  readonly of: Changes
  /** A later place in the stream has a higher version. */
  readonly version: number
  readonly partition: number
  /** The lane in which the change arrived. */
  readonly lane: Lane
  state: 'taken' | 'sending' | 'held' | 'waiting' | 'closed'
  /** When a waiting change is due, epoch ms. */
  nextTime: number
  /** The queue item of a held change. */
  item: Item | undefined
}

/** The next step for a change. */
export type Verdict =
  | { kind: 'send' }
  | { kind: 'hold' }
  /** The change is parked, and becomes due after the change that it waits for. `nextTime` is epoch ms. */
  | { kind: 'behind'; nextTime: number }
  | { kind: 'superseded' }

/**
 * Changes that were held and no longer are: to send, superseded by a later change, or to park behind another change.
 */
export type Released = { send: Item[]; superseded: Item[]; behind: { item: Item; nextTime: number }[] }

/**
 * The open changes of one destination, by the producer's origin, object, and key. Records of events of sources have no
 * key, and are never looked up. Pure bookkeeping without I/O.
 */
export type KeyOrder = {
  /** Tracks events of a record that are taken from the log or from a row; undefined if they have no order. */
  take(record: DeliveryRecord, indexes: readonly number[], row?: string): readonly Open[] | undefined
  /** Decides about a change that may be sent next. Keeps the item if the change is held. */
  admit(open: Open, item: Item): Verdict
  /** Closes a finished change. */
  close(open: Open, delivered: boolean): void
  /** Marks a change as parked, since it failed or is requeued. */
  wait(open: Open, nextTime: number): void
  /** Whether a later change of the same key was delivered. */
  isSuperseded(open: Open): boolean
  /** Marks changes as parked in a row. */
  park(row: string, opens: readonly Open[], nextTime: number): void
  /** Restores a row that was parked before this process started. */
  restore(row: string, record: DeliveryRecord, indexes: readonly number[], nextTime: number): void
  /**
   * Whether this process has tracked the row since it was parked. For any other row, a later change may have been
   * delivered.
   */
  knows(row: string): boolean
  /** Marks rows that no longer wait although they were not tried. */
  lost(rows: Iterable<string>): void
  /** Drops the waiting changes of some partitions, or of all. */
  forget(partitions?: ReadonlySet<number>): void
  /** Returns the changes released since the last call; undefined if there are none. */
  released(): Released | undefined
  /** Returns the held items, in the order of the stream. */
  heldItems(): readonly Item[]
  /** Removes and returns all held items; the caller parks them. */
  clearHeld(): readonly Item[]
  /** Returns the number of held changes of a lane. */
  held(lane: Lane): number
  /** Returns the number of open changes that arrived in a lane. */
  size(lane: Lane): number
  /**
   * Starts a look-up of earlier deliveries for keys that are about to be taken. Until `end`, deliveries are tracked,
   * too; `learn` adds what the look-up finds. Call `end` when the keys are taken.
   */
  beginLook(): { learn(key: string, version: number): void; end(): void }
}

const versionsOfRecord = 65_536

/** The version of an event or row. Within a partition, a later one has a higher version. */
export const versionOf = ({ offset }: Pick<RecordReference, 'offset'>, index: number): number =>
  offset * versionsOfRecord + index

/** Identifies a record at the destination by its producer, object, and key. */
export const orderKey = (origin: string, object: string, key: string): string => `${origin}\n${object}\n${key}`

/** The object and key that an event or row of a producer changes; undefined if they cannot be read. */
export const changedBy = (record: DeliveryRecord, index: number): { object: string; key: string } | undefined => {
  const { producer } = record.reference.meta
  if (producer?.keys === undefined) return record.events()?.[index]?.row
  const key = producer.keys[index]
  return key === undefined ? undefined : { object: '', key }
}

/** Decides about a change, given the other changes of its key. */
const verdictOf = (open: Open, blocks: boolean): Verdict => {
  const { opens, delivered } = open.of
  if (open.version < delivered) return { kind: 'superseded' }
  if (!blocks) return { kind: 'send' }
  let nextTime: number | undefined
  for (const other of opens) {
    if (other === open) continue
    // An earlier change does not block after another copy of it, or a later change, was delivered.
    const isEarlier = other.version < open.version && other.version > delivered
    if (other.state === 'sending' || (isEarlier && other.state !== 'waiting')) return { kind: 'hold' }
    if (isEarlier) nextTime = Math.max(nextTime ?? 0, other.nextTime + 1)
  }
  return nextTime === undefined ? { kind: 'send' } : { kind: 'behind', nextTime }
}

/** Held changes, whose items count as queued bytes. */
const createHeld = (queued: { bytes: number }) => {
  const held = new Set<Open>()
  const count = { live: 0, bulk: 0 }
  return {
    count: (lane: Lane): number => count[lane],
    inOrder: (): Open[] => [...held].toSorted((a, b) => a.version - b.version),
    hold(open: Open, item: Item): void {
      open.state = 'held'
      open.item = item
      held.add(open)
      count[item.inFlight.lane]++
      queued.bytes += memoryOf(item)
    },
    letGo(open: Open): Item | undefined {
      const { item } = open
      open.item = undefined
      if (!held.delete(open) || item === undefined) return item
      queued.bytes -= memoryOf(item)
      count[item.inFlight.lane]--
      return item
    },
  }
}

/** The open changes by origin, object, and key, with the versions that were delivered during look-ups. */
const createKeys = () => {
  /** Changes by origin and object. Entries are never removed, because producers have a limited number of objects. */
  const objects = new Map<string, Map<string, Among>>()
  /** The last used origin and object, since all rows of a record have the same. */
  let last: { origin: string; object: string; among: Among } | undefined
  const floors = new Map<string, number>()
  let looks = 0

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

  const lift = (changes: Changes): void => {
    changes.delivered = Math.max(changes.delivered, floorOf(changes))
  }
  return {
    /** Notes in the changes of a key the version that was delivered during look-ups. */
    lift,
    /** Returns the changes of a key. For a new key, the caller adds them to `among`. */
    changesOf(origin: string, object: string, key: string): Changes {
      const among = amongOf(origin, object)
      const changes = among.keys.get(key) ?? { key, among, opens: [], delivered: -1 }
      lift(changes)
      return changes
    },
    deliver(changes: Changes, version: number): void {
      changes.delivered = Math.max(changes.delivered, version)
      if (looks > 0) floors.set(changes.among.name + changes.key, Math.max(floorOf(changes), version))
    },
    beginLook: (): ReturnType<KeyOrder['beginLook']> => {
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

/** Creates an order without open changes. `blocks` returns whether later changes of a key wait for an open change. */
export const createKeyOrder = (queued: { bytes: number }, blocks: () => boolean): KeyOrder => {
  const rows = new Map<string, { opens: readonly Open[]; own: boolean }>()
  const held = createHeld(queued)
  const changed = new Set<Changes>()
  const keys = createKeys()
  const size = { live: 0, bulk: 0 }

  const enter = (record: DeliveryRecord, index: number): Open => {
    const { meta, partition, lane } = record.reference
    const { object, key } = changedBy(record, index) ?? { object: '', key: '' }
    const changes = keys.changesOf(meta.sourceId, object, key)
    const version = versionOf(record.reference, index)
    const open: Open = { of: changes, version, partition, lane, state: 'taken', nextTime: 0, item: undefined }
    if (changes.opens.push(open) === 1) changes.among.keys.set(key, changes)
    size[lane]++
    return open
  }

  const close = (open: Open, delivered: boolean): void => {
    if (open.state === 'closed') return
    held.letGo(open)
    open.state = 'closed'
    size[open.lane]--
    const { of: changes, version } = open
    if (delivered) keys.deliver(changes, version)
    if (changes.opens.length === 1 && changes.opens[0] === open) changes.opens.pop()
    else changes.opens = changes.opens.filter((other) => other !== open)
    if (changes.opens.length === 0) changes.among.keys.delete(changes.key)
    else changed.add(changes)
  }

  const wait = (open: Open, nextTime: number): void => {
    if (open.state === 'closed') return
    held.letGo(open)
    open.state = 'waiting'
    open.nextTime = nextTime
    changed.add(open.of)
  }

  const park = (row: string, opens: readonly Open[], nextTime: number, own: boolean): void => {
    for (const open of opens) wait(open, nextTime)
    rows.set(row, { opens, own })
  }

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
        keys.lift(before.of)
        return before
      })
    },
    admit: (open, item) => {
      const verdict = verdictOf(open, blocks())
      if (verdict.kind === 'send') open.state = 'sending'
      if (verdict.kind === 'hold') held.hold(open, item)
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
      const touched = held.inOrder().filter(({ of }) => changed.has(of))
      changed.clear()
      const released: Released = { send: [], superseded: [], behind: [] }
      for (const open of touched) {
        const verdict = verdictOf(open, blocks())
        if (verdict.kind === 'hold') continue
        const item = held.letGo(open)
        if (item === undefined) continue
        open.state = verdict.kind === 'send' ? 'sending' : 'taken'
        if (verdict.kind === 'behind') released.behind.push({ item, nextTime: verdict.nextTime })
        else released[verdict.kind].push(item)
      }
      return released
    },
    heldItems: () => held.inOrder().flatMap(({ item }) => (item === undefined ? [] : [item])),
    clearHeld: () =>
      held.inOrder().flatMap((open) => {
        const item = held.letGo(open)
        open.state = 'taken'
        return item === undefined ? [] : [item]
      }),
    held: held.count,
    size: (lane) => size[lane],
    beginLook: keys.beginLook,
  }
}
