import type { DataSourceSession } from '@tributary/connector-kit'
import { expect, test } from 'vitest'
import { profiles } from './definition.ts'

const context = {
  settings: {},
  connect: () => Promise.reject(new Error('Nothing is connected to')),
  signal: new AbortController().signal,
  statementMs: 1000,
}

test('audiences and profiles are those of the workspace that opens them, and nothing is connected to', async () => {
  const own = { about: async () => 'Its own' } as DataSourceSession
  expect(await profiles.open({ ...context, people: () => own })).toBe(own)
  await expect(profiles.open(context)).rejects.toThrow('Audiences and profiles cannot be read here')
})
