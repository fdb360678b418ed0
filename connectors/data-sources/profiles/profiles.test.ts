import type { DataSourceSession } from '@tributary/connector-kit'
import { expect, test } from 'vitest'
import { profiles } from './definition.ts'

const context = {
  settings: {},
  connect: () => Promise.reject(new Error('Nothing is connected to')),
  signal: new AbortController().signal,
  statementMs: 1000,
}

test('a data source of audiences and profiles reads its own workspace, without a network connection', async () => {
  const own = { about: async () => 'Its own' } as DataSourceSession
  expect(await profiles.open({ ...context, people: () => own })).toBe(own)
  await expect(profiles.open(context)).rejects.toThrow('Audiences and profiles cannot be read here')
})
