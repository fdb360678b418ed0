import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Peer, type PeerAnswer, startPeer } from '@tributary/connector-kit/testing'
import type { DeliveryMeta } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { partitionOf } from '@tributary/storage'
import { createTestStores, eventually } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CrashPlan } from './crash-child.ts'
import { laterDelivered } from './parking/key-order.ts'
import type { DeliverySettings } from './settings.ts'
import { createFixture, type Fixture, sampleEvent } from './testing.ts'
import { relay } from './testing-connector.ts'

const { database, store } = await createTestStores()
let fixture: Fixture
let stack: AsyncDisposableStack

beforeEach(() => {
  stack = new AsyncDisposableStack()
})
afterEach(async () => {
  await stack.disposeAsync()
  await database.db.deleteFrom('parked_deliveries').execute()
  await store.command('truncate table deliveries')
})

const quick = { baseMs: 100, capMs: 200, maxElapsedMs: 3_600_000 }
const never = { consecutive: 10_000, window: 10_000, ratio: 1, baseMs: 100, capMs: 100 }
const open = async (settings: Partial<DeliverySettings> = {}): Promise<void> => {
  const given = { retry: quick, circuit: never, maintenanceMs: 50, ...settings }
  fixture = stack.adopt(
    await createFixture({ db: database.db, eventStore: store, connector: relay, settings: given }),
    (made) => made.close(),
  )
}

/** A change of a record: its key, and a number that is higher for a later change. */
type Change = { key: string; number: number }
const nameOf = ({ key, number }: Change): string => `${key}/${number}`
const change = (key: string, number: number): Change => ({ key, number })

/** Appends changes like an audience does: all changes of one call in one record. */
const append = async (destination: string, changes: readonly Change[]): Promise<void> => {
  const events = changes.map((each) => ({
    ...sampleEvent(each.number),
    eventId: nameOf(each),
    messageId: nameOf(each),
  }))
  const meta: DeliveryMeta = {
    w: fixture.workspaceId,
    s: fixture.sourceId,
    d: [destination],
    n: changes.length,
    b: { k: 'audience', n: 'audience connection', e: changes.map(({ key }) => key) },
  }
  const body = Buffer.from(`[${events.map((event) => JSON.stringify(event)).join(',\n')}]\n`)
  await fixture.stream.appendGroup([{ key: fixture.workspaceId, meta: JSON.stringify(meta), body }])
}

const changesIn = (body: string): string[] => JSON.parse(body).map((each: { messageId: string }) => each.messageId)
/** A peer that responds to each request by its content, and records what it accepted. */
const peerOf = async (
  answer: (changes: readonly string[]) => PeerAnswer | Promise<PeerAnswer>,
): Promise<{ peer: Peer; taken: string[] }> => {
  const taken: string[] = []
  const peer = stack.adopt(
    await startPeer(async ({ body }) => {
      const answered = await answer(changesIn(body))
      if (typeof answered === 'object' && answered.status === 200) taken.push(...changesIn(body))
      return answered
    }),
    (made) => made.close(),
  )
  return { peer, taken }
}
const ok: PeerAnswer = { status: 200 }
const parked = () => database.db.selectFrom('parked_deliveries').selectAll().orderBy('log_offset').execute()
/** Retries dead letters, as a user does. */
const retry = async (destination: string): Promise<void> => {
  await database.db
    .updateTable('parked_deliveries')
    .set({ state: 'waiting', next_time: new Date(), attempts: 0, first_time: new Date() })
    .where('state', '=', 'dead')
    .execute()
  await fixture.delivery.takeUp(destination)
}
const outcomesOf = async (name: string): Promise<string[]> =>
  (await fixture.attempts())
    .filter(({ message_id }) => message_id === name)
    .map(({ status, reason }) => [status, ...(status === 'filtered' ? [reason] : [])].join(' '))
    .toSorted()

