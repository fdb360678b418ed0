import { defaultIdentityRules, type IdentityRules } from '@tributary/contract'
import { describe, expect, test } from 'vitest'
import { type Identifier, identifierKey } from './identifiers.ts'
import { applyOperation, emptyGraph, type IdentityGraph, type Operation } from './operations.ts'
import { type Observation, resolve } from './resolve.ts'
import { rulesOf } from './rules.ts'
import { createRandom, setsOf } from './testing/people.ts'

/** Number of random streams; `npm run soak` tests more. */
const streams = Number(process.env.SOAK_ROUNDS ?? 0) > 0 ? 5000 : 150
const interleavings = 20

/** Opens a ledger in memory. */
const open = (decided: Partial<IdentityRules> = {}) => {
  const rules = rulesOf({ ...defaultIdentityRules, anonymous_id_limit: 5, ...decided }, '')
  const graph = emptyGraph()
  const learned: Operation[] = []
  return {
    graph,
    learned,
    see(...observations: Observation[]): void {
      for (const observation of observations)
        resolve(
          {
            graph,
            limitOf: rules.limitOf,
            profileIdOf: identifierKey,
            next: () => learned.length + 1,
            learn: (operation) => void learned.push(operation),
          },
          observation,
        )
    },
    /** Splits identifiers from the profile of the first identifier. */
    split(...keys: string[]): void {
      const profile = graph.owners.get(keys[0] ?? '') ?? ''
      const identifiers = keys.map(named)
      const sequence = learned.length + 1
      const operation = { kind: 'split', sequence, profile, made: `split-${sequence}`, identifiers } as const
      learned.push(operation)
      applyOperation(graph, operation)
    },
    profiles: () => setsOf(graph.owners),
  }
}

const named = (key: string): Identifier => {
  const at = key.indexOf(':')
  return { type: key.slice(0, at), value: key.slice(at + 1) }
}
const short: Record<string, string> = { u: 'user_id', a: 'anonymous_id', p: 'previous_id' }
/** `u1` means a user ID, `a1` an anonymous ID; other identifiers are written in full. */
const id = (text: string): Identifier =>
  text.includes(':') ? named(text) : { type: short[text.charAt(0)] ?? '', value: text }
const event = (...ids: string[]): Observation => ({ identifiers: ids.map(id) })
const alias = (user: string, previous: string): Observation => ({ identifiers: [id(user)], previous })
const key = (text: string): string => identifierKey(id(text))

const replay = (operations: readonly Operation[]): IdentityGraph => {
  const graph = emptyGraph()
  for (const operation of operations) applyOperation(graph, operation)
  return graph
}

