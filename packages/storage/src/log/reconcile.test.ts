import { expect, test } from 'vitest'
import { placeToRewindTo } from './reconcile.ts'

const held = {
  ranges: [
    { incarnation: '', from: 0 },
    { incarnation: 'a', from: 300 },
  ],
  start: 100,
  end: 400,
}

test.each([
  ['behind a record that is there', { offset: 350, incarnation: 'a' }, undefined],
  ['at the end of the log', { offset: 400, incarnation: 'a' }, undefined],
  ['at the end of an incarnation', { offset: 300, incarnation: '' }, undefined],
  ['behind the end of an incarnation: what follows is another', { offset: 320, incarnation: '' }, [300, '']],
  ['behind the end of the log', { offset: 500, incarnation: 'a' }, [400, 'a']],
  ['of an incarnation that was trimmed', { offset: 90, incarnation: 'Z' }, undefined],
  ['at the start of the log, behind what was trimmed', { offset: 100, incarnation: 'Z' }, undefined],
  ['of an incarnation that the log never had', { offset: 320, incarnation: 'Z' }, [100, '']],
  ['that nobody has seen a record before', { offset: 350, incarnation: undefined }, undefined],
  ['that nobody has seen a record before, behind the end', { offset: 500, incarnation: undefined }, [400, undefined]],
])('a journal position %s is kept or reset as expected', (_, place, expected) => {
  const back = placeToRewindTo(place, held)
  expect(back === undefined ? undefined : [back.offset, back.incarnation]).toEqual(expected)
})

test.each([
  ['a journal of before incarnations', { offset: 500, incarnation: '' }, [0, 'b']],
  ['a journal that knows one', { offset: 500, incarnation: 'a' }, [0, 'b']],
])('for an empty log, %s is reset to its start', (_, place, expected) => {
  const back = placeToRewindTo(place, { ranges: [{ incarnation: 'b', from: 0 }], start: 0, end: 0 })
  expect([back?.offset, back?.incarnation]).toEqual(expected)
})
