import { defaultIdentityRules } from '@tributary/contract'
import { describe, expect, test } from 'vitest'
import { identifierKey } from './identifiers.ts'
import { emptyGraph, type Operation } from './operations.ts'
import { type Observation, resolve } from './resolve.ts'
import { rulesOf } from './rules.ts'

const rules = rulesOf(defaultIdentityRules, '')

/** A call of a library: its user ID, its device, and the previous ID of an alias call. */
type Call = { readonly user?: string; readonly device?: string; readonly previous?: string }

const nameOf = ({ user, device, previous }: Call): string => {
  if (previous !== undefined) return `alias(${user}, previous ${previous})`
  return user === undefined ? `visit(${device})` : `identify(${user}${device === undefined ? '' : ` on ${device}`})`
}

const observationOf = ({ user, device, previous }: Call): Observation => ({
  identifiers: [
    ...(user === undefined ? [] : [{ type: 'user_id', value: user }]),
    ...(device === undefined ? [] : [{ type: 'anonymous_id', value: device }]),
  ],
  ...(previous === undefined ? {} : { previous }),
})

/** Applies calls in order, and returns the resulting graph. */
const profilesAfter = (calls: readonly Call[]) => {
  const graph = emptyGraph()
  const learned: Operation[] = []
  for (const call of calls)
    resolve(
      {
        graph,
        limitOf: rules.limitOf,
        profileIdOf: identifierKey,
        next: () => learned.length + 1,
        learn: (operation) => void learned.push(operation),
      },
      observationOf(call),
    )
  return { graph, learned }
}

/** Returns the profiles of the calls as texts, sorted. Each text has the user IDs and the devices, such as `a b|x`. */
const describeProfiles = (calls: readonly Call[]): string[] => {
  const { graph } = profilesAfter(calls)
  return [...graph.profiles.values()]
    .map(({ identifiers }) => {
      const of = (type: string): string =>
        [...identifiers.values()]
          .flatMap((each) => (each.type === type ? [each.value] : []))
          .toSorted()
          .join(' ')
      return `${of('user_id')}|${of('anonymous_id')}`
    })
    .toSorted()
}

/**
 * Computes the expected result by the table of `docs/profiles.md`, without using profiles. A device belongs to the
 * first user who signs in on it or whose alias call names it. Two users become one person only if an alias call names
 * the user ID of one of them.
 */
const rightAfter = (calls: readonly Call[], users: ReadonlySet<string>): string[] => {
  const people = new Map<string, string>()
  const seenUsers = new Set<string>()
  const seenDevices = new Set<string>()
  const holders = new Map<string, string>()
  const personOf = (user: string): string => people.get(user) ?? user
  for (const { user, device, previous } of calls) {
    if (user !== undefined) seenUsers.add(user)
    if (device !== undefined) seenDevices.add(device)
    for (const named of [device, previous])
      if (named !== undefined && !users.has(named) && user !== undefined && !holders.has(named))
        holders.set(named, user)
    if (user === undefined || previous === undefined || !users.has(previous)) continue
    const [stays, goes] = [personOf(user), personOf(previous)]
    for (const each of users) if (personOf(each) === goes) people.set(each, stays)
  }
  const profiles = new Map<string, { users: string[]; devices: string[] }>()
  const profileOf = (person: string) => {
    const made = profiles.get(person) ?? { users: [], devices: [] }
    profiles.set(person, made)
    return made
  }
  for (const user of seenUsers) profileOf(personOf(user)).users.push(user)
  for (const device of seenDevices) {
    const holder = holders.get(device)
    profileOf(holder === undefined ? device : personOf(holder)).devices.push(device)
  }
  return [...profiles.values()]
    .map(({ users, devices }) => `${users.toSorted().join(' ')}|${devices.toSorted().join(' ')}`)
    .toSorted()
}

/** Yields every order of every selection of at most `most` items. */
function* ordersOf<T>(items: readonly T[], most: number): Generator<T[]> {
  yield []
  if (most === 0) return
  for (const [at, item] of items.entries())
    for (const rest of ordersOf(items.toSpliced(at, 1), most - 1)) yield [item, ...rest]
}

