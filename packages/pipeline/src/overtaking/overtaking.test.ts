import { describe, expect, it } from 'vitest'
import { formatOvertaking, isPassedOver, type Overtaking, parseOvertaking } from './overtakings.ts'

const overtaking: Overtaking = {
  from: 10,
  workspaces: new Map([
    ['slow', 10],
    ['later', 20],
  ]),
  until: 30,
}

describe('two readings of a partition', () => {
  it.each([undefined, 30])(
    'the two readings of a partition together process each request exactly once, with %s as the offset where they meet',
    (until) => {
      const both = { ...overtaking, until }
      for (let offset = 0; offset < 40; offset++)
        for (const key of ['slow', 'later', 'fast']) {
          const place = { offset, key }
          expect(isPassedOver(both, place, 'ahead')).not.toBe(isPassedOver(both, place, 'behind'))
        }
    },
  )

  it('the reading ahead skips an overtaken workspace from its offset on, and all requests before and after the double reading', () => {
    const ahead = (key: string) =>
      [9, 10, 19, 20, 29, 30].map((offset) => !isPassedOver(overtaking, { offset, key }, 'ahead'))
    expect(ahead('slow')).toEqual([false, false, false, false, false, false])
    expect(ahead('later')).toEqual([false, true, true, false, false, false])
    expect(ahead('fast')).toEqual([false, true, true, true, true, false])
  })

  it('an overtaking that is formatted and parsed stays the same', () => {
    for (const each of [overtaking, { ...overtaking, until: undefined }, undefined])
      expect(parseOvertaking(formatOvertaking(each))).toEqual(each)
    expect(() => parseOvertaking('{"from":1}')).toThrow(/overtaken/)
  })
})
