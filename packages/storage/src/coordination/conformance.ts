import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Coordination } from './port.ts'

/** Participants that see each other: threads of one process, or processes. */
export type CoordinationFixture = {
  /** At least three participants, each with its own connection. */
  members: readonly Coordination[]
  /** Lets `ms` pass for the expiry of counters and leases. */
  pass(ms: number): Promise<void>
  close(): Promise<void>
}

/**
 * Resolves when everything that `member` has sent so far has left its connection, because the call that it makes is
 * answered only afterwards.
 */
const settled = async (member: Coordination): Promise<void> => {
  await member.increment('settled', 1, 60_000)
}

/** The tests that every adapter of coordination must pass. */
export const coordinationConformance = (name: string, open: () => Promise<CoordinationFixture>): void => {
  describe(`coordination conformance: ${name}`, () => {
    let fixture: CoordinationFixture
    let members: readonly [Coordination, Coordination, Coordination]
    beforeEach(async () => {
      fixture = await open()
      const [a, b, c] = fixture.members
      if (a === undefined || b === undefined || c === undefined) throw new Error('the fixture has too few members')
      members = [a, b, c]
    })
    afterEach(() => fixture.close())
    const all = (): typeof members => members
    messageTests(all)
    counterTests(all, (ms) => fixture.pass(ms))
    leaseTests(all, (ms) => fixture.pass(ms))
  })
}

type Members = () => readonly [Coordination, Coordination, Coordination]

const collect = (member: Coordination, topic: string, count: number): Promise<unknown[]> =>
  new Promise((resolve) => {
    const heard: unknown[] = []
    member.subscribe(topic, (message) => {
      heard.push(message)
      if (heard.length === count) resolve(heard)
    })
  })

const messageTests = (members: Members): void => {
  it('every subscriber receives every message of its topic in the order of publishing, including the publisher', async () => {
    const heard = members().map((member) => collect(member, 'numbers', 200))
    const other: unknown[] = []
    members()[1].subscribe('letters', (message) => other.push(message))
    await Promise.all(members().map(settled))
    const sent = Array.from({ length: 200 }, (_, n) => ({ n, nested: { list: [n, null, 'é'] } }))
    for (const message of sent) members()[0].publish('numbers', message)
    expect(await Promise.all(heard)).toEqual([sent, sent, sent])
    expect(other).toEqual([])
  })

  it('an ended subscription receives nothing more, and other subscribers on the topic still do', async () => {
    const [publisher, subscriber] = members()
    const ended: unknown[] = []
    const stop = subscriber.subscribe('topic', (message) => ended.push(message))
    const first = collect(subscriber, 'topic', 1)
    const both = collect(subscriber, 'topic', 2)
    await settled(subscriber)
    publisher.publish('topic', 1)
    await first
    stop()
    stop()
    await settled(subscriber)
    publisher.publish('topic', 2)
    expect(await both).toEqual([1, 2])
    expect(ended).toEqual([1])
  })

  it('a listener that throws does not prevent other listeners from receiving the message', async () => {
    const [publisher, subscriber] = members()
    subscriber.subscribe('topic', () => {
      throw new Error('a listener that is broken')
    })
    const heard = collect(subscriber, 'topic', 2)
    await settled(subscriber)
    publisher.publish('topic', 'a')
    publisher.publish('topic', 'b')
    expect(await heard).toEqual(['a', 'b'])
  })

  it('a receiver that changes its message does not change the message of another receiver', async () => {
    const [publisher, one, two] = members()
    publisher.subscribe('topic', (message) => {
      if (typeof message === 'object' && message !== null && 'list' in message) message.list = 'changed'
    })
    const heard = [collect(one, 'topic', 1), collect(two, 'topic', 1)]
    await Promise.all(members().map(settled))
    const message = { list: [1] }
    publisher.publish('topic', message)
    expect(await Promise.all(heard)).toEqual([[{ list: [1] }], [{ list: [1] }]])
    expect(message).toEqual({ list: [1] })
  })
}

const counterTests = (members: Members, pass: (ms: number) => Promise<void>): void => {
  it('a counter is exact with many concurrent increments', async () => {
    const answers = await Promise.all(
      members().flatMap((member) => Array.from({ length: 100 }, () => member.increment('hits', 2, 60_000))),
    )
    expect(answers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, n) => (n + 1) * 2))
    expect(await members()[0].increment('other', 1, 60_000)).toBe(1)
  })

  it('a counter expires one lifetime after its first increment, however often it is incremented later', async () => {
    const [a, b] = members()
    expect(await a.increment('window', 1, 1_000)).toBe(1)
    await pass(600)
    expect(await b.increment('window', 1, 1_000)).toBe(2)
    await pass(600)
    expect(await b.increment('window', 1, 1_000)).toBe(1)
  })
}

const leaseTests = (members: Members, pass: (ms: number) => Promise<void>): void => {
  it('a lease goes to exactly one of many concurrent requests each time it expires, with a higher epoch', async () => {
    let last = 0
    for (let round = 0; round < 5; round++) {
      const asking = Array.from({ length: 10 }, (_, n) =>
        members().map((member, m) => [member, `holder ${n} ${m}`] as const),
      )
      const answers = await Promise.all(
        asking.flat().map(([member, holder]) => member.acquireLease('job', holder, 60_000)),
      )
      const epochs = answers.filter((answer) => answer !== undefined)
      expect(epochs).toHaveLength(1)
      expect(epochs[0]).toBeGreaterThan(last)
      last = epochs[0] ?? 0
      await pass(60_001)
    }
  })

  it('a lease is renewed for its holder with the same epoch, and refused to others until it expires', async () => {
    const [a, b] = members()
    const epoch = await a.acquireLease('job', 'a', 1_000)
    expect(epoch).toBeGreaterThan(0)
    await pass(600)
    expect(await a.acquireLease('job', 'a', 1_000)).toBe(epoch)
    await pass(600)
    expect(await b.acquireLease('job', 'b', 1_000)).toBeUndefined()
    await pass(600)
    expect(await b.acquireLease('job', 'b', 1_000)).toBeGreaterThan(epoch ?? 0)
    expect(await a.acquireLease('job', 'a', 1_000)).toBeUndefined()
  })

  it('a lease has another epoch if its former holder takes it again after it expired', async () => {
    const [a] = members()
    const epoch = await a.acquireLease('job', 'a', 1_000)
    await pass(1_001)
    expect(await a.acquireLease('job', 'a', 1_000)).toBeGreaterThan(epoch ?? 0)
  })

  it('only its holder releases a lease, and its next tenure has a higher epoch', async () => {
    const [a, b] = members()
    const epoch = await a.acquireLease('job', 'a', 60_000)
    await b.releaseLease('job', 'b')
    expect(await b.acquireLease('job', 'b', 60_000)).toBeUndefined()
    await a.releaseLease('job', 'a')
    const next = await b.acquireLease('job', 'b', 60_000)
    expect(next).toBeGreaterThan(epoch ?? 0)
    await b.releaseLease('job', 'b')
    expect(await b.acquireLease('job', 'b', 60_000)).toBeGreaterThan(next ?? 0)
  })
}