describe('an alias call on a device that several people use', () => {
  const visits: Call[] = [{ device: 'x' }, { device: 'y' }]
  const identifies: Call[] = ['a', 'b'].flatMap((user) => ['x', 'y'].map((device) => ({ user, device })))
  const aliases: Call[] = ['a', 'b'].flatMap((user) => ['x', 'y'].map((previous) => ({ user, previous })))
  const merges: Call[] = [
    { user: 'a', previous: 'b' },
    { user: 'b', previous: 'a' },
  ]

  test('in all orders of up to four calls, a device stays with its first person, and only user ID aliases merge people', () => {
    const users = new Set(['a', 'b'])
    for (const calls of ordersOf([...visits, ...identifies, ...aliases, ...merges], 4))
      if (describeProfiles(calls).join() !== rightAfter(calls, users).join())
        expect(describeProfiles(calls), calls.map(nameOf).join(', ')).toEqual(rightAfter(calls, users))
  })

  test('in all orders of sign-ins and alias calls by two people on both devices, the result equals the table', () => {
    const users = new Set(['a', 'b'])
    for (const calls of ordersOf([...identifies.slice(0, 3), ...aliases.slice(1)], 6))
      if (describeProfiles(calls).join() !== rightAfter(calls, users).join())
        expect(describeProfiles(calls), calls.map(nameOf).join(', ')).toEqual(rightAfter(calls, users))
  })

  test.each<[string, Call[], string[]]>([
    [
      'the other one has signed in',
      [
        { user: 'b', device: 'x' },
        { user: 'a', previous: 'x' },
      ],
      ['a|', 'b|x'],
    ],
    [
      'the call comes from the device itself',
      [
        { user: 'b', device: 'x' },
        { user: 'a', device: 'x', previous: 'x' },
      ],
      ['a|', 'b|x'],
    ],
    [
      'three people alias it one after the other',
      [{ user: 'a', previous: 'x' }, { user: 'b', previous: 'x' }, { user: 'c', previous: 'x' }, { device: 'x' }],
      ['a|x', 'b|', 'c|'],
    ],
    [
      'the first one has several devices',
      [
        { user: 'b', device: 'x' },
        { user: 'b', device: 'y' },
        { user: 'a', previous: 'y' },
      ],
      ['a|', 'b|x y'],
    ],
    [
      'both have signed in before, and the device was of nobody',
      [{ user: 'a' }, { user: 'b' }, { device: 'x' }, { user: 'a', previous: 'x' }, { user: 'b', previous: 'x' }],
      ['a|x', 'b|'],
    ],
    [
      'the one who has it was merged from two user IDs',
      [
        { user: 'b', device: 'x' },
        { user: 'c', previous: 'b' },
        { user: 'a', previous: 'x' },
      ],
      ['a|', 'b c|x'],
    ],
  ])('an alias call does not merge two people if %s', (_, calls, right) => {
    expect(describeProfiles(calls)).toEqual(right)
  })

  test('the profile that requested a rejected link has it in its history', () => {
    const { learned } = profilesAfter([
      { user: 'b', device: 'x' },
      { user: 'a', previous: 'x' },
      { user: 'a', previous: 'x' },
    ])
    expect(learned.slice(2)).toMatchObject([
      { kind: 'create', sequence: 3, profile: 'user_id:a', identifier: { type: 'user_id', value: 'a' } },
      { kind: 'link', sequence: 4, profile: 'user_id:a', identifier: { type: 'previous_id', value: 'x' } },
      {
        kind: 'refuse',
        sequence: 5,
        profile: 'user_id:a',
        identifier: { type: 'anonymous_id', value: 'x' },
        by: { type: 'user_id', value: 'a' },
        reason: 'limit',
      },
    ])
  })

  test('an alias call without a usable user ID merges no profiles', () => {
    const { graph } = profilesAfter([
      { user: 'b', device: 'x' },
      { user: 'c', device: 'y' },
      { device: 'y', previous: 'b' },
      { device: 'y', previous: 'x' },
    ])
    expect(graph.owners.get('user_id:b')).not.toBe(graph.owners.get('user_id:c'))
  })
})

describe('an alias call between two user IDs', () => {
  test.each<[string, Call[]]>([
    [
      'both have signed in on devices of their own',
      [
        { user: 'a', device: 'x' },
        { user: 'b', device: 'y' },
        { user: 'a', previous: 'b' },
      ],
    ],
    [
      'the previous one comes later',
      [
        { user: 'a', device: 'x' },
        { user: 'a', previous: 'b' },
        { user: 'b', device: 'y' },
      ],
    ],
    [
      'both are on one device',
      [
        { user: 'a', device: 'x' },
        { user: 'b', device: 'x' },
        { device: 'y' },
        { user: 'b', device: 'y' },
        { user: 'b', previous: 'a' },
      ],
    ],
  ])('an alias call merges two user IDs if %s', (_, calls) => {
    expect(describeProfiles(calls)).toEqual(['a b|x y'])
  })
})