describe('people with random identifiers', () => {
  /**
   * Creates events of some people within all limits. People with several user IDs have alias calls that join the IDs.
   */
  const makeStream = (random: (below: number) => number) => {
    const people = Array.from({ length: 1 + random(6) }, (_, person) => {
      const name = (kind: string, n: number): string => `${kind}${person}-${n}`
      const users = Array.from({ length: random(4) }, (_, n) => name('u', n))
      // An alias call may name a former anonymous ID.
      const given = users.length === 0 ? [] : Array.from({ length: random(2) }, (_, n) => name('a', n))
      const anonymous = [...given, ...Array.from({ length: 1 + random(3) }, (_, n) => name('a', n + 2))]
      const external = Array.from({ length: random(4) }, (_, n) => `shop:${person}-${n}`)
      const aliases = [
        ...users.slice(1).map((user, n) => alias(user, users[n] ?? '')),
        ...given.map((previous) => alias(users[0] ?? '', previous)),
      ]
      const pick = (list: string[]): string[] => (list.length === 0 ? [] : [list[random(list.length)] ?? ''])
      const events = Array.from({ length: 1 + random(10) }, () => {
        const identifiers = [
          ...(random(2) === 0 ? pick(users) : []),
          ...(random(3) === 0 ? pick(external) : []),
          ...(random(4) === 0 ? [] : pick(anonymous)),
        ]
        return event(...(identifiers.length === 0 ? pick(anonymous) : identifiers))
      })
      return [...events, ...aliases]
    })
    return people.flat()
  }

  /**
   * Groups identifiers without regard to order. Identifiers of one event belong together, and an alias call joins all
   * types of its previous ID.
   */
  const together = (stream: readonly Observation[]): string[] => {
    const parents = new Map<string, string>()
    const root = (of: string): string => {
      let at = of
      for (let up = parents.get(at); up !== undefined && up !== at; up = parents.get(at)) at = up
      return at
    }
    const seen = new Set<string>()
    const join = (one: string, other: string): void => void parents.set(root(one), root(other))
    for (const { identifiers, previous } of stream) {
      const keys = identifiers.map(identifierKey)
      if (previous !== undefined) keys.push(`previous_id:${previous}`)
      for (const each of keys) {
        seen.add(each)
        join(each, keys[0] ?? '')
      }
    }
    for (const each of seen) {
      const same = `previous_id:${named(each).value}`
      if (seen.has(same) && /^(user_id|anonymous_id):/.test(each)) join(each, same)
    }
    return setsOf(new Map([...seen].map((each) => [each, root(each)])))
  }

  test(`${streams} random streams, each in ${interleavings} orders, result in the same profiles, with the identifiers that belong together`, () => {
    for (let seed = 0; seed < streams; seed++) {
      const random = createRandom(seed)
      const stream = makeStream(random)
      const expected = together(stream)
      for (let order = 0; order < interleavings; order++) {
        const ledger = open()
        ledger.see(...random.shuffled(stream))
        expect(ledger.profiles(), `stream ${seed}, order ${order}`).toEqual(expected)
      }
    }
  })

  test('with any limits and splits, the ledger alone gives the same profiles, and each profile has at most one user ID', () => {
    for (let seed = 0; seed < streams; seed++) {
      const random = createRandom(seed + 1_000_000)
      const ledger = open()
      const pick = (kind: string): string => `${kind}${random(8)}`
      for (let n = 0; n < 40; n++) {
        const owned = [...ledger.graph.profiles.values()].filter(({ identifiers }) => identifiers.size > 1)
        const parted = owned[random(20)]
        if (parted !== undefined) ledger.split([...parted.identifiers.keys()][random(parted.identifiers.size)] ?? '')
        else ledger.see(event(...[pick('u'), `shop:${random(9)}`, pick('a')].filter(() => random(3) > 0), pick('a')))
      }
      const again = replay(ledger.learned)
      expect(again.owners).toEqual(ledger.graph.owners)
      expect(again.profiles).toEqual(ledger.graph.profiles)
      for (const { identifiers } of again.profiles.values()) {
        const users = [...identifiers.values()].filter(({ type }) => type === 'user_id')
        expect(users.length, `stream ${seed}`).toBeLessThanOrEqual(1)
      }
    }
  })

  test('repeating the same random events adds nothing to the ledger', () => {
    for (let seed = 0; seed < 50; seed++) {
      const ledger = open()
      const stream = makeStream(createRandom(seed))
      ledger.see(...stream, ...stream)
      const known = ledger.learned.length
      ledger.see(...stream)
      expect(ledger.learned.length).toBe(known)
    }
  })
})

describe('identity resolution', () => {
  test('the profile that was seen first stays, and the ledger names the identifiers that joined', () => {
    const ledger = open()
    ledger.see(event('a1'), event('u1', 'a2'), event('u1', 'a1'))
    expect(ledger.learned.at(-1)).toEqual({
      kind: 'merge',
      sequence: 4,
      profile: key('a1'),
      merged: key('u1'),
      identifier: id('a1'),
      by: id('u1'),
      alias: false,
    })
  })

  test('an identify call with the user ID of another user joins no profiles: the anonymous ID stays in its profile', () => {
    const ledger = open()
    ledger.see(event('u1', 'a1'), event('u2', 'a1'))
    expect(ledger.profiles()).toEqual(['anonymous_id:a1 user_id:u1', 'user_id:u2'])
    expect(ledger.learned.at(-1)).toMatchObject({
      kind: 'refuse',
      profile: key('u2'),
      identifier: id('a1'),
      reason: 'limit',
    })
  })

  test('an identifier beyond the limit of its type is rejected and recorded; when it comes alone, it gets its own profile', () => {
    const ledger = open()
    ledger.see(...['a1', 'a2', 'a3', 'a4', 'a5', 'a6'].map((anonymous) => event('u1', anonymous)))
    expect(ledger.graph.owners.has(key('a6'))).toBe(false)
    expect(ledger.learned.at(-1)).toMatchObject({ kind: 'refuse', identifier: id('a6'), by: id('u1'), reason: 'limit' })
    ledger.see(event('a6'))
    expect(ledger.graph.owners.get(key('a6'))).toBe(key('a6'))
  })

  test('the workspace sets the limit of each type of identifier, and some types of external IDs are limited to one', () => {
    const ledger = open({ anonymous_id_limit: 2, external_id_limit: 3, single_kinds: ['card'] })
    for (let n = 0; n < 9; n++) ledger.see(event('u1', `card:${n}`, `shop:${n}`, `a${n}`))
    expect(ledger.profiles()).toEqual(['anonymous_id:a0 anonymous_id:a1 card:0 shop:0 shop:1 shop:2 user_id:u1'])
  })

  test('a changed limit of identifiers applies only to later events', () => {
    const before = open({ anonymous_id_limit: 2 })
    before.see(event('u1', 'a1'), event('u1', 'a2'), event('u1', 'a3'))
    const known = before.learned.length
    const rules = rulesOf({ ...defaultIdentityRules, anonymous_id_limit: 3 }, '')
    const learned: Operation[] = []
    const deps = {
      graph: before.graph,
      limitOf: rules.limitOf,
      profileIdOf: identifierKey,
      next: () => known + learned.length + 1,
      learn: (operation: Operation) => void learned.push(operation),
    }
    expect(before.graph.owners.has(key('a3'))).toBe(false)
    resolve(deps, event('u1', 'a3'))
    expect(learned).toMatchObject([{ kind: 'link', identifier: id('a3') }])
  })

  test('at a limit, the identifier with the lowest priority is not linked, and those with higher priority are linked', () => {
    const ledger = open()
    ledger.see(event('u1', 'a1'), event('u2', 'shop:7', 'a1'))
    expect(ledger.profiles()).toEqual(['anonymous_id:a1 user_id:u1', 'shop:7 user_id:u2'])
  })

  test('an anonymous ID that a thousand people share results in a thousand profiles, with two ledger entries each', () => {
    const ledger = open()
    for (let n = 0; n < 1000; n++) ledger.see(event(`u${n}`, 'a1'), event(`u${n}`, 'a1'))
    expect(ledger.graph.profiles.size).toBe(1000)
    expect(ledger.learned.length).toBe(2000)
  })

  test('an anonymous ID that changes with every event of a person adds a bounded number of entries', () => {
    const ledger = open()
    for (let n = 0; n < 1000; n++) ledger.see(event('u1', `a${n}`))
    expect(ledger.learned.length).toBe(1 + 5 + 20)
  })

  test('a long chain of merges stops at the maximum number of identifiers', () => {
    const ledger = open()
    for (let n = 0; n < 1000; n++) ledger.see(alias(`u${n + 1}`, `u${n}`), event(`u${n}`))
    const sizes = [...ledger.graph.profiles.values()].map(({ identifiers }) => identifiers.size)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(100)
  })

  test('identifiers that look alike belong to different people', () => {
    const ledger = open()
    // A Latin and a Cyrillic letter; a composed and a decomposed letter.
    const values = ['a', '\u0430', '\u00e9', 'e\u0301', 'A']
    ledger.see(...values.map((value) => event(`user_id:${value}`)))
    expect(ledger.graph.profiles.size).toBe(5)
  })
})

