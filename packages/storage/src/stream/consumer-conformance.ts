import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { partitionOf } from '../log/entries.ts'
import type { Consumer } from './consumer-port.ts'

/** One of several owners of partitions; each partition has at most one. */
export type Holder = Pick<Consumer, 'take' | 'idle' | 'stop'> & {
  give(partitions: readonly number[]): Promise<void> | void
}

/** A log, the journal of one consumer, and a function that opens owners for a test. */
export type ConsumerWorld = {
  partitions: number
  /** Appends a record of a key; `number` counts from 0 for each key. */
  append(key: string, number: number): Promise<void>
  /**
   * Opens an owner without partitions. `handle` is called for each record, which counts as handled when its promise
   * resolves.
   */
  open(handle: (key: string, number: number) => Promise<void>): Promise<Holder>
  close(): Promise<void>
}

const keys = Array.from({ length: 24 }, (_, n) => `key-${n}`)

/** A pseudo-random number below `most`, the same in each run. */
const chance = (seed: number, most: number): number => (Math.imul(seed + 1, 2654435761) >>> 8) % most

/** The guarantees of every consumer of a log when partitions are given and taken away. */
export const consumerConformance = (name: string, make: () => Promise<ConsumerWorld>): void => {
  describe(`consumer: ${name}`, () => {
    let world: ConsumerWorld
    let holders: Holder[]
    /** Numbers of each key in the order in which they were handled. */
    let handled: Map<string, number[]>
    /** The owner of each partition's records that are being handled, and their number. */
    let inHand: Map<number, { holder: number; records: number }>
    let faults: string[]
    /** Called while a record is being handled. */
    let during: (key: string, number: number) => Promise<void>

    const open = async (): Promise<Holder> => {
      const holder = holders.length
      const opened = await world.open(async (key, number) => {
        const partition = partitionOf(key, world.partitions)
        const other = inHand.get(partition) ?? { holder, records: 0 }
        if (other.records > 0 && other.holder !== holder) faults.push(`${key} ${number} in two hands`)
        inHand.set(partition, other)
        other.holder = holder
        other.records++
        await during(key, number)
        other.records--
        handled.set(key, [...(handled.get(key) ?? []), number])
      })
      holders.push(opened)
      return opened
    }
    const appendAll = async (from: number, to: number): Promise<void> => {
      for (let number = from; number < to; number++) await Promise.all(keys.map((key) => world.append(key, number)))
    }
    const all = (): number[] => Array.from({ length: world.partitions }, (_, partition) => partition)
    const upTo = (end: number): number[] => Array.from({ length: end }, (_, number) => number)

    beforeEach(async () => {
      world = await make()
      holders = []
      handled = new Map()
      inHand = new Map()
      faults = []
      during = async () => {}
    })
    afterEach(async () => {
      await Promise.all(holders.map((holder) => holder.stop()))
      await world.close()
    })

    test('each record is handled once, in the order of its key and by one owner at a time, while partitions move under load', async () => {
      during = (_, number) => pause(number % 3)
      await Promise.all([open(), open(), open()])
      const owner = all().map((partition) => partition % 3)
      const owned = (holder: number): number[] => all().filter((partition) => owner[partition] === holder)
      for (const [index, holder] of holders.entries()) await holder.give(owned(index))
      let appended = false
      const appending = appendAll(0, 40).then(() => {
        appended = true
      })
      for (let move = 0; move < 12 || !appended; move++) {
        const [from, to] = [chance(move, 3), chance(move + 1000, 3)]
        const moved = owned(from).filter((partition) => chance(move * 31 + partition, 2) === 0)
        await holders[from]?.take(moved)
        for (const partition of moved) owner[partition] = to
        await holders[to]?.give(moved)
        await immediate()
      }
      await appending
      for (const holder of holders) await holder.idle()
      expect(faults).toEqual([])
      for (const key of keys) expect(handled.get(key), key).toEqual(upTo(40))
    })

    test('no record of a removed partition is handled until the partition is given again', async () => {
      const [first, second] = [await open(), await open()]
      const [key = ''] = keys
      const partition = partitionOf(key, world.partitions)
      const mine = keys.filter((other) => partitionOf(other, world.partitions) === partition)
      during = () => pause(1)
      await first.give(all())
      const appending = appendAll(0, 20)
      await first.take([partition])
      const before = mine.map((other) => handled.get(other)?.length ?? 0)
      await appending
      await first.idle()
      expect(mine.map((other) => handled.get(other)?.length ?? 0)).toEqual(before)
      await second.give([partition])
      await second.idle()
      expect(faults).toEqual([])
      for (const other of keys) expect(handled.get(other), other).toEqual(upTo(20))
    })

    test('when a partition is removed, its current work ends before another owner may have it', async () => {
      const [holder, [key = '', ...others]] = [await open(), keys]
      const partition = partitionOf(key, world.partitions)
      const gate = Promise.withResolvers<void>()
      const begun = Promise.withResolvers<void>()
      let taken = false
      const takenAtEnd: boolean[] = []
      during = async (of) => {
        if (of !== key) return
        begun.resolve()
        await gate.promise
        takenAtEnd.push(taken)
      }
      await holder.give(all())
      await world.append(key, 0)
      await begun.promise
      const taking = holder.take([partition]).then(() => {
        taken = true
      })
      const elsewhere = others.filter((other) => partitionOf(other, world.partitions) !== partition)
      for (let number = 0; number < 20; number++) {
        await Promise.all(elsewhere.map((other) => world.append(other, number)))
        await expect
          .poll(() => elsewhere.every((other) => handled.get(other)?.at(-1) === number), { interval: 5 })
          .toBe(true)
      }
      gate.resolve()
      await taking
      expect(takenAtEnd).toEqual([false])
    })

    test('after an owner is stopped, the next owner continues at its positions', async () => {
      const first = await open()
      await first.give(all())
      await appendAll(0, 5)
      await first.idle()
      await appendAll(5, 8)
      await first.stop()
      const next = await open()
      await next.give(all())
      await next.idle()
      for (const key of keys) expect(handled.get(key), key).toEqual(upTo(8))
    })
  })
}
