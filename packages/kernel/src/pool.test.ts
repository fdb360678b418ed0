import { describe, expect, it } from 'vitest'
import { createPool } from './pool.ts'

describe('a pool', () => {
  it.each([
    ['a user', { user: 'a', organization: 'o1' }, { user: 'b', organization: 'o1' }],
    ['a kind of work', { work: 'a', organization: 'o1' }, { work: 'b', organization: 'o2' }],
    ['an address', { network: 'a' }, { network: 'b' }],
    ['a workspace', { workspace: 'a', work: 'x' }, { workspace: 'b', work: 'y' }],
  ] as const)(
    'a pool gives %s its share and no more, and another holder of the same kind has its own share',
    (_, own, other) => {
      const pool = createPool({ total: 100, shares: { user: 3, work: 3, network: 3, workspace: 3 } })
      const taken = Array.from({ length: 5 }, () => pool.take(own) !== undefined)
      expect(taken).toEqual([true, true, true, false, false])
      expect(pool.bound(own)).toBe(Object.keys(own)[0])
      expect(pool.take(other)).toBeDefined()
    },
  )

  it('a pool counts nothing for a hold that one of its shares rejects', () => {
    const pool = createPool({ total: 10, shares: { user: 5, organization: 2 } })
    expect(pool.take({ user: 'a', organization: 'o' }, 3)).toBeUndefined()
    expect([pool.held(), pool.held('user', 'a'), pool.held('organization', 'o')]).toEqual([0, 0, 0])
  })

  it('a pool leaves capacity for the next holder, even if many holders take all they can', () => {
    const pool = createPool({ total: 1_000_000, shares: { workspace: 250_000 }, shrinking: ['workspace'] })
    for (let index = 0; index < 8; index += 1) while (pool.take({ workspace: `hostile ${index}` }, 100)) {}
    expect(pool.held()).toBeLessThan(1_000_000)
    expect(pool.bound({ workspace: 'hostile 7' }, 100)).toBe('total')
    expect(pool.take({ workspace: 'tenant' }, 2000)).toBeDefined()
  })

  it('a pool leaves capacity of a kind of work for the next user, and the rest of the pool for other kinds', () => {
    const pool = createPool({ total: 1000, shares: { work: 800 }, shrinking: ['user'] })
    for (let index = 0; index < 5; index += 1) while (pool.take({ user: `hostile ${index}`, work: 'slow' })) {}
    expect(pool.held('work', 'slow')).toBeLessThan(800)
    expect(pool.take({ user: 'tenant', work: 'slow' })).toBeDefined()
    expect(pool.take({ user: 'tenant', work: 'quick' }, 100)).toBeDefined()
  })

  it('a pool counts units that are added and dropped, and ignores a second release', () => {
    const pool = createPool({ total: 10, shares: { user: 6 } })
    const hold = pool.open({ user: 'a' })
    expect([hold.add(6), hold.add(1), pool.held()]).toEqual([true, false, 6])
    hold.drop(2)
    expect([pool.held('user', 'a'), hold.add(2)]).toEqual([4, true])
    hold.release()
    hold.release()
    expect([pool.held(), pool.held('user', 'a')]).toEqual([0, 0])
  })

  it('a pool counts a hold once for another holder, however often it joins, and not if the share of that holder is used up', () => {
    const pool = createPool({ total: 10, shares: { organization: 1 } })
    const [first, second] = [pool.take({ user: 'a' }), pool.take({ user: 'b' })]
    expect([first?.join('organization', 'o'), first?.join('organization', 'o')]).toEqual([true, true])
    expect(second?.join('organization', 'o')).toBe(false)
    first?.release()
    expect(second?.join('organization', 'o')).toBe(true)
    second?.release()
    expect([pool.held(), pool.held('organization', 'o')]).toEqual([0, 0])
  })

  it('a pool reports an exceeded share before an exceeded total', () => {
    const pool = createPool({ total: 3, shares: { user: 2 } })
    for (const user of ['a', 'a', 'b']) pool.take({ user })
    expect([pool.bound({ user: 'a' }), pool.bound({ user: 'b' }), pool.bound({ user: 'c' })]).toEqual([
      'user',
      'total',
      'total',
    ])
  })
})