describe('a change of a record is not sent before an earlier one', () => {
  it('a change is not sent while an earlier change of the record is in flight, and is sent after the response', async () => {
    await open()
    const gate = Promise.withResolvers<void>()
    const { peer, taken } = await peerOf(async ([name]) => {
      if (name === 'a/1') await gate.promise
      return ok
    })
    const id = fixture.destination({ url: peer.url, batch: 10, wait: 5 })
    await append(id, [change('a', 1), change('a', 2), change('b', 1)])
    await append(id, [change('a', 3)])
    await peer.until(() => peer.requests.length === 1)
    gate.resolve()
    await eventually('all were taken', () => taken.length === 4)
    await fixture.delivery.idle()
    expect(taken.filter((name) => name.startsWith('a'))).toEqual(['a/1', 'a/2', 'a/3'])
    expect(await parked()).toEqual([])
  })

  it('a change that waits for a retried change is in Failures with the reason, and is delivered after it', async () => {
    await open()
    let down = true
    const { peer, taken } = await peerOf(([name]) => (down && name === 'a/1' ? { status: 503 } : ok))
    const id = fixture.destination({ url: peer.url })
    await append(id, [change('a', 1)])
    await eventually('it waits', async () => (await parked()).length === 1)
    await append(id, [change('a', 2), change('b', 1)])
    await eventually('what is behind it waits, too', async () => (await parked()).length === 2)
    const [first, second] = await parked()
    expect(first).toMatchObject({ state: 'waiting', event_ids: ['a/1'] })
    expect(second).toMatchObject({
      state: 'waiting',
      event_ids: ['a/2'],
      last_reason: 'Waiting for an earlier change of the same record',
      attempts: 0,
    })
    expect(taken).toEqual(['b/1'])
    down = false
    await eventually('all were taken', () => taken.length === 3)
    await fixture.delivery.idle()
    expect(taken).toEqual(['b/1', 'a/1', 'a/2'])
    expect(await parked()).toEqual([])
  })

  it('a change is not sent before an earlier one, even if the process is restarted between them', async () => {
    await open({ retry: { baseMs: 1500, capMs: 1500, maxElapsedMs: 3_600_000 } })
    let down = true
    const { peer, taken } = await peerOf(([name]) => (down && name === 'a/1' ? { status: 503 } : ok))
    const id = fixture.destination({ url: peer.url })
    await append(id, [change('a', 1)])
    await eventually('it waits', async () => (await parked()).length === 1)
    await fixture.restart()
    down = false
    await append(id, [change('a', 2), change('b', 1)])
    await eventually('all were taken', () => taken.length === 3)
    await fixture.delivery.idle()
    expect(taken).toEqual(['b/1', 'a/1', 'a/2'])
  })

  it('after a batch fails in part, no later change of the same record is delivered before the failed one', async () => {
    await open()
    let down = true
    const taken: string[] = []
    const peer = stack.adopt(
      await startPeer(({ body }) => {
        const names = changesIn(body)
        const kinds = names.map((name) =>
          down && name === 'a/1' ? { kind: 'retry', reason: 'Busy' } : { kind: 'delivered' },
        )
        taken.push(...names.filter((_, index) => kinds[index]?.kind === 'delivered'))
        return { status: 200, body: JSON.stringify(kinds) }
      }),
      (made) => made.close(),
    )
    const id = fixture.destination({ url: peer.url, batch: 10, wait: 20 })
    await append(id, [change('a', 1), change('b', 1), change('a', 2), change('b', 2)])
    await eventually('the others were taken', () => taken.length === 2)
    expect(taken).toEqual(['b/1', 'b/2'])
    down = false
    await eventually('all were taken', () => taken.length === 4)
    expect(taken.slice(2)).toEqual(['a/1', 'a/2'])
  })

  it('a permanently rejected change does not block later changes of its record', async () => {
    await open()
    const { peer, taken } = await peerOf(([name]) => (name === 'a/1' ? { status: 400 } : ok))
    const id = fixture.destination({ url: peer.url })
    await append(id, [change('a', 1), change('a', 2)])
    await eventually('the later one was taken', () => taken.length === 1)
    await fixture.delivery.idle()
    expect([taken, (await parked()).map(({ state }) => state)]).toEqual([['a/2'], ['dead']])
  })

  it('a change that is read again, fails, and already has a dead letter does not block later changes', async () => {
    await open()
    const { peer, taken } = await peerOf(([name]) => (name === 'a/1' ? { status: 503 } : ok))
    const id = fixture.destination({ url: peer.url })
    // The state that a process leaves if it ends before its position is written.
    await database.db
      .insertInto('parked_deliveries')
      .values({
        id: newId(),
        workspace_id: fixture.workspaceId,
        source_id: fixture.sourceId,
        destination_id: id,
        log_partition: partitionOf(fixture.workspaceId, 4),
        log_offset: 0,
        event_indexes: [0],
        event_ids: ['a/1'],
        event_count: 1,
        bytes: 1,
        state: 'dead',
        attempts: 1,
        first_time: new Date(),
        next_time: new Date(),
      })
      .execute()
    await append(id, [change('a', 1)])
    await append(id, [change('a', 2)])
    await eventually('the later one was taken', () => taken.length === 1)
    await fixture.delivery.idle()
    expect([taken, (await parked()).map(({ state }) => state)]).toEqual([['a/2'], ['dead']])
    expect(fixture.delivery.state().workers).toMatchObject([{ waitingRows: 0 }])
  })

  it('a change that waited beyond its limit and became a dead letter does not block later changes', async () => {
    await open({
      retry: { baseMs: 3_600_000, capMs: 3_600_000, maxElapsedMs: 400 },
      held: { maxAgeMs: 400, maxLogAgeMs: 3_600_000, maxEvents: 1000, maxRows: 1000 },
    })
    const { peer, taken } = await peerOf(([name]) => (name === 'a/1' ? { status: 503 } : ok))
    const id = fixture.destination({ url: peer.url })
    await append(id, [change('a', 1)])
    await eventually('it is a dead letter', async () => (await parked()).some(({ state }) => state === 'dead'))
    await append(id, [change('a', 2)])
    await eventually('the later one was taken', () => taken.length === 1)
  })

  it('if the next process reads a dead change again, the changes delivered after it are sent again, too', async () => {
    // A busy machine must not park the first change, because the position would then pass the dead one.
    await open({ drainMs: 50, parkAfterMs: 600_000, stallMs: 600_000 })
    let first = true
    const { peer, taken } = await peerOf(async ([name]) => {
      if (first && name === 'b/1') await new Promise(() => {})
      return first && name === 'a/1' ? { status: 400 } : ok
    })
    const id = fixture.destination({ url: peer.url })
    await append(id, [change('b', 1)])
    await append(id, [change('a', 1)])
    await append(id, [change('a', 2)])
    await eventually('the later one was taken', () => taken.length === 1)
    first = false
    await fixture.restart()
    await fixture.delivery.idle()
    expect(taken.filter((name) => name.startsWith('a'))).toEqual(['a/2', 'a/1', 'a/2'])
  })
})

