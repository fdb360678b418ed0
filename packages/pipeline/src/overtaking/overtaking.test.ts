import { describe, expect, it } from 'vitest'
import { formatOvertaking, isPassedOver, type Overtaking, parseOvertaking } from './overtaking.ts'

const overtaking: Overtaking = {
  from: 10,
  workspaces: new Map([
    ['slow', 10],
    ['later', 20],
  ]),
  until: 30,
}

describe('two readings of a partition', () => {
  it.each([undefined, 30])('two readings of a partition process each request exactly once, until %s', (until) => {
    const both = { ...overtaking, until }
    for (let offset = 0; offset < 40; offset++)
      for (const key of ['slow', 'later', 'fast']) {
        const place = { offset, key }
        expect(isPassedOver(both, place, 'ahead')).not.toBe(isPassedOver(both, place, 'behind'))
      }
  })

  it('the reading ahead skips overtaken workspaces from their offsets, and everything outside the double reading', () => {
    const ahead = (key: string) =>
      [9, 10, 19, 20, 29, 30].map((offset) => !isPassedOver(overtaking, { offset, key }, 'ahead'))
    expect(ahead('slow')).toEqual([false, false, false, false, false, false])
    expect(ahead('later')).toEqual([false, true, true, false, false, false])
    expect(ahead('fast')).toEqual([false, true, true, true, true, false])
  })

  it('an overtaking is the same after it was formatted and parsed', () => {
    for (const each of [overtaking, { ...overtaking, until: undefined }, undefined])
      expect(parseOvertaking(formatOvertaking(each))).toEqual(each)
    expect(() => parseOvertaking('{"from":1}')).toThrow(/overtaken/)
  })
})
