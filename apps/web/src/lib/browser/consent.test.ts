import { expect, test } from 'vitest'
import { destinationOfState } from './consent.ts'

const [one, two] = ['01a200c4-5a42-76e8-8c9f-51a9a184bf65', '01a200c4-648f-70af-8201-81819dd6ceaf']

test('a consent state contains its destination', () => {
  expect(destinationOfState(`${one}.${two}.secret_-x`)).toBe(`workspaces/${one}/destinations/${two}`)
})

test.each([null, '', 's1', `${one}.${two}`, `${one}.${two}.`, `${one}.../..`, `${one}.${two}.a.b`, `x${one}.${two}.a`])(
  'any other text is not accepted as a state: %s',
  (state) => {
    expect(destinationOfState(state)).toBeUndefined()
  },
)