describe('a dead letter that is retried', () => {
  it.each([
    ['', false],
    [', also by a process that was begun anew', true],
  ])(
    'a retried dead letter is not sent if a later change was delivered, and the delivery log has the reason%s',
    async (_, again) => {
      await open()
      let refuses = true
      const { peer, taken } = await peerOf(([name]) => (refuses && name?.endsWith('/1') ? { status: 400 } : ok))
      const id = fixture.destination({ url: peer.url })
      await append(id, [change('a', 1), change('b', 1)])
      await append(id, [change('a', 2)])
      await eventually('the later one was taken', () => taken.length === 1)
      await fixture.delivery.idle()
      refuses = false
      if (again) await fixture.restart()
      await retry(id)
      await eventually('none is left', async () => (await parked()).length === 0)
      await fixture.delivery.idle()
      expect(taken).toEqual(['a/2', 'b/1'])
      expect(await outcomesOf('a/1')).toEqual(['dead', `filtered ${laterDelivered}`])
      expect(await outcomesOf('b/1')).toEqual(['dead', 'delivered'])
    },
  )

  it('a retried dead letter is sent if the later change was not delivered, and both are sent in order', async () => {
    await open()
    let refuses = true
    const { peer, taken } = await peerOf(() => (refuses ? { status: 400 } : ok))
    const id = fixture.destination({ url: peer.url })
    await append(id, [change('a', 1), change('a', 2)])
    await eventually('both are dead letters', async () => (await parked()).length === 2)
    await fixture.delivery.idle()
    refuses = false
    await retry(id)
    await eventually('all were taken', () => taken.length === 2)
    expect(taken).toEqual(['a/1', 'a/2'])
  })

  it('a retried dead letter of a range that was never tried is not sent after a later change', async () => {
    await open({ held: { maxAgeMs: 300, maxLogAgeMs: 3_600_000, maxEvents: 1000, maxRows: 1000 } })
    const { peer, taken } = await peerOf(() => ok)
    const id = fixture.destination({ url: peer.url }, { enabled: false })
    await append(id, [change('a', 1), change('b', 1)])
    await eventually('the range is dead', async () => (await parked()).some(({ state }) => state === 'dead'))
    // With the new limits, records held from here on are kept.
    await fixture.restart({ held: { maxAgeMs: 3_600_000, maxLogAgeMs: 3_600_000, maxEvents: 1000, maxRows: 1000 } })
    fixture.change(id, { enabled: true })
    await append(id, [change('a', 2)])
    await eventually('the later one was taken', () => taken.length === 1)
    await fixture.delivery.idle()
    await retry(id)
    await eventually('the other one was taken', () => taken.length === 2)
    await eventually('none is left', async () => (await parked()).length === 0)
    await fixture.delivery.idle()
    expect(taken).toEqual(['a/2', 'b/1'])
    expect(await outcomesOf('a/1')).toEqual([`filtered ${laterDelivered}`])
  })

  it('a retried dead letter is not sent to an ordered destination if a later change was already delivered', async () => {
    await open()
    let refuses = true
    const { peer, taken } = await peerOf(([name]) => (refuses && name === 'a/1' ? { status: 400 } : ok))
    const id = fixture.destination({ url: peer.url, ordered: true })
    await append(id, [change('a', 1), change('a', 2)])
    await eventually('the later one was taken', () => taken.length === 1)
    await fixture.delivery.idle()
    refuses = false
    await retry(id)
    await eventually('none is left', async () => (await parked()).length === 0)
    await fixture.delivery.idle()
    expect(taken).toEqual(['a/2'])
  })
})