describe('an alias call', () => {
  test('an alias call joins two user IDs, and no other call does', () => {
    const ledger = open()
    ledger.see(event('u1', 'a1'), event('u2', 'a2'), event('u2', 'a1'))
    expect(ledger.graph.profiles.size).toBe(2)
    ledger.see(alias('u2', 'u1'))
    expect(ledger.profiles()).toEqual(['anonymous_id:a1 anonymous_id:a2 previous_id:u1 user_id:u1 user_id:u2'])
  })

  test('an alias call that comes before its previous ID links that ID later, as a user ID or an anonymous ID', () => {
    const ledger = open()
    ledger.see({ identifiers: [id('u1')], previous: 'x' }, event('anonymous_id:x'), event('user_id:x'))
    expect(ledger.profiles()).toEqual(['anonymous_id:x previous_id:x user_id:u1 user_id:x'])
  })

  test('an alias call from an ID to itself changes nothing', () => {
    const ledger = open()
    ledger.see(alias('u1', 'u1'), alias('u1', 'u1'))
    expect(ledger.learned).toHaveLength(1)
  })

  test('alias calls in a circle result in one person', () => {
    const ledger = open()
    ledger.see(alias('u1', 'u2'), alias('u2', 'u3'), alias('u3', 'u1'), event('u2'))
    expect(ledger.graph.profiles.size).toBe(1)
    expect(ledger.graph.owners.get(key('u3'))).toBe(ledger.graph.owners.get(key('u1')))
  })
})

describe('a split identifier', () => {
  const split = (): ReturnType<typeof open> => {
    const ledger = open()
    ledger.see(event('u1', 'a1'), event('u1', 'shop:7'))
    ledger.split(key('a1'))
    return ledger
  }

  test('a split identifier is not linked again by the same event, and the rejection is recorded', () => {
    const ledger = split()
    ledger.see(event('u1', 'a1'))
    expect(ledger.profiles()).toEqual(['anonymous_id:a1', 'shop:7 user_id:u1'])
    expect(ledger.learned.at(-1)).toMatchObject({ kind: 'refuse', reason: 'split', identifier: id('a1') })
  })

  test('a split identifier is not joined through other identifiers, or by an alias call', () => {
    const ledger = split()
    ledger.see(event('shop:8', 'a1'), event('shop:8', 'shop:7'), alias('u1', 'a1'))
    expect(ledger.graph.owners.get(key('a1'))).not.toBe(ledger.graph.owners.get(key('u1')))
  })

  test('a split identifier is linked with other identifiers as usual', () => {
    const ledger = split()
    ledger.see(event('u2', 'a1'))
    expect(ledger.profiles()).toEqual(['anonymous_id:a1 user_id:u2', 'shop:7 user_id:u1'])
  })
})
