import type { Catalog } from '@tributary/configuration'
import { AppError } from '@tributary/kernel'
import { expect, test } from 'vitest'
import { findObject, requireObject, type SyncTarget } from './target.ts'

const shop = { slug: 'shop', load: async () => ({ rowObjects: [{ name: 'contacts' }, { name: 'orders' }] }) }
const chat = { slug: 'chat', load: async () => ({}) }
const catalog = { destinations: [shop, chat] } as unknown as Catalog

const destination = (app: string): SyncTarget => ({
  kind: 'destination',
  id: 'd',
  app,
  columns: { destination_id: 'd', source_id: null },
})
const source: SyncTarget = { kind: 'source', id: 's', columns: { destination_id: null, source_id: 's' } }

const refusalOf = async (target: SyncTarget, object: string): Promise<AppError> => {
  const error: unknown = await requireObject(catalog, target, object).catch((reason: unknown) => reason)
  if (!(error instanceof AppError)) throw new Error('The object is not refused')
  return error
}

test.each<[string, SyncTarget, string, string]>([
  ['a misspelled one', destination('shop'), 'contact', 'contacts, orders'],
  ['one in capitals', destination('shop'), 'Orders', 'contacts, orders'],
  ['an empty one', destination('shop'), '', 'contacts, orders'],
  ['one that objects inherit', destination('shop'), 'toString', 'contacts, orders'],
  ['one of a source, at a destination', destination('shop'), 'events', 'contacts, orders'],
  ['one of a destination, at a source', source, 'contacts', 'events, profiles'],
])(
  'the object name %s is refused, and the message has the names of the existing objects',
  async (_, target, object, names) => {
    const { code, metadata } = await refusalOf(target, object)
    expect([code, metadata]).toEqual([400, { object: `There is no object "${object}" here. Choose one of: ${names}` }])
  },
)

test('a refused object name is shortened in the message, and never cut inside a character', async () => {
  const { message } = await refusalOf(destination('shop'), `${'x'.repeat(99)}🙂${'y'.repeat(1000)}`)
  expect(message).toContain(`"${'x'.repeat(99)}"`)
})

test('an existing object is found by its name', async () => {
  expect(await requireObject(catalog, destination('shop'), 'orders')).toMatchObject({ name: 'orders' })
  expect(await findObject(catalog, source, 'profiles')).toMatchObject({ name: 'profiles' })
  expect(await findObject(catalog, destination('chat'), 'orders')).toBeUndefined()
})