describe('after any failures, rejections, and kills, a destination ends with the newest change of each record', () => {
  const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  /** A pseudo-random generator with the same sequence in each run. */
  const dice = (seed: number): (() => number) => {
    let state = seed
    return () => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return state / 2_147_483_648
    }
  }
  /** Appends changes of random keys, in records of three. */
  const appendSome = async (id: string, roll: () => number, from: number, to: number): Promise<void> => {
    for (let number = from; number < to; number += 3)
      await append(
        id,
        [0, 1, 2].map((more) => change(keys[Math.floor(roll() * keys.length)] ?? 'a', number + more)),
      )
  }
  /**
   * Summarizes each key: whether the last accepted change is the newest, the order of first acceptance, and changes
   * accepted after a later one without that being sent again.
   */
  const summarize = (taken: readonly string[]) =>
    keys.map((key) => {
      const numbers = taken.filter((name) => name.startsWith(`${key}/`)).map((name) => Number(name.slice(2)))
      const firsts = numbers.filter((number, index) => numbers.indexOf(number) === index)
      const stale = numbers.filter((number, index) =>
        numbers.slice(0, index).some((before) => before > number && !numbers.includes(before, index)),
      )
      return { key, isLastNewest: numbers.at(-1) === Math.max(...numbers), firsts, stale }
    })
  const ascending = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b)

  it.each([
    ['delivery.after-request', 9],
    ['delivery.after-park', 2],
    ['delivery.before-commit', 1],
  ])(
    'after being killed at %s, time %i, a destination ends with the newest change of each record',
    async (point, count) => {
      await open()
      await fixture.delivery.stop()
      const roll = dice(count)
      const { peer, taken } = await peerOf(() => (roll() < 0.3 ? { status: 503 } : ok))
      const id = fixture.destination({ url: peer.url, batch: 2, wait: 5 })
      await appendSome(id, roll, 0, 60)
      const plan: CrashPlan = {
        postgresUrl: database.url,
        eventStoreUrl: store.url,
        folder: fixture.folder,
        entries: [...fixture.entries.values()],
        connector: { module: new URL('./testing-connector.ts', import.meta.url).href, name: 'relay' },
        fault: { point, count },
      }
      const script = fileURLToPath(new URL('./crash-child.ts', import.meta.url))
      const child = spawn(process.execPath, [script, JSON.stringify(plan)], { stdio: ['ignore', 'ignore', 'inherit'] })
      const timer = setTimeout(() => child.kill('SIGTERM'), 120_000)
      const [, signal] = await once(child, 'exit')
      clearTimeout(timer)
      expect(signal).toBe('SIGKILL')
      await fixture.restart()
      await appendSome(id, roll, 60, 90)
      await eventually('all were taken', () => new Set(taken).size === 90)
      await fixture.delivery.idle()
      for (const { key, isLastNewest, firsts } of summarize(taken)) {
        expect(isLastNewest, `the last of ${key}`).toBe(true)
        expect(firsts, `of ${key}`).toEqual(ascending(firsts))
      }
      expect(await parked()).toEqual([])
    },
  )

  it('a destination ends with the newest changes, even if dead letters are retried in between', async () => {
    await open()
    const roll = dice(3)
    let refuses = true
    const { peer, taken } = await peerOf(() => {
      const chance = refuses ? roll() : 1
      return chance < 0.15 ? { status: 400 } : chance < 0.35 ? { status: 503 } : ok
    })
    const id = fixture.destination({ url: peer.url, batch: 2, wait: 5 })
    for (let round = 0; round < 4; round++) {
      await appendSome(id, roll, round * 45, round * 45 + 45)
      if (round === 2) await fixture.restart()
      await retry(id)
    }
    const waiting = async () => [
      (await parked()).filter(({ state }) => state !== 'dead'),
      fixture.delivery.state().workers,
    ]
    await expect.poll(waiting, { timeout: 60_000 }).toEqual([[], expect.anything()])
    await fixture.delivery.idle()
    refuses = false
    await retry(id)
    await eventually('nothing is left', async () => (await parked()).length === 0)
    await fixture.delivery.idle()
    // A dead change that is read again after the end is accepted late, but later changes are read again, too.
    for (const { key, isLastNewest, stale } of summarize(taken)) {
      expect(isLastNewest, `the last of ${key}`).toBe(true)
      expect(stale, `of ${key}`).toEqual([])
    }
  })
})
