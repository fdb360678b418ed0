import { expect, test } from 'vitest'
import { methods } from '../index.ts'

test('DST-07: a destination without an app name is refused with "Required"', () => {
  const { error } = methods.destinations.create.request.safeParse({ title: 'Receiver', app: { name: '' } })
  expect(error?.issues.map(({ path, message }) => [path.join('.'), message])).toEqual([['app.name', 'Required']])
})
